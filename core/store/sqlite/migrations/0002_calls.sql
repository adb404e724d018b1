-- The flight recorder: every call of an agent, what it got, and what it nearly got.
drop table recall_results;
drop table recalls;

create table calls (
    id integer primary key autoincrement,
    at integer not null,
    client text not null,
    session text not null,
    tool text not null,
    outcome text not null check (outcome in ('answered', 'refused', 'failed')),
    complaint text not null,
    elapsed_us integer not null,
    operation integer,  -- the journal row of what it wrote
    question text,  -- what a recall asked, so that it can be asked again
    mode text not null,
    returned integer not null,
    trace blob  -- compressed: the funnel with its times, and the parameters
) strict;

create index calls_by_time on calls (at);

create index calls_by_client on calls (client, id);

create table call_results (
    call_id integer not null references calls (id) on delete cascade,
    position integer not null,
    memory_id integer not null,
    score real,
    missed text not null,  -- why it was cut, empty for what was returned
    primary key (call_id, position)
) strict, without rowid;

create index call_results_by_memory on call_results (memory_id);
