-- SPDX-License-Identifier: Apache-2.0
-- From format version 1 to 2: how every trial was timed, what a session found
-- out about its device, and every decision with its reason. As schema.sql,
-- this file is never changed once released. Columns are added, never moved or
-- dropped, so that a hone that has version 1 open goes on working.

-- Codes of compiler warnings that make a kernel slow: 'C7510,C7515'.
ALTER TABLE variant ADD COLUMN compiler_warnings TEXT NOT NULL DEFAULT '';

ALTER TABLE trial ADD COLUMN timing TEXT
    CHECK (timing IN ('graph', 'event', 'host'));
ALTER TABLE trial ADD COLUMN n_discarded INTEGER CHECK (n_discarded >= 0);
ALTER TABLE trial ADD COLUMN sample_time_ns INTEGER
    CHECK (sample_time_ns >= 0);

ALTER TABLE session ADD COLUMN event_floor_ns REAL
    CHECK (event_floor_ns >= 0);
ALTER TABLE session ADD COLUMN noise_floor REAL CHECK (noise_floor >= 0);
ALTER TABLE session ADD COLUMN warm_up_ns INTEGER CHECK (warm_up_ns >= 0);
ALTER TABLE session ADD COLUMN gpu_busy_ns INTEGER CHECK (gpu_busy_ns >= 0);
ALTER TABLE session ADD COLUMN gpu_wall_ns INTEGER CHECK (gpu_wall_ns >= 0);
ALTER TABLE session ADD COLUMN verdict TEXT
    CHECK (verdict IN ('decided', 'tied', 'too_noisy', 'only_one'));

-- One step of the way to a session's result, and why it was taken.
CREATE TABLE decision (
    decision_id      INTEGER PRIMARY KEY,
    session_id       INTEGER NOT NULL REFERENCES session (session_id),
    trial_id         INTEGER REFERENCES trial (trial_id),
    variant_id       INTEGER REFERENCES variant (variant_id),
    against_trial_id INTEGER REFERENCES trial (trial_id),
    kind             TEXT NOT NULL
                     CHECK (kind IN ('gated', 'deferred', 'screened',
                                     'contender', 'incumbent', 'finalist',
                                     'refuted', 'dropped', 'tied', 'winner',
                                     'too_noisy', 'alarm', 'discarded',
                                     'retried')),
    ratio            REAL CHECK (ratio > 0),
    ratio_low        REAL CHECK (ratio_low > 0),
    ratio_high       REAL CHECK (ratio_high > 0),
    n_samples        INTEGER NOT NULL CHECK (n_samples >= 0),
    text             TEXT NOT NULL CHECK (text <> ''),
    at_unix_ns       INTEGER NOT NULL
) STRICT;
CREATE INDEX decision_by_session ON decision (session_id);
CREATE INDEX decision_by_trial ON decision (trial_id);
CREATE INDEX decision_by_variant ON decision (variant_id);
CREATE INDEX decision_by_against ON decision (against_trial_id);

-- ---- views -----------------------------------------------------------------

-- As in version 1, with four columns at the end.
DROP VIEW trial_v1;
CREATE VIEW trial_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       v.config, v.types, t.outcome, t.message, t.time_ns, t.spread_ns,
       t.n_samples, t.launches_per_sample, t.error_ratio, t.verified,
       t.sm_clock_mhz, t.power_mw, t.temperature_c, t.throttle_reasons,
       v.is_default, v.registers, v.spill_bytes, v.static_shared_bytes,
       v.compile_time_ns, t.gpu_time_ns,
       strftime('%Y-%m-%d %H:%M:%f', t.started_unix_ns / 1e9, 'unixepoch')
           AS started_at,
       t.started_unix_ns,
       k.name AS template_name, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, s.strategy, s.seed, s.hone_version,
       s.problem_id, s.device_id, t.session_id, t.trial_id, t.variant_id,
       v.compile_key, v.cubin_sha256, v.log_sha256, t.samples_ns,
       t.timing, t.n_discarded, t.sample_time_ns, v.compiler_warnings
  FROM trial t
  JOIN session s ON s.session_id = t.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id;

-- One row per session: what was asked for, what came of it, what it cost.
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
       s.problem_id, s.device_id, s.session_id
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN template k ON k.template_id = s.template_id;

-- One row per decision, with the configurations it was about.
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
