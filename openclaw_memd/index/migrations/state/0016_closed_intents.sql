-- Since when an intent is known to be over: it is kept for a while from there, whatever its own times say, so
-- that a clock which runs ahead for some hours takes nothing away for good.
ALTER TABLE intents ADD COLUMN closed_at TEXT;

CREATE INDEX intents_by_closing ON intents (closed_at) WHERE closed_at IS NOT NULL;
