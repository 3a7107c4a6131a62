-- What a night would write, for the owner to decide: one proposal for each claim, by its key. ``content`` is JSON;
-- ``edited`` says that its text is in the owner's words.
CREATE TABLE proposals (
  key TEXT PRIMARY KEY NOT NULL,
  run_id TEXT NOT NULL,
  proposed_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'rejected')),
  content TEXT NOT NULL,
  edited INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What runs of dreaming wrote into the curated files: ``entry`` is SHA-256 of the entry's text in hex, and
-- ``key`` that of each claim that led to it. It is 'begun' before the file is rewritten, 'done' when it is
-- there for certain and 'undone' when somebody took it back.
CREATE TABLE promotions (
  run_id TEXT NOT NULL,
  file TEXT NOT NULL,
  key TEXT NOT NULL,
  entry TEXT NOT NULL,
  at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'undone')),
  PRIMARY KEY (run_id, file, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX promotions_by_file ON promotions (file, entry);

-- Which rewrites a run made.
CREATE TABLE dream_rewrites (
  preimage_id INTEGER PRIMARY KEY NOT NULL,
  run_id TEXT NOT NULL,
  file TEXT NOT NULL
) STRICT;
