"""The same core for agents: one table of tools, spoken as MCP and as REST, behind one set of walls.

walls.py    what every request must pass: Host, Origin, token, size, time
tokens.py   who may do what
door.py     one permission check, one check of arguments, one record of each call
schemas.py  what goes in and what comes out, as JSON Schema
tools.py    the table; reference.py the nine names of the reference memory server
mcp.py      the table as MCP tools, with resources and a prompt          rest.py  the table as REST, with OpenAPI
listening.py  uvicorn with the bounds it lacks          standard_input.py  lines that can be given up
running.py  which server serves which store             app.py             all of it together
"""
