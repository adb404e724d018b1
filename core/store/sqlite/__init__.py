"""The SQLite engine: a store in one file, one module for each kind of row.

engine       SqliteStore: connections, snapshots, transactions, maintenance
connection   pragmas, extension, and SQLite's errors as sentences      opening      faults of a file, by name
migrate      numbered .sql files, applied once                         schema.sql   generated, for reading
memories  links  fulltext  vectors  settings  journal  calls  judgements  proposals   the tables; rows  what they share
reader       SqliteReader: searches; with memory_reader and journal_reader all that can be read
search       queries to FTS5 and vec0         listing      long sorted lists
cache_feed   feeds core/search_cache          search_log   what has changed for a search
shadow_tables  reads and writes the tables of FTS5 and vec0   fact_columns  what stages read of memories, as columns
vec_distance   sqlite-vec's cosine distance, in numpy
writer       SqliteWriter: rows with index, vectors and journal image
purge        complete removal          unfinished   a file that gets its name when it is complete
backup       copies, thinned with age         check        consistency of tables and indexes, and repair
"""
