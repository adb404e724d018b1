-- What agents want to change of a memory that is a person's, until a person decides.
create table proposals (
    id integer primary key autoincrement,
    memory_id integer not null references memories (id) on delete cascade,
    version integer not null,  -- of the memory when it was proposed
    kind text not null check (kind in ('edit', 'forget')),
    fields text not null,  -- JSON: what an edit would set
    actor text not null,
    reason text not null,
    proposed_at integer not null,
    state text not null check (state in ('open', 'accepted', 'refused')),
    decided_by text not null,
    decided_at integer
) strict;

create index proposals_by_state on proposals (state, id);

create index proposals_by_memory on proposals (memory_id);
