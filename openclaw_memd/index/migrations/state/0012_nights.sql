-- Sweeps of dreaming: what was to be done, what came of it. ``alive_at`` says that one still runs. ``phases``
-- is a JSON list, ``report`` JSON; no text of a memory is in it.
CREATE TABLE dream_runs (
  id TEXT PRIMARY KEY NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('schedule', 'call')),
  local_date TEXT NOT NULL,
  phases TEXT NOT NULL,
  started_at TEXT NOT NULL,
  alive_at TEXT NOT NULL,
  ended_at TEXT,
  outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled', 'interrupted', 'stood_back')),
  report TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX dream_runs_by_start ON dream_runs (started_at);

-- Which run of the schedule has a phase of a local date, so that no date has two.
CREATE TABLE dream_dates (
  phase TEXT NOT NULL CHECK (phase IN ('light', 'rem', 'deep')),
  local_date TEXT NOT NULL,
  run_id TEXT NOT NULL,
  done INTEGER NOT NULL CHECK (done IN (0, 1)),
  PRIMARY KEY (phase, local_date)
) STRICT, WITHOUT ROWID;

-- Since when each phase has a schedule: what lies before was never missed.
CREATE TABLE dream_schedule (
  phase TEXT PRIMARY KEY NOT NULL,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
