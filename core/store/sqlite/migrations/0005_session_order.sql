-- What was said just before and after a memory: its session in the order of time. Whoever asks for a session alone
-- is served by the same index.
create index memories_by_session_order on memories (session, collection, created_at, id) where session <> '';
drop index memories_by_session;
