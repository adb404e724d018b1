-- Which memories' words, vectors or filterable fields have changed, for those that keep a copy of them in memory.
create table search_log (
    seq integer primary key autoincrement,
    memory_id integer not null  -- 0 stands for every memory
) strict;
