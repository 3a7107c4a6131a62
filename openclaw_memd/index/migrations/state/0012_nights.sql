-- Runs of dreaming: one for each phase.
CREATE TABLE dream_runs (
  id TEXT PRIMARY KEY NOT NULL,
  local_date TEXT NOT NULL,
  phase TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  outcome TEXT,
  report TEXT
) STRICT, WITHOUT ROWID;
