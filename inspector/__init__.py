"""The program: a command line and its front-ends, each a thin layer over core.services.

command_table/ every command with its arguments
cli.py         parsing, running, and the errors a user may read
completion.py  shell completion, from the table
manual.py      the man page and the command reference, from the table
help_topics.py the topics of the manual: loading, sections, search
glossary.py    the terms of the glossary, and where it explains a term
program.py     name, version, start command
commands/      what each command does
wire/          every JSON shape          resources.py   files that come with the program
gui/           the desktop               sample.py      the sample store, made on first use
serve/         the server for agents     connections.py the configuration of each client
desktop_needs  system libraries of the desktop, checked before Qt is loaded
"""
