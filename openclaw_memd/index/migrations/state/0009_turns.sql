-- What inject.turn answered: the same turn of a session gets the same answer and consumes nothing again.
CREATE TABLE turn_answers (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  answered_at TEXT NOT NULL,
  answer TEXT NOT NULL,
  PRIMARY KEY (agent, session_id, turn_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_answers_by_age ON turn_answers (answered_at);
