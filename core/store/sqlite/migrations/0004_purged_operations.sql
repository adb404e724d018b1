-- An operation of which a purge took something out of the journal can no longer be taken back.
alter table journal add column purged integer not null default 0 check (purged in (0, 1));
