-- SPDX-License-Identifier: Apache-2.0
-- A database of format version 1 with one small tuning run, as hone wrote it
-- before there was version 2 (`sqlite3 old.db .dump`): what the tests of the
-- migration start from. Never changes.
PRAGMA journal_mode = WAL;
PRAGMA application_id = 0x686f6e65;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO device VALUES(1,'315a75e67cc4550da40642915372372059c93afa51d95b674f3ea2be5b0bf53d','cuda','NVIDIA H200','sm_90',132,150109880320,62914560,'13000','{"sm":90,"smem_optin":232448}');
CREATE TABLE artifact (
    sha256     TEXT PRIMARY KEY NOT NULL CHECK (length(sha256) = 64),
    kind       TEXT NOT NULL
               CHECK (kind IN ('cubin', 'log', 'source', 'samples')),
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0), -- uncompressed
    data       BLOB NOT NULL                             -- one zstd frame
) STRICT;
INSERT INTO artifact VALUES('cf0a9752f47dcaeb50fa4d46c9a8874ac9ad549521357f4491ef97489428363d','source',22,X'28b52ffd2016b100005f5f676c6f62616c5f5f20766f6964206b2829207b7d');
INSERT INTO artifact VALUES('19cfd9d1f2201a01246c5425719b464564a6230340f41573c0ceefb82c0fba31','cubin',5,X'28b52ffd2005290000424d3d3634');
INSERT INTO artifact VALUES('6c0a3970efac25ec88dccdd0e7f71b37697bf95abb337f2aa049bfe88d0c0f0b','cubin',6,X'28b52ffd2006310000424d3d313238');
INSERT INTO artifact VALUES('ad6da9dfb3ffefd5ab234e70a473d9f7773c58ff074503b171c292bfd12e67d0','log',6,X'28b52ffd2006310000424d3d323536');
CREATE TABLE template (
    template_id      INTEGER PRIMARY KEY,
    op               TEXT NOT NULL CHECK (op <> ''),
    name             TEXT NOT NULL CHECK (name <> ''),
    sha256           TEXT NOT NULL CHECK (length(sha256) = 64),
    source_sha256    TEXT NOT NULL REFERENCES artifact (sha256),
    last_put_unix_ns INTEGER NOT NULL,
    UNIQUE (op, name, sha256)
) STRICT;
INSERT INTO template VALUES(1,'gemm_f16','gemm_f16.cu','00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff','cf0a9752f47dcaeb50fa4d46c9a8874ac9ad549521357f4491ef97489428363d',1700000000000000000);
CREATE TABLE problem (
    problem_id INTEGER PRIMARY KEY,
    op         TEXT NOT NULL CHECK (op <> ''),
    dims       TEXT NOT NULL CHECK (dims NOT GLOB '*[^0-9,]*'),
    label      TEXT NOT NULL,
    UNIQUE (op, dims)
) STRICT;
INSERT INTO problem VALUES(1,'gemm_f16','4096,4096,512','M=4096 N=4096 K=512');
CREATE TABLE toolchain (
    toolchain_id INTEGER PRIMARY KEY,
    name         TEXT NOT NULL CHECK (name <> ''),
    version      TEXT NOT NULL CHECK (version <> ''),
    UNIQUE (name, version)
) STRICT;
INSERT INTO toolchain VALUES(1,'nvrtc','13.0');
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
INSERT INTO variant VALUES(1,1,1,'BM=64','','sm_90a','',NULL,'ok',100,0,0,9000000,'19cfd9d1f2201a01246c5425719b464564a6230340f41573c0ceefb82c0fba31',NULL,replace('hone-launch 1\n','\n',char(10)),1);
INSERT INTO variant VALUES(2,1,1,'BM=128','','sm_90a','',NULL,'ok',101,0,0,9000000,'6c0a3970efac25ec88dccdd0e7f71b37697bf95abb337f2aa049bfe88d0c0f0b',NULL,replace('hone-launch 1\n','\n',char(10)),0);
INSERT INTO variant VALUES(3,1,1,'BM=256','','sm_90a','',NULL,'compile',NULL,NULL,NULL,9000000,NULL,'ad6da9dfb3ffefd5ab234e70a473d9f7773c58ff074503b171c292bfd12e67d0',replace('hone-launch 1\n','\n',char(10)),0);
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
INSERT INTO session VALUES(1,1,1,1,'cold','random',-1,'200','done',1700000000,1700000000,'0.1.0');
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
INSERT INTO trial VALUES(1,1,1,'ok',NULL,8123.25,50.0,3,'[8100.500,8123.250,8200.000]',10,0.25,1,1980,400000,50,0,1700000000000000000,1000000);
INSERT INTO trial VALUES(2,1,2,'ok',NULL,7123.25,50.0,3,'[8100.500,8123.250,8200.000]',10,0.25,1,1980,400000,50,0,1700000000000000001,1000000);
INSERT INTO trial VALUES(3,1,3,'compile','line 3: no such type',NULL,NULL,0,NULL,NULL,NULL,0,1980,400000,50,0,1700000000000000002,1000000);
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
INSERT INTO baseline VALUES(1,1,'cublaslt','cuBLASLt (best of 8)',2,8,9000.0,0.0,5,0.5,NULL);
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
INSERT INTO ranking VALUES(1,1,'cold',1,2,1,7000.0,6990.0,7010.0,'interval',1700000000);
INSERT INTO ranking VALUES(1,1,'cold',2,1,1,8000.0,NULL,NULL,'',1700000000);
CREATE INDEX template_by_source ON template (source_sha256);
CREATE INDEX variant_by_toolchain ON variant (toolchain_id);
CREATE INDEX variant_by_cubin ON variant (cubin_sha256);
CREATE INDEX variant_by_log ON variant (log_sha256);
CREATE INDEX variant_default ON variant (template_id) WHERE is_default = 1;
CREATE INDEX session_by_work
    ON session (problem_id, device_id, mode, template_id);
CREATE INDEX session_by_device ON session (device_id);
CREATE INDEX session_by_template ON session (template_id);
CREATE INDEX trial_by_session ON trial (session_id);
CREATE INDEX trial_by_variant ON trial (variant_id);
CREATE INDEX ranking_by_device ON ranking (device_id);
CREATE INDEX ranking_by_trial ON ranking (trial_id);
CREATE INDEX ranking_by_session ON ranking (session_id);
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
COMMIT;
