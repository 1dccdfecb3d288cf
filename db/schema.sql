-- SPDX-License-Identifier: Apache-2.0
-- The tuning database, format version 1. FORMAT.md explains every table and
-- says which names are a promise. This file is built into the program and is
-- never changed once released: later formats are steps after it
-- (db_open.c).

-- ---- what is measured -----------------------------------------------------

CREATE TABLE device (
    device_id      INTEGER PRIMARY KEY,
    fingerprint    TEXT NOT NULL UNIQUE CHECK (length(fingerprint) = 64),
    kind           TEXT NOT NULL CHECK (kind IN ('cuda', 'cpu', 'replay')),
    name           TEXT NOT NULL,
    arch           TEXT NOT NULL CHECK (arch <> ''),
    sm_count       INTEGER NOT NULL CHECK (sm_count > 0),
    memory_bytes   INTEGER NOT NULL CHECK (memory_bytes >= 0),
    l2_bytes       INTEGER NOT NULL CHECK (l2_bytes >= 0),
    driver_version TEXT NOT NULL,
    facts          TEXT NOT NULL CHECK (facts GLOB '{*}')
) STRICT;

-- Bytes that rows refer to by the SHA-256 of their content, each stored once.
CREATE TABLE artifact (
    sha256     TEXT PRIMARY KEY NOT NULL CHECK (length(sha256) = 64),
    kind       TEXT NOT NULL
               CHECK (kind IN ('cubin', 'log', 'source', 'samples')),
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0), -- uncompressed
    data       BLOB NOT NULL                             -- one zstd frame
) STRICT;

CREATE TABLE template (
    template_id      INTEGER PRIMARY KEY,
    op               TEXT NOT NULL CHECK (op <> ''),
    name             TEXT NOT NULL CHECK (name <> ''),
    sha256           TEXT NOT NULL CHECK (length(sha256) = 64),
    source_sha256    TEXT NOT NULL REFERENCES artifact (sha256),
    last_put_unix_ns INTEGER NOT NULL,
    UNIQUE (op, name, sha256)
) STRICT;
CREATE INDEX template_by_source ON template (source_sha256);

CREATE TABLE problem (
    problem_id INTEGER PRIMARY KEY,
    op         TEXT NOT NULL CHECK (op <> ''),
    dims       TEXT NOT NULL CHECK (dims NOT GLOB '*[^0-9,]*'),
    label      TEXT NOT NULL,
    UNIQUE (op, dims)
) STRICT;

CREATE TABLE toolchain (
    toolchain_id INTEGER PRIMARY KEY,
    name         TEXT NOT NULL CHECK (name <> ''),
    version      TEXT NOT NULL CHECK (version <> ''),
    UNIQUE (name, version)
) STRICT;

-- One configuration compiled for one architecture by one compiler.
CREATE TABLE variant (
    variant_id          INTEGER PRIMARY KEY,
    template_id         INTEGER NOT NULL REFERENCES template (template_id),
    toolchain_id        INTEGER NOT NULL REFERENCES toolchain (toolchain_id),
    config              TEXT NOT NULL,
    types               TEXT NOT NULL CHECK (types NOT GLOB '*[^0-9,]*'),
    arch                TEXT NOT NULL CHECK (arch <> ''),
    options             TEXT NOT NULL,
    compile_key         TEXT CHECK (length(compile_key) = 64),
    outcome             TEXT NOT NULL
                        CHECK (outcome IN ('ok', 'constraint', 'compile',
                                           'limits', 'fault', 'timeout')),
    registers           INTEGER CHECK (registers >= 0),
    spill_bytes         INTEGER CHECK (spill_bytes >= 0),
    static_shared_bytes INTEGER CHECK (static_shared_bytes >= 0),
    compile_time_ns     INTEGER CHECK (compile_time_ns >= 0),
    cubin_sha256        TEXT REFERENCES artifact (sha256),
    log_sha256          TEXT REFERENCES artifact (sha256),
    launch_plan         TEXT NOT NULL,
    is_default          INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    UNIQUE (template_id, toolchain_id, config, types, arch, options)
) STRICT;
CREATE INDEX variant_by_toolchain ON variant (toolchain_id);
CREATE INDEX variant_by_cubin ON variant (cubin_sha256);
CREATE INDEX variant_by_log ON variant (log_sha256);
CREATE INDEX variant_default ON variant (template_id) WHERE is_default = 1;

-- ---- measurements ---------------------------------------------------------

-- One `hone tune` of one problem; what all its trials have in common.
CREATE TABLE session (
    session_id      INTEGER PRIMARY KEY,
    device_id       INTEGER NOT NULL REFERENCES device (device_id),
    problem_id      INTEGER NOT NULL REFERENCES problem (problem_id),
    template_id     INTEGER NOT NULL REFERENCES template (template_id),
    mode            TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    strategy        TEXT NOT NULL,
    seed            INTEGER NOT NULL,
    budget          TEXT NOT NULL,
    status          TEXT NOT NULL
                    CHECK (status IN ('running', 'done', 'interrupted')),
    started_unix_s  INTEGER NOT NULL,
    finished_unix_s INTEGER,
    hone_version    TEXT NOT NULL
) STRICT;
CREATE INDEX session_by_work
    ON session (problem_id, device_id, mode, template_id);
CREATE INDEX session_by_device ON session (device_id);
CREATE INDEX session_by_template ON session (template_id);

-- One variant measured once, whatever became of it.
CREATE TABLE trial (
    trial_id            INTEGER PRIMARY KEY,
    session_id          INTEGER NOT NULL REFERENCES session (session_id),
    variant_id          INTEGER NOT NULL REFERENCES variant (variant_id),
    outcome             TEXT NOT NULL
                        CHECK (outcome IN ('ok', 'constraint', 'compile',
                                           'limits', 'launch', 'fault',
                                           'timeout', 'wrong', 'unstable')),
    message             TEXT,
    time_ns             REAL CHECK (time_ns > 0),
    spread_ns           REAL CHECK (spread_ns >= 0),
    n_samples           INTEGER NOT NULL CHECK (n_samples >= 0),
    samples_ns          TEXT CHECK (samples_ns GLOB '[[]*]'),
    launches_per_sample INTEGER CHECK (launches_per_sample > 0),
    error_ratio         REAL CHECK (error_ratio >= 0),
    verified            INTEGER NOT NULL CHECK (verified IN (0, 1)),
    sm_clock_mhz        INTEGER,
    power_mw            INTEGER,
    temperature_c       INTEGER,
    throttle_reasons    INTEGER,
    started_unix_ns     INTEGER NOT NULL,
    gpu_time_ns         INTEGER NOT NULL CHECK (gpu_time_ns >= 0),
    -- A zero or missing time must never look like a fast kernel.
    CHECK (outcome <> 'ok' OR time_ns IS NOT NULL)
) STRICT;
CREATE INDEX trial_by_session ON trial (session_id);
CREATE INDEX trial_by_variant ON trial (variant_id);

-- A baseline's time, measured in the same session as our variants.
CREATE TABLE baseline (
    baseline_id INTEGER PRIMARY KEY,
    session_id  INTEGER NOT NULL REFERENCES session (session_id),
    name        TEXT NOT NULL CHECK (name <> ''),
    label       TEXT NOT NULL,
    choice      INTEGER NOT NULL,
    n_choices   INTEGER NOT NULL,
    time_ns     REAL CHECK (time_ns > 0),
    spread_ns   REAL CHECK (spread_ns >= 0),
    n_samples   INTEGER NOT NULL CHECK (n_samples >= 0),
    error_ratio REAL CHECK (error_ratio >= 0),
    message     TEXT,
    UNIQUE (session_id, name)
) STRICT;

-- The best of a problem on a device in a mode; rank 1 is the winner.
CREATE TABLE ranking (
    problem_id     INTEGER NOT NULL REFERENCES problem (problem_id),
    device_id      INTEGER NOT NULL REFERENCES device (device_id),
    mode           TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    rank           INTEGER NOT NULL CHECK (rank >= 1),
    trial_id       INTEGER NOT NULL REFERENCES trial (trial_id),
    session_id     INTEGER NOT NULL REFERENCES session (session_id),
    time_ns        REAL NOT NULL CHECK (time_ns > 0),
    ci_low_ns      REAL,
    ci_high_ns     REAL,
    decided_by     TEXT NOT NULL,
    ranked_unix_s  INTEGER NOT NULL,
    PRIMARY KEY (problem_id, device_id, mode, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX ranking_by_device ON ranking (device_id);
CREATE INDEX ranking_by_trial ON ranking (trial_id);
CREATE INDEX ranking_by_session ON ranking (session_id);

-- ---- views: the supported interface -----------------------------------------

-- One row per problem, device and mode: what the runtime launches.
CREATE VIEW winner_v1 AS
SELECT p.op, p.dims, p.label, r.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.memory_bytes, d.l2_bytes, d.driver_version,
       v.config, v.types, r.time_ns, r.ci_low_ns, r.ci_high_ns,
       (SELECT dt.time_ns
          FROM session ds
          JOIN trial dt ON dt.session_id = ds.session_id
          JOIN variant dv ON dv.variant_id = dt.variant_id
         WHERE ds.problem_id = r.problem_id AND ds.device_id = r.device_id
           AND ds.mode = r.mode AND dv.template_id = v.template_id
           AND dv.is_default = 1 AND dt.outcome = 'ok'
         ORDER BY dt.trial_id DESC LIMIT 1) AS default_time_ns,
       r.decided_by, v.is_default, v.registers, v.spill_bytes,
       v.static_shared_bytes, t.error_ratio, t.verified,
       k.name AS template_name, k.sha256 AS template_sha256,
       NOT EXISTS (SELECT 1 FROM template newer
                    WHERE newer.op = k.op AND newer.name = k.name
                      AND newer.last_put_unix_ns > k.last_put_unix_ns)
           AS template_is_latest,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options,
       strftime('%Y-%m-%d %H:%M:%S', r.ranked_unix_s, 'unixepoch')
           AS tuned_at,
       r.problem_id, r.device_id, r.session_id, r.trial_id, t.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin
  FROM problem p
  JOIN ranking r ON r.problem_id = p.problem_id AND r.rank = 1
  JOIN device d ON d.device_id = r.device_id
  JOIN trial t ON t.trial_id = r.trial_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  LEFT JOIN artifact a ON a.sha256 = v.cubin_sha256;

-- One row per op, architecture and types: the default variant of the latest
-- template, for shapes that nobody has tuned.
CREATE VIEW default_v1 AS
SELECT b.op, b.arch, b.types, v.config, v.registers, v.spill_bytes,
       v.static_shared_bytes,
       k.name AS template_name, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, v.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin
  FROM (SELECT op, arch, types, variant_id,
               row_number() OVER (
                   PARTITION BY op, arch, types
                   ORDER BY last_put_unix_ns DESC, template_id DESC,
                            toolchain_id DESC, variant_id DESC) AS place
          FROM (SELECT bk.op, bv.types, bv.variant_id, bv.template_id,
                       bv.toolchain_id, bk.last_put_unix_ns,
                       CASE WHEN bv.arch GLOB 'sm_*'
                            THEN rtrim(bv.arch, 'af')
                            ELSE bv.arch END AS arch
                  FROM variant bv
                  JOIN template bk ON bk.template_id = bv.template_id
                 WHERE bv.is_default = 1 AND bv.outcome = 'ok'
                   AND bv.cubin_sha256 IS NOT NULL)) b
  JOIN variant v ON v.variant_id = b.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  JOIN artifact a ON a.sha256 = v.cubin_sha256
 WHERE b.place = 1;

-- One row per trial, everything beside it.
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
       v.compile_key, v.cubin_sha256, v.log_sha256, t.samples_ns
  FROM trial t
  JOIN session s ON s.session_id = t.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id;

-- The last measurement of every baseline per problem, device and mode.
CREATE VIEW baseline_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       b.name, b.label AS baseline_label, b.choice, b.n_choices, b.time_ns,
       b.spread_ns, b.n_samples, b.error_ratio, b.message,
       s.problem_id, s.device_id, b.session_id, b.baseline_id
  FROM (SELECT max(lb.baseline_id) AS baseline_id
          FROM baseline lb
          JOIN session ls ON ls.session_id = lb.session_id
         GROUP BY ls.problem_id, ls.device_id, ls.mode, lb.name) last
  JOIN baseline b ON b.baseline_id = last.baseline_id
  JOIN session s ON s.session_id = b.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id;

-- What is tuned for which device: one row per op, device and mode.
CREATE VIEW coverage_v1 AS
SELECT p.op, d.name AS device_name, d.kind AS device_kind, d.arch,
       d.sm_count, d.driver_version, s.mode,
       count(DISTINCT s.problem_id) AS n_problems,
       (SELECT count(*) FROM ranking r
          JOIN problem rp ON rp.problem_id = r.problem_id
         WHERE r.rank = 1 AND r.device_id = s.device_id
           AND r.mode = s.mode AND rp.op = p.op) AS n_winners,
       count(t.trial_id) AS n_trials,
       count(CASE WHEN t.outcome = 'ok' THEN 1 END) AS n_ok,
       strftime('%Y-%m-%d %H:%M:%S', max(s.started_unix_s), 'unixepoch')
           AS last_tuned_at,
       s.device_id
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  LEFT JOIN trial t ON t.session_id = s.session_id
 GROUP BY p.op, s.device_id, s.mode;
