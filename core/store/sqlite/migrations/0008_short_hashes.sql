-- The first characters of a hash tell texts apart as well as all of them. An index of all is five times as long, and as
-- every hash belongs to a place of its own, adding a thousand memories to many wrote nearly as many pages of it.
drop index memories_by_content_hash;
create index memories_by_content_hash on memories (substr(content_hash, 1, 8));
