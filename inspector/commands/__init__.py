"""What each command does. `terminal` is how they speak; the others are one module a subject.

store       the file itself: init, check, backup, restore, info
memories    remember, embed, get, list, infer-links  queries    recall, explain, profiles
curation    edit, pin, archive, forget, purge, link, merge, split, consolidate, resolve, undo, redo, history, …
proposals   proposals, accept, refuse
exchange    import, export                           models     model list, info, fetch, use
evaluation  judge, judgements, eval, tune            serving    --serve, connect, token …
hook        for an agent's hooks; never fails        desktop    the window, and the tour of it
shell       help, completion, man                    self_test  proves an installation
terminal_markdown  the manual's Markdown as text for a terminal
"""
