-- What the index was built with. One row, written in the transaction that makes the tables.
CREATE TABLE identity (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  chunking INTEGER NOT NULL,
  analysis TEXT NOT NULL,
  chunk_tokens INTEGER NOT NULL,
  chunk_overlap INTEGER NOT NULL
) STRICT;

-- Both numbers only grow, also from one built index to the next, so that an id never means two things.
CREATE TABLE progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL,
  next_chunk_id INTEGER NOT NULL
) STRICT;

INSERT INTO progress VALUES (1, 0, 1);

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  tier TEXT NOT NULL,
  root TEXT NOT NULL,
  relative TEXT NOT NULL,
  evergreen INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  hash BLOB NOT NULL,
  fresh INTEGER NOT NULL,
  chunks INTEGER NOT NULL
) STRICT;

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id),
  ordinal INTEGER NOT NULL,
  trust TEXT NOT NULL,
  origin TEXT NOT NULL,
  session_kind TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  text TEXT NOT NULL,
  terms TEXT NOT NULL,
  context TEXT NOT NULL,
  text_hash BLOB NOT NULL,
  heading TEXT NOT NULL,
  observed_on TEXT,
  dated INTEGER NOT NULL,
  importance INTEGER,
  triggers TEXT NOT NULL,
  projects TEXT NOT NULL,
  project_valid INTEGER NOT NULL,
  supersedes_key TEXT,
  expires_on TEXT,
  status TEXT
) STRICT;

CREATE INDEX chunks_by_file ON chunks (file_id, ordinal);
CREATE INDEX chunks_by_text ON chunks (text_hash);

CREATE TABLE tiers (
  trust TEXT PRIMARY KEY,
  chunks INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO tiers VALUES ('curated', 0), ('episodic', 0), ('untrusted', 0);

-- One full-text table for each trust tier: BM25 weighs a term by the whole table it is in. The tokenizer
-- splits at blanks alone, because the text was analysed before it came here.
CREATE VIEW curated_chunks AS SELECT id, terms, context FROM chunks WHERE trust = 'curated';
CREATE VIEW episodic_chunks AS SELECT id, terms, context FROM chunks WHERE trust = 'episodic';
CREATE VIEW untrusted_chunks AS SELECT id, terms, context FROM chunks WHERE trust = 'untrusted';

CREATE VIRTUAL TABLE curated_text USING fts5 (
  terms, context, content = 'curated_chunks', content_rowid = 'id',
  tokenize = 'ascii tokenchars ''!"#$%&''''()*+,-./:;<=>?@[\]^_`{|}~'''
);
CREATE VIRTUAL TABLE episodic_text USING fts5 (
  terms, context, content = 'episodic_chunks', content_rowid = 'id',
  tokenize = 'ascii tokenchars ''!"#$%&''''()*+,-./:;<=>?@[\]^_`{|}~'''
);
CREATE VIRTUAL TABLE untrusted_text USING fts5 (
  terms, context, content = 'untrusted_chunks', content_rowid = 'id',
  tokenize = 'ascii tokenchars ''!"#$%&''''()*+,-./:;<=>?@[\]^_`{|}~'''
);

INSERT INTO curated_text (curated_text, rank) VALUES ('secure-delete', 1);
INSERT INTO episodic_text (episodic_text, rank) VALUES ('secure-delete', 1);
INSERT INTO untrusted_text (untrusted_text, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE curated_terms USING fts5vocab (curated_text, row);
CREATE VIRTUAL TABLE episodic_terms USING fts5vocab (episodic_text, row);
CREATE VIRTUAL TABLE untrusted_terms USING fts5vocab (untrusted_text, row);
