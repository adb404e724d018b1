"""The program: a command line and its front-ends, each a short way of calling core.services.

command_table/ every command with its arguments
cli.py         parsing, running, and the errors a user may read
completion.py  shell completion, from the table
manual.py      the manual page, from the table
program.py     what it is called, which version it is, how it is started
commands/      what each command does
wire/          every JSON shape          resources.py   files that come with the program
gui/           the desktop               sample.py      the sample store, made on first use
serve/         the server for agents     connections.py how each client is told of it
desktop_needs  what the desktop needs of the machine, told before Qt is touched
"""
