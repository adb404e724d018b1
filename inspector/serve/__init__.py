"""The same core for agents: one table of tools, served as MCP and as REST, behind one set of HTTP guards.

http_guards.py  what every request must pass: Host, Origin, token, size, time
tokens.py       tokens and their scopes
dispatcher.py   every tool call: permission, arguments, execution, recording
schemas.py      input and output as JSON Schema          tool_schemas.py  those that several tools share
tools.py        the table of tools                       tool_functions.py  what each of them does
reference.py    the nine tools of the reference memory server
agent_wording.py  sentences of the core for agents, which have tools and no shell
mcp.py          the table as MCP tools, with resources and a prompt       rest.py  the table as REST
openapi.py      the OpenAPI document of all routes
listening.py    uvicorn with limits on connections
stdio.py        MCP over standard input: answers the opening from handshake.py, then hands over to stdio_session.py
handshake.py    the SDK's answers to an opening, from the file that handshake_answers.py makes
relay.py        calls that a server over standard input has answered by a running server
messages.py     what a JSON-RPC message is
workers.py      several processes on one port     forwarding.py  calls of another worker's MCP sessions
tools_markdown.py  the table of tools in Markdown, for the manual
running.py      which server serves which store          app.py        all of it together
"""
