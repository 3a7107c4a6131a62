-- What was recorded of the lines of memory files: one row for equal lines of one text in one file. No text is
-- kept: ``hash`` is BLAKE2b-16 of the line in NFC without trailing blanks. ``recorded`` lines were written
-- or attributed there, ``seen`` of them were found in the file since, ``present`` are in it now.
-- ``decided`` is what the owner said by hand, which goes before everything else. ``gone_at`` is when the daily
-- look found that none is there any more.
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  words INTEGER NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('owner', 'agent', 'system', 'untrusted')),
  session_kind TEXT NOT NULL
    CHECK (session_kind IN ('interactive', 'cron', 'heartbeat', 'subagent', 'unknown')),
  writer TEXT,
  decided INTEGER NOT NULL DEFAULT 0,
  recorded INTEGER NOT NULL CHECK (recorded > 0),
  seen INTEGER NOT NULL CHECK (seen BETWEEN 0 AND recorded),
  present INTEGER NOT NULL CHECK (present BETWEEN 0 AND seen),
  append_id INTEGER,
  agent TEXT,
  session_id TEXT,
  recorded_at TEXT NOT NULL,
  gone_at TEXT
) STRICT;

CREATE INDEX spans_gone ON spans (gone_at) WHERE present = 0;
CREATE INDEX spans_by_hash ON spans (hash);
CREATE INDEX spans_by_path ON spans (path, hash);
CREATE INDEX spans_by_append ON spans (append_id) WHERE append_id IS NOT NULL;
CREATE INDEX spans_by_session ON spans (session_id, agent) WHERE session_id IS NOT NULL;

-- What near-duplicates of outside lines are known by: hashes of word pairs and of the decisive words.
CREATE TABLE sketches (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 16),
  words INTEGER NOT NULL,
  decisive BLOB NOT NULL,
  shingles BLOB NOT NULL
) STRICT;

-- The first few shingles of each sketch: near-duplicates share at least one of theirs.
CREATE TABLE sketch_shingles (
  shingle INTEGER NOT NULL,
  sketch_id INTEGER NOT NULL REFERENCES sketches (id) ON DELETE CASCADE,
  PRIMARY KEY (shingle, sketch_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sketch_shingles_by_sketch ON sketch_shingles (sketch_id);

-- The lines of each memory file as they were last attributed. ``hashes`` and ``gone`` are hashes of 16 bytes
-- each: the lines that are not blank, in order, and handwritten lines that were here before. ``runs`` are
-- [first index, origin, session kind, writer] over ``hashes``; ``changed`` are [first, last] indexes of the
-- lines that no record explained when the file changed from ``before_hash`` to ``content_hash`` (SHA-256 of
-- its bytes). ``last_report`` is the id of the newest observed write that was taken into account.
-- A file that is gone has no ``content_hash``; ``gone_at`` is when the daily look found that.
CREATE TABLE file_lines (
  path TEXT PRIMARY KEY NOT NULL,
  before_hash BLOB,
  content_hash BLOB,
  hashes BLOB NOT NULL CHECK (length(hashes) % 16 = 0),
  runs TEXT NOT NULL,
  gone BLOB NOT NULL CHECK (length(gone) % 16 = 0),
  changed TEXT NOT NULL,
  last_report INTEGER NOT NULL,
  gone_at TEXT
) STRICT;

-- Grows with each change of what is said of lines, so that what was worked out beside it can be trusted.
CREATE TABLE line_revision (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL
) STRICT;

INSERT INTO line_revision VALUES (1, 0);

-- Set when this ledger had to begin anew in a workspace that had one: what was there then is not trusted.
CREATE TABLE losses (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  lost_at TEXT NOT NULL,
  listed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The files that were there then and are not attributed yet.
CREATE TABLE lost_files (
  path TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
