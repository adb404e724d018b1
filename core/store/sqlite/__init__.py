"""The SQLite file, one module a kind of row.

connection   pragmas, extension, and SQLite's errors as sentences      opening    faults told apart
migrate      numbered .sql files, applied once                         schema.sql generated, for reading
memories  links  fulltext  vectors  settings  journal                  rows of each kind
reader       a snapshot to read from      transaction   the verbs of a write, journalled as they happen
backup       copies, thinned              check         is everything in step, and mending what is not
"""
