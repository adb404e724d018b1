"""The desktop app: Qt lives here and nowhere else. Imports point down this list.

app.py          one process: fonts, style, crash handler, window      tour.py  a picture of every view
main_window.py  the frame around the views                            actions.py  every action, in one table
views/          widgets put together, one module a view; they call their viewmodel and nothing else
viewmodels/     what a view shows and does, QtCore only; the only ones here that call core.services
widgets/        parts that know no view          models/  thin adapters from the core's values to Qt's item views
ops.py          work in the background, and what became of it          watch.py  others' changes, noticed
tasks.py        the only threads                 theme.py icons.py settings.py  how it looks, what it remembers
"""
