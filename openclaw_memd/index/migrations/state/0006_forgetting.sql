-- What was forgotten is known by names and hashes alone, so that nothing brings it back. Sessions here are
-- forgotten for good: whatever comes of them again is left out.
CREATE TABLE session_tombstones (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  forgotten_at TEXT NOT NULL,
  PRIMARY KEY (agent, session_id)
) STRICT, WITHOUT ROWID;

-- Who wrote in them, as BLAKE2b-16: whoever is to be forgotten is to be forgotten in all of them.
CREATE TABLE participant_tombstones (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  participant BLOB NOT NULL CHECK (length(participant) = 16),
  PRIMARY KEY (agent, participant, session_id)
) STRICT, WITHOUT ROWID;

-- Single messages, as BLAKE2b-16 of their agent, session and id: a transcript may be read anew.
CREATE TABLE message_tombstones (
  message BLOB PRIMARY KEY NOT NULL CHECK (length(message) = 16)
) STRICT, WITHOUT ROWID;

-- Lines of files. The rows come before the lines go, so that records of them are found after any failure.
CREATE TABLE line_tombstones (
  path TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  forgotten_at TEXT NOT NULL,
  PRIMARY KEY (path, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX line_tombstones_by_hash ON line_tombstones (hash);

-- Files that are being rewritten: SHA-256 of the old and of the new bytes, and the size of the old. The old
-- version may lie beside the file as long as the row is here.
CREATE TABLE rewrites (
  path TEXT PRIMARY KEY NOT NULL,
  made_from BLOB NOT NULL CHECK (length(made_from) = 32),
  size INTEGER NOT NULL,
  becomes BLOB NOT NULL
) STRICT, WITHOUT ROWID;
