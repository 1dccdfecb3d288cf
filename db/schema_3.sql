-- SPDX-License-Identifier: Apache-2.0
-- From format version 2 to 3: why a session tried no more, and decisions of
-- kinds that later hones think of (seeded, stopped and others). A CHECK cannot
-- be changed in place, so the table is made again with its rows. As
-- schema.sql, this file is never changed once released.

ALTER TABLE session ADD COLUMN stopped TEXT CHECK (stopped <> '');

DROP VIEW decision_v1;
DROP VIEW session_v1;

-- The kinds are listed in FORMAT.md, which grows without a new version.
CREATE TABLE decision_3 (
    decision_id      INTEGER PRIMARY KEY,
    session_id       INTEGER NOT NULL REFERENCES session (session_id),
    trial_id         INTEGER REFERENCES trial (trial_id),
    variant_id       INTEGER REFERENCES variant (variant_id),
    against_trial_id INTEGER REFERENCES trial (trial_id),
    kind             TEXT NOT NULL
                     CHECK (kind <> '' AND kind NOT GLOB '*[^a-z_]*'),
    ratio            REAL CHECK (ratio > 0),
    ratio_low        REAL CHECK (ratio_low > 0),
    ratio_high       REAL CHECK (ratio_high > 0),
    n_samples        INTEGER NOT NULL CHECK (n_samples >= 0),
    text             TEXT NOT NULL CHECK (text <> ''),
    at_unix_ns       INTEGER NOT NULL
) STRICT;
INSERT INTO decision_3
SELECT decision_id, session_id, trial_id, variant_id, against_trial_id, kind,
       ratio, ratio_low, ratio_high, n_samples, text, at_unix_ns
  FROM decision;
DROP TABLE decision;
ALTER TABLE decision_3 RENAME TO decision;
CREATE INDEX decision_by_session ON decision (session_id);
CREATE INDEX decision_by_trial ON decision (trial_id);
CREATE INDEX decision_by_variant ON decision (variant_id);
CREATE INDEX decision_by_against ON decision (against_trial_id);

-- ---- views -----------------------------------------------------------------

-- As in version 2, with one column at the end.
CREATE VIEW session_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       k.name AS template_name, k.sha256 AS template_sha256,
       s.strategy, s.seed, s.budget, s.status, s.verdict, s.noise_floor,
       s.event_floor_ns, s.warm_up_ns, s.gpu_busy_ns, s.gpu_wall_ns,
       (SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)
           AS n_trials,
       strftime('%Y-%m-%d %H:%M:%S', s.started_unix_s, 'unixepoch')
           AS started_at,
       s.finished_unix_s - s.started_unix_s AS duration_s, s.hone_version,
       s.problem_id, s.device_id, s.session_id, s.stopped
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN template k ON k.template_id = s.template_id;

-- As in version 2.
CREATE VIEW decision_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version, e.session_id,
       strftime('%Y-%m-%d %H:%M:%f', e.at_unix_ns / 1e9, 'unixepoch') AS at,
       e.kind, v.config, bv.config AS against_config,
       e.ratio, e.ratio_low, e.ratio_high, e.n_samples, e.text, e.at_unix_ns,
       s.problem_id, s.device_id, e.trial_id, e.variant_id,
       e.against_trial_id, e.decision_id
  FROM decision e
  JOIN session s ON s.session_id = e.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  LEFT JOIN variant v ON v.variant_id = e.variant_id
  LEFT JOIN trial bt ON bt.trial_id = e.against_trial_id
  LEFT JOIN variant bv ON bv.variant_id = bt.variant_id;
