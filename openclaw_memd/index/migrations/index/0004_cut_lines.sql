-- Whether a chunk's first line is the end of a longer one, and its last the start of one. Until a chunk is
-- made anew nobody knows, so both may be.
ALTER TABLE chunks ADD COLUMN cut_start INTEGER NOT NULL DEFAULT 1;
ALTER TABLE chunks ADD COLUMN cut_end INTEGER NOT NULL DEFAULT 1;
