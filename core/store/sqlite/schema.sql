CREATE TABLE memories (
    id integer primary key autoincrement,  -- never reused, so an old id never names another memory
    uid text not null unique,
    content text not null check (length(content) > 0),
    content_hash text not null,
    summary text not null,
    type text not null,
    entities text not null,
    files text not null,
    collection text not null,
    session text not null,
    user text not null,
    agent text not null,
    source text not null,
    provenance text not null,
    context text not null,
    confidence real not null check (confidence between 0 and 1),
    strength real not null check (strength between 0 and 1),
    importance text not null check (importance in ('normal', 'high')),
    pinned integer not null check (pinned in (0, 1)),
    status text not null
        check (status in ('active', 'superseded', 'contradicted', 'archived', 'deleted')),
    created_at integer not null,
    updated_at integer not null,
    last_accessed_at integer,
    access_count integer not null check (access_count >= 0),
    return_count integer not null check (return_count >= 0),
    version integer not null check (version >= 1)
) strict;

CREATE INDEX memories_by_collection on memories (collection, status);

CREATE INDEX memories_by_use on memories (coalesce(last_accessed_at, created_at) desc, id desc);

CREATE TABLE tags (
    memory_id integer not null references memories (id),
    position integer not null,
    tag text not null,
    primary key (memory_id, position)
) strict, without rowid;

CREATE INDEX tags_by_tag on tags (tag, memory_id);

CREATE TABLE links (
    id integer primary key autoincrement,
    source_id integer not null references memories (id),
    target_id integer not null references memories (id),
    kind text not null
        check (kind in ('relates', 'supports', 'contradicts', 'supersedes', 'depends_on', 'same_as',
                        'temporal', 'topic', 'reference')),
    weight real not null check (weight between 0 and 1),
    status text not null check (status in ('open', 'accepted', 'dismissed')),
    evidence text not null,
    created_at integer not null,
    unique (source_id, target_id, kind),
    check (source_id <> target_id)
) strict;

CREATE INDEX links_by_target on links (target_id);

CREATE VIRTUAL TABLE fulltext using fts5 (
    content, summary, entities, files, tags,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE fulltext_stemmed using fts5 (
    content, summary, entities, files, tags,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE fulltext_state (
    memory_id integer primary key,
    digest blob not null
) strict;

CREATE TABLE spaces (
    id integer primary key,
    model text not null,
    revision text not null,
    dimension integer not null check (dimension > 0),
    file_hash text not null,
    recipe text not null,
    created_at integer not null,
    unique (model, revision, dimension, file_hash, recipe)
) strict;

CREATE TABLE embedded (
    space_id integer not null references spaces (id),
    memory_id integer not null references memories (id),
    truncated integer not null check (truncated in (0, 1)),
    digest blob not null,  -- of the vector, so that a check can tell whether it is still the one that was stored
    embedded_at integer not null,
    primary key (space_id, memory_id)
) strict, without rowid;

CREATE INDEX embedded_by_memory on embedded (memory_id);

CREATE TABLE journal (
    seq integer primary key autoincrement,
    at integer not null,
    op text not null,
    actor text not null,
    reason text not null
, purged integer not null default 0 check (purged in (0, 1))) strict;

CREATE TABLE journal_images (
    seq integer not null references journal (seq),
    position integer not null,
    entity text not null check (entity in ('memory', 'link', 'setting')),
    key text not null,
    before text,
    after text,
    primary key (seq, position)
) strict, without rowid;

CREATE INDEX journal_images_by_entity on journal_images (entity, key, seq);

CREATE TABLE journal_vectors (
    seq integer not null references journal (seq),
    memory_id integer not null,
    space_id integer not null references spaces (id),
    vector blob not null,
    truncated integer not null,
    primary key (seq, memory_id, space_id)
) strict;

CREATE TABLE journal_undoes (
    seq integer not null references journal (seq),
    undoes integer not null references journal (seq),
    primary key (seq, undoes)
) strict, without rowid;

CREATE TABLE settings (
    name text primary key,
    value text not null
) strict, without rowid;

CREATE TABLE judgements (
    id integer primary key autoincrement,
    golden_set text not null,
    query text not null,
    memory_uid text not null,
    grade integer not null check (grade >= 0),
    judge text not null,
    judged_at integer not null, category text not null default '',
    unique (golden_set, query, memory_uid)
) strict;

CREATE TABLE calls (
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

CREATE INDEX calls_by_time on calls (at);

CREATE INDEX calls_by_client on calls (client, id);

CREATE TABLE call_results (
    call_id integer not null references calls (id) on delete cascade,
    position integer not null,
    memory_id integer not null,
    score real,
    missed text not null,  -- why it was cut, empty for what was returned
    primary key (call_id, position)
) strict, without rowid;

CREATE INDEX call_results_by_memory on call_results (memory_id);

CREATE INDEX memories_by_session_order on memories (session, collection, created_at, id) where session <> '';

CREATE INDEX memories_as_listed on memories (
    created_at, id, status, type, pinned, confidence, access_count, return_count, last_accessed_at, updated_at,
    collection, session, agent, source, user, strength, importance, version
);

CREATE TABLE search_log (
    seq integer primary key autoincrement,
    memory_id integer not null  -- 0 stands for every memory
) strict;

CREATE INDEX memories_by_content_hash on memories (substr(content_hash, 1, 8));

CREATE TABLE proposals (
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

CREATE INDEX proposals_by_state on proposals (state, id);

CREATE INDEX proposals_by_memory on proposals (memory_id);
