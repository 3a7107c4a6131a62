-- One row a session. The turn is what later messages depend on; numbers of messages count from 1.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  parent TEXT,
  kind TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('rpc', 'folder')),
  created_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  ended_at TEXT,
  turn_origin TEXT NOT NULL,
  turn_tainted INTEGER NOT NULL,
  turn_set_aside TEXT,
  turn_asker TEXT,
  turn_at TEXT,
  last_seq INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  cycle_origin TEXT,
  flushed_through INTEGER NOT NULL,
  captured_through INTEGER NOT NULL,
  open_part INTEGER NOT NULL,
  first_part INTEGER NOT NULL,
  excluded TEXT,
  UNIQUE (agent, session_id)
) STRICT;

-- The contexts that a session's messages came in: nearly always one.
CREATE TABLE session_places (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  provider TEXT,
  account TEXT,
  conversation TEXT,
  chat_type TEXT NOT NULL,
  project_key TEXT,
  writer TEXT
) STRICT;

CREATE INDEX session_places_by_session ON session_places (session);

-- Every message that came, so that none counts twice. One that is left out has a reason and no text. For an
-- answer, the sender is whom it answers.
CREATE TABLE session_messages (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  role TEXT NOT NULL,
  kind TEXT NOT NULL,
  origin TEXT NOT NULL,
  at TEXT NOT NULL,
  place INTEGER NOT NULL,
  sender TEXT,
  skipped TEXT,
  PRIMARY KEY (session, seq),
  UNIQUE (session, id)
) STRICT, WITHOUT ROWID;

-- What is kept of them. A long one is in several pieces. A part is one document of the index.
CREATE TABLE session_texts (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE INDEX session_texts_by_part ON session_texts (session, part);

CREATE TABLE session_parts (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (session, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE session_exclusions (
  session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (session, reason)
) STRICT, WITHOUT ROWID;

-- Up to when network content was in the turn of some session, for turns that are over and sessions that are
-- gone; and when the last look at every file began that tells something about that.
CREATE TABLE taint (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tainted_until TEXT,
  looked_at TEXT
) STRICT;

INSERT INTO taint (id) VALUES (1);
