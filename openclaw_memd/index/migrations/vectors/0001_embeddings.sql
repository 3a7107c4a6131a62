-- Vectors by text and model. They are kept apart from the index, so that a new index embeds nothing again.

CREATE TABLE models (
    model         TEXT PRIMARY KEY NOT NULL,
    dims          INTEGER NOT NULL CHECK (dims > 0),
    floor         REAL,
    ceiling       REAL,
    weight        REAL,
    measured_at   REAL,          -- seconds since 1970, UTC
    last_used_at  REAL NOT NULL  -- the same
) WITHOUT ROWID;

CREATE TABLE embeddings (
    text_hash   BLOB NOT NULL,
    model       TEXT NOT NULL,
    created_at  REAL NOT NULL,   -- seconds since 1970, UTC
    vector      BLOB NOT NULL CHECK (length(vector) % 4 = 0),  -- float32, little-endian, of norm 1
    PRIMARY KEY (text_hash, model)
);

-- One int8 vector for each line of a chunk; see line_vectors.py for the layout.
CREATE TABLE line_embeddings (
    text_hash  BLOB NOT NULL,
    model      TEXT NOT NULL,
    vectors    BLOB NOT NULL,
    PRIMARY KEY (text_hash, model)
);
