-- What a look through old notes or sessions brought: the claim as it was met, the candidate that it counts for,
-- and whether one that was there before stands at ``path`` only since then. So nothing is brought twice, and all
-- of it can be taken back.
CREATE TABLE backfilled (
  claim TEXT NOT NULL,
  path TEXT NOT NULL,
  candidate TEXT NOT NULL,
  adds_place INTEGER NOT NULL CHECK (adds_place IN (0, 1)),
  PRIMARY KEY (claim, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX backfilled_by_candidate ON backfilled (candidate, path);
