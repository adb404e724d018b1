"""The only SQL in the project: one SQLite file that is the only truth.

store.py        Store: open, read(), transact(op, actor, reason); nothing else touches the file
records.py      what a store keeps and returns, whatever its engine
sqlite/         what the file holds, one module a kind of row
quick/          what searching needs of it, kept in memory
"""
