-- Which workspace this ledger belongs to.
CREATE TABLE workspace (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  workspace_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
