"""The SQLite engine: a store in one file, one module for each kind of row.

engine       SqliteStore: connections, snapshots, transactions, maintenance
connection   pragmas, extension, and SQLite's errors as sentences      opening      each fault of a file, by name
migrate      numbered .sql files, applied once                         schema.sql   generated, for reading
memories  links  fulltext  vectors  settings  journal  calls  judgements  proposals   the tables; rows  what they share
reader       SqliteReader: searches; with memory_reader and journal_reader all that can be read
search       queries to FTS5 and vec0         listing      long sorted lists
cache_feed   feeds core/search_cache          search_log   what has changed for a search
shadow_tables  all that is known of the tables in which FTS5 and vec0 keep their data
writer       SqliteWriter: rows with index, vectors and journal image
purge        removal without a trace          unfinished   a file that gets its name when it is complete
backup       copies, thinned with age         check        is everything in step, and repair of what is not
"""
