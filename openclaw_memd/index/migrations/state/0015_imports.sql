-- What was brought in from elsewhere: one row an import. It is 'begun' before the first file is written, 'done'
-- after the last one, 'undoing' and 'undone' likewise. ``origin`` is the folder that it came from; ``backup`` where
-- what it replaced lies; ``report`` is JSON.
CREATE TABLE imports (
  id TEXT PRIMARY KEY NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  replaces INTEGER NOT NULL CHECK (replaces IN (0, 1)),
  at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'undoing', 'undone')),
  backup TEXT,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The files of each: ``hash`` is SHA-256 of what is brought in, ``before`` that of what had the place. A file is
-- 'planned', 'copied' once it is there for certain, 'left' when something came between, 'restored' once it was taken
-- back, and 'kept' when that could not be.
CREATE TABLE import_files (
  import_id TEXT NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  before BLOB CHECK (before IS NULL OR length(before) = 32),
  bytes INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'copied', 'left', 'restored', 'kept')),
  PRIMARY KEY (import_id, path)
) STRICT, WITHOUT ROWID;
