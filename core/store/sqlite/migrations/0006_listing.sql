-- Lists of any number of memories: all that they are sorted and filtered by, except the text and the tags, as a narrow
-- copy of the table in the order that lists have at first. Any list is one walk along it, a fifth of the table's size,
-- and stops after the first page where its order is the one that is asked for.
create index memories_as_listed on memories (
    created_at, id, status, type, pinned, confidence, access_count, return_count, last_accessed_at, updated_at,
    collection, session, agent, source, user, strength, importance, version
);
drop index memories_by_creation;
