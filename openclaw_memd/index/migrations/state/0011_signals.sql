-- Claims that were of use, by claim and trust. What is known of who is behind one only falls.
CREATE TABLE candidates (
  key TEXT PRIMARY KEY NOT NULL,
  text TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('owner', 'agent', 'system', 'untrusted')),
  session_kind TEXT NOT NULL
    CHECK (session_kind IN ('interactive', 'cron', 'heartbeat', 'subagent', 'unknown')),
  writer TEXT,
  trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
  first_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Where they stand: in a note, or in a part of a session. ``projects`` is JSON.
CREATE TABLE candidate_sources (
  candidate TEXT NOT NULL REFERENCES candidates (key) ON DELETE CASCADE,
  path TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  is_session INTEGER NOT NULL CHECK (is_session IN (0, 1)),
  noted_on TEXT,
  supersedes_key TEXT,
  projects TEXT NOT NULL,
  first_at TEXT NOT NULL,
  PRIMARY KEY (candidate, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX candidate_sources_by_path ON candidate_sources (path);

-- Once for each claim, question, session and local day. A question is a hash: what was asked is not kept.
CREATE TABLE signals (
  candidate TEXT NOT NULL REFERENCES candidates (key) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('recall', 'daily', 'grounded', 'said')),
  question BLOB NOT NULL CHECK (length(question) = 12),
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  day TEXT NOT NULL,
  score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
  at TEXT NOT NULL,
  PRIMARY KEY (candidate, kind, question, agent, session_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX signals_by_session ON signals (agent, session_id);

CREATE TABLE phase_signals (
  candidate TEXT PRIMARY KEY NOT NULL REFERENCES candidates (key) ON DELETE CASCADE,
  light_hits INTEGER NOT NULL DEFAULT 0,
  rem_hits INTEGER NOT NULL DEFAULT 0,
  last_light_at TEXT,
  last_rem_at TEXT,
  considered_at TEXT
) STRICT, WITHOUT ROWID;

-- What became of claims; a candidate may go meanwhile and come again.
CREATE TABLE candidate_verdicts (
  key TEXT PRIMARY KEY NOT NULL,
  promoted_at TEXT,
  rejected_at TEXT
) STRICT, WITHOUT ROWID;

-- How far what was said is read: so many lines of a part, of which ``proof`` is a hash. ``stamp`` is that of a
-- part which is read to its end.
CREATE TABLE session_cursors (
  path TEXT PRIMARY KEY NOT NULL,
  lines INTEGER NOT NULL,
  proof BLOB NOT NULL CHECK (length(proof) = 16),
  stamp TEXT
) STRICT, WITHOUT ROWID;
