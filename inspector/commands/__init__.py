"""What each command does. `terminal` is how they speak; the others are one module a subject.

store      the file itself: init, check, backup, restore, info
memories   remember, embed, get, list, weave   queries   recall, explain, profiles
                     curation   edit, pin, archive, forget, link, merge, split, undo, redo, history, …
exchange   import, export
models     model list, info, fetch, use
"""
