-- What a curated file was before it was rewritten and what it became, as bytes, so that one command restores
-- it. ``before`` is NULL where there was no file. ``origins`` is JSON: [hash of the line in hex, origin, session
-- kind, writer] of those lines of ``before`` that were not handwritten. ``forgotten`` lines were taken out since.
CREATE TABLE preimages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  file TEXT NOT NULL,
  at TEXT NOT NULL,
  cause TEXT NOT NULL,
  before BLOB,
  after BLOB NOT NULL,
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  forgotten INTEGER NOT NULL DEFAULT 0,
  origins TEXT NOT NULL
) STRICT;

CREATE INDEX preimages_by_file ON preimages (file, id);

-- Rewrites of which a version may lie beside the file, under a name that ``token`` makes. A rewrite is
-- 'begun' before the new version, of this ``inode``, takes the place, 'done' when it has it for certain and
-- 'reverted' when it had to go; its lines were recorded as the spans from ``first_span`` to ``last_span``.
-- ``base`` is what is known of the version aside; ``next_base`` what is once the rewrite ``absorbed_by`` is done,
-- which adds to the file what else is in it.
CREATE TABLE curated_rewrites (
  token TEXT PRIMARY KEY NOT NULL,
  file TEXT NOT NULL,
  at TEXT NOT NULL,
  inode TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'reverted')),
  preimage_id INTEGER,
  first_span INTEGER NOT NULL,
  last_span INTEGER NOT NULL,
  base BLOB,
  next_base BLOB,
  absorbed_by TEXT
) STRICT;
