-- The conversation that a chunk was written in, NULL for none that is known.
ALTER TABLE chunks ADD COLUMN writer TEXT;

-- How the lines were attributed; 0: by the place of their file alone.
ALTER TABLE identity ADD COLUMN attribution INTEGER NOT NULL DEFAULT 0;
