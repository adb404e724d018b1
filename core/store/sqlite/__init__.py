"""The SQLite file, one module a kind of row.

connection   pragmas, extension, and SQLite's errors as sentences      opening    faults told apart
migrate      numbered .sql files, applied once                         schema.sql generated, for reading
memories  links  fulltext  vectors  settings  journal  calls  judgements  proposals   each kind; rows  of all
reader       a snapshot to read from      search      the questions to FTS5 and vec0      listing   long sorted lists
cache_feed   feeds core/search_cache     search_log  what has changed for a search        states    at any moment
shadow_tables  all that is known of the tables in which FTS5 and vec0 keep their data
transaction  the verbs of a write         writer      what they end in, journalled as it happens
purge        without a trace              unfinished  a file that gets its name once it is whole
backup       copies, thinned              check       is everything in step, and mending what is not
"""
