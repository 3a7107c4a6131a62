-- Entries that the curated files were last seen to hold, as BLAKE2b-16 of their text without annotations.
CREATE TABLE curated_entries (
  file TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  PRIMARY KEY (file, hash)
) STRICT, WITHOUT ROWID;

-- Entries that the owner deleted: they stay deleted until the owner says otherwise.
CREATE TABLE curated_tombstones (
  hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 16),
  file TEXT NOT NULL,
  deleted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
