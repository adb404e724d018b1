"""The same core for agents: one table of tools, spoken as MCP and as REST, behind one set of walls.

walls.py    what every request must pass: Host, Origin, token, size, time
door.py     one permission check, one check of arguments, one record of each call
tools.py    the table; reference.py the nine names of the reference memory server
mcp.py      the table as MCP tools, with resources and a prompt          rest.py  the table as REST, with OpenAPI
listening.py  uvicorn with the bounds it lacks                           app.py   all of it together
"""
