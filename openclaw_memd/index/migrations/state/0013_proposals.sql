-- What a night would write, for the owner to decide.
CREATE TABLE proposals (
  id TEXT PRIMARY KEY NOT NULL,
  run_id TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT, WITHOUT ROWID;
