-- The table of compactions has the name that the API and the command line use.

ALTER TABLE rewrite RENAME TO compaction;

ALTER TABLE compaction RENAME COLUMN rewritten_at TO compacted_at;
