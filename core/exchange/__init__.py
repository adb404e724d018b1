"""File formats of memories: parsing and writing. Nothing here writes to the store.

jsonl     one JSON object a line, with links; also the format of the sample
history   what makes such a file complete: vectors, settings, the journal
table     CSV for spreadsheets        markdown  one file a memory, made to be read and diffed
fields    a memory as plain fields, which all formats share
"""
