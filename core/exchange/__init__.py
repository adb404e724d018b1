"""Other forms of the same memories: bytes to memories, memories to bytes. Nothing here writes the store.

jsonl     one JSON object a line, with links; also the form of the sample
history   what makes such a file complete: vectors, settings, the journal
table     CSV for spreadsheets        markdown  one file a memory, made to be read and diffed
fields    a memory as plain fields, which all of them share
"""
