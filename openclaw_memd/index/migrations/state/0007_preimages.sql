-- What a curated file was before it was rewritten: the bytes, so that one command restores them.
CREATE TABLE preimages (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  at TEXT NOT NULL,
  cause TEXT NOT NULL,
  made_from BLOB NOT NULL CHECK (length(made_from) = 32),
  becomes BLOB NOT NULL CHECK (length(becomes) = 32),
  content BLOB NOT NULL,
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL
) STRICT;

CREATE INDEX preimages_by_file ON preimages (file, id);
