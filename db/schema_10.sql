-- SPDX-License-Identifier: Apache-2.0
-- Format version 10: what trials teach about problems that nobody tuned is
-- kept beside them. `data` is text (hone-model or hone-chooser in its first
-- line, with its own version), so that a person can read it.

CREATE TABLE model (
    model_id       INTEGER PRIMARY KEY,
    device_id      INTEGER NOT NULL REFERENCES device (device_id),
    op             TEXT NOT NULL CHECK (op <> ''),
    types          TEXT NOT NULL CHECK (types NOT GLOB '*[^0-9,]*'),
    mode           TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    -- time: of any configuration; chooser: of a portfolio's variants
    kind           TEXT NOT NULL CHECK (kind IN ('time', 'chooser')),
    n_trials       INTEGER NOT NULL CHECK (n_trials >= 0),
    n_problems     INTEGER NOT NULL CHECK (n_problems >= 0),
    -- how far it is off where it is asked for a problem that it has not seen:
    -- the standard deviation of log(time), each problem left out once
    error          REAL CHECK (error >= 0),
    trained_unix_s INTEGER NOT NULL,
    hone_version   TEXT NOT NULL,
    size_bytes     INTEGER NOT NULL CHECK (size_bytes >= 0), -- uncompressed
    sha256         TEXT NOT NULL CHECK (length(sha256) = 64), -- of the text
    data           BLOB NOT NULL,                             -- one zstd frame
    UNIQUE (op, device_id, types, mode, kind)
) STRICT;

CREATE VIEW model_v1 AS
SELECT m.op, m.types, m.mode, m.kind, d.name AS device_name,
       d.kind AS device_kind, d.arch, d.sm_count, d.driver_version,
       m.n_trials, m.n_problems, m.error,
       datetime(m.trained_unix_s, 'unixepoch') AS trained_at, m.hone_version,
       m.size_bytes, m.sha256, m.data, m.device_id, m.model_id
  FROM model m
  JOIN device d ON d.device_id = m.device_id;
