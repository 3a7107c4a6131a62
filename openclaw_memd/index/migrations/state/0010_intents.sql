-- Standing intents, in the order in which they were made. Instants are UTC in ISO 8601; ``rests_until`` is
-- the end of a cooldown.
CREATE TABLE intents (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'reminder', 'follow_up')),
  description TEXT NOT NULL,
  keywords TEXT NOT NULL,
  semantic INTEGER NOT NULL CHECK (semantic IN (0, 1)),
  scope TEXT NOT NULL CHECK (scope IN ('conversation', 'channel', 'anywhere')),
  sender_scope TEXT NOT NULL CHECK (sender_scope IN ('sender', 'anyone')),
  provider TEXT,
  account TEXT,
  conversation_id TEXT,
  creator_id TEXT,
  creator_is_owner INTEGER NOT NULL CHECK (creator_is_owner IN (0, 1)),
  session_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'armed', 'fired', 'done', 'cancelled', 'expired')),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  max_fires INTEGER CHECK (max_fires > 0),
  fire_count INTEGER NOT NULL CHECK (fire_count >= 0),
  cooldown_s INTEGER NOT NULL CHECK (cooldown_s >= 0),
  last_fired_at TEXT,
  rests_until TEXT,
  at TEXT,
  cron TEXT,
  zone TEXT,
  due_at TEXT
) STRICT;

CREATE INDEX intents_by_agent ON intents (agent, status, number);
CREATE INDEX intents_by_due ON intents (due_at) WHERE due_at IS NOT NULL AND status IN ('pending', 'armed');
CREATE INDEX intents_by_expiry ON intents (expires_at) WHERE status IN ('pending', 'armed', 'fired');

-- The forms of each word of the keywords of open events: a message says a keyword when it has one form of
-- each of its words. Looked up is the anchor, the word of a keyword that the fewest others were anchored by.
CREATE TABLE intent_words (
  intent INTEGER NOT NULL REFERENCES intents (number) ON DELETE CASCADE,
  keyword INTEGER NOT NULL,
  word INTEGER NOT NULL,
  form TEXT NOT NULL,
  PRIMARY KEY (intent, keyword, word, form)
) STRICT, WITHOUT ROWID;

CREATE TABLE intent_anchors (
  form TEXT NOT NULL,
  intent INTEGER NOT NULL REFERENCES intents (number) ON DELETE CASCADE,
  keyword INTEGER NOT NULL,
  words INTEGER NOT NULL,
  PRIMARY KEY (form, intent, keyword)
) STRICT, WITHOUT ROWID;

CREATE INDEX intent_anchors_by_intent ON intent_anchors (intent);

-- Each fire of an event, so that it can be given back.
CREATE TABLE intent_fires (
  token TEXT PRIMARY KEY NOT NULL,
  intent INTEGER NOT NULL REFERENCES intents (number) ON DELETE CASCADE,
  fired_at TEXT NOT NULL,
  rested_since TEXT,
  released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX intent_fires_by_intent ON intent_fires (intent);

-- What the forms of words depend on: with another analysis they are made anew.
CREATE TABLE intent_analysis (identity TEXT NOT NULL) STRICT;
