-- What the curated files were last seen to hold. ``hash`` is BLAKE2b-16 of what an entry says, ``subject`` that
-- of its key and scope; ``words``, ``decisive`` and ``shingles`` are as in ``sketches``.
CREATE TABLE curated_entries (
  file TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  subject BLOB CHECK (length(subject) = 16),
  words INTEGER NOT NULL,
  decisive BLOB NOT NULL,
  shingles BLOB NOT NULL,
  PRIMARY KEY (file, hash)
) STRICT, WITHOUT ROWID;

-- Up to which pre-image that takes account of what memd itself did.
CREATE TABLE curated_looks (
  file TEXT PRIMARY KEY NOT NULL,
  preimage_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Entries that somebody deleted by hand: they stay deleted until the owner says otherwise.
CREATE TABLE curated_tombstones (
  hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 16),
  words INTEGER NOT NULL,
  decisive BLOB NOT NULL,
  shingles BLOB NOT NULL,
  deleted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX curated_tombstones_by_words ON curated_tombstones (decisive);
