-- What was said in sessions has a full-text table of its own: it is many times what people note, and would
-- decide which words count as rare among notes.
INSERT INTO tiers VALUES ('session', 0);

CREATE VIEW session_chunks AS SELECT id, terms, context FROM chunks WHERE trust = 'session';

CREATE VIRTUAL TABLE session_text USING fts5 (
  terms, context, content = 'session_chunks', content_rowid = 'id',
  tokenize = 'ascii tokenchars ''!"#$%&''''()*+,-./:;<=>?@[\]^_`{|}~'''
);

INSERT INTO session_text (session_text, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE session_terms USING fts5vocab (session_text, row);
