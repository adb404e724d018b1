"""The only SQL in the project: one SQLite file that is the only truth.

store.py        Store: open, read(), transact(op, actor, reason); nothing else touches the file
sqlite/         what the file holds, one module a kind of row
"""
