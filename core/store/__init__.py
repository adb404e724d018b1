"""The store: everything that is read and written, behind one protocol.

protocol.py      Store, Reader by topic, Writer, Maintenance: all that modules above the store know
records.py       what a store keeps and returns, whatever its engine
engines.py       open_store, create_store, restore: picks the engine by the location; the only module that knows one
transaction.py   the verbs of one write and their rules          undo.py       undoing an operation
history.py       past states and versions from journal images    link_graph.py what follows from links
row_format.py    memories and links as the values of images      json_text.py  JSON as it is kept
sqlite/          the engine of today: one file, and the only SQL in the project
"""
