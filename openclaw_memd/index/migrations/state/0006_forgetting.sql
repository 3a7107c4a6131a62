-- Sessions that were forgotten: whatever comes of them again is left out.
CREATE TABLE session_tombstones (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  forgotten_at TEXT NOT NULL,
  PRIMARY KEY (agent, session_id)
) STRICT, WITHOUT ROWID;
