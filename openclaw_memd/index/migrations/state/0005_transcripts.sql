-- How far each transcript file was read, and what proves that this part of it is still the same. The session is
-- the one that its records belong to where they name no other.
CREATE TABLE transcripts (
  folder TEXT NOT NULL,
  path TEXT NOT NULL,
  reading TEXT NOT NULL,
  session TEXT,
  facts TEXT,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  fresh INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  head BLOB NOT NULL,
  tail BLOB NOT NULL,
  chain BLOB NOT NULL,
  in_long_line INTEGER NOT NULL,
  left_out TEXT,
  messages INTEGER NOT NULL,
  unattributed INTEGER NOT NULL,
  broken INTEGER NOT NULL,
  too_long INTEGER NOT NULL,
  PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;

-- The sessions that a file's messages went to: nearly always one, and no session comes from two files.
CREATE TABLE transcript_sessions (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (agent, session_id),
  FOREIGN KEY (folder, path) REFERENCES transcripts (folder, path) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX transcript_sessions_by_file ON transcript_sessions (folder, path);
