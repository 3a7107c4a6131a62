-- Texts that were accepted for a note, one row a file. The row is committed before the bytes are written; the
-- text is erased when they are on the disk. Parts of one call share `call`, the id of the first. `size_before`
-- is the size of the file in bytes from which on the text may stand; NULL when nobody could look.
CREATE TABLE appends (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  call INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'written', 'spooled')),
  agent TEXT NOT NULL,
  session_id TEXT,
  path TEXT NOT NULL,
  size_before INTEGER,
  header TEXT NOT NULL,
  text TEXT,
  text_hash TEXT NOT NULL,
  origin TEXT NOT NULL,
  session_kind TEXT NOT NULL,
  writer TEXT,
  accepted_at TEXT NOT NULL,
  reason TEXT,
  start_line INTEGER,
  end_line INTEGER,
  CHECK ((state = 'written') = (text IS NULL))
) STRICT;

CREATE INDEX appends_waiting ON appends (path, id) WHERE state <> 'written';
CREATE INDEX appends_of_call ON appends (call);
CREATE INDEX appends_by_time ON appends (accepted_at);

-- What gives the first answer to a request key again: JSON that its method understands.
CREATE TABLE request_keys (
  agent TEXT NOT NULL,
  method TEXT NOT NULL,
  key TEXT NOT NULL,
  answer TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  PRIMARY KEY (agent, method, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_keys_by_time ON request_keys (asked_at);

-- Flush cycles: the day that a plan named, and the worst origin that went into the cycle so far. A session
-- without an id is ''.
CREATE TABLE flush_cycles (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  cycle_id TEXT NOT NULL,
  day TEXT NOT NULL,
  zone TEXT NOT NULL,
  origin TEXT NOT NULL,
  planned_at TEXT NOT NULL,
  flushed_at TEXT,
  UNIQUE (agent, session_id, cycle_id)
) STRICT;

CREATE INDEX flush_cycles_by_time ON flush_cycles (planned_at);

-- What was flushed in a cycle, so that the same text does nothing.
CREATE TABLE flush_texts (
  cycle INTEGER NOT NULL REFERENCES flush_cycles (id) ON DELETE CASCADE,
  text_hash TEXT NOT NULL,
  call INTEGER NOT NULL,
  PRIMARY KEY (cycle, text_hash)
) STRICT, WITHOUT ROWID;

-- Writes of memory files that a runtime reported: SHA-256 of the bytes before and after, in hex. An empty hash:
-- there was no file.
CREATE TABLE observed_writes (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  before_hash TEXT NOT NULL,
  after_hash TEXT NOT NULL,
  origin TEXT NOT NULL,
  session_kind TEXT NOT NULL,
  writer TEXT,
  agent TEXT NOT NULL,
  session_id TEXT,
  observed_at TEXT NOT NULL
) STRICT;

CREATE INDEX observed_writes_by_path ON observed_writes (path, after_hash);
CREATE INDEX observed_writes_by_time ON observed_writes (observed_at);
