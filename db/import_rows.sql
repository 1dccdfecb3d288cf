-- SPDX-License-Identifier: Apache-2.0
-- Rows of files as the tables that merge_rows.sql takes: see db_exchange.c, which
-- runs this in the transaction of the merge. import_row has a row per trial with
-- its line and the fields of exchange.def, and `fingerprint`; import_counter what
-- was counted in them. An id is whatever number tells rows apart here.

CREATE TEMP TABLE src_device AS
SELECT CAST(row_number() OVER (ORDER BY fingerprint) AS INTEGER) AS device_id,
       fingerprint,
       facts, kind, name, arch, sm_count, memory_bytes, l2_bytes,
       driver_version
  FROM (SELECT fingerprint, max(device_properties) AS facts,
               device_kind AS kind, device_name AS name, arch, sm_count,
               memory_bytes, l2_bytes, driver_version
          FROM import_row GROUP BY fingerprint);
CREATE UNIQUE INDEX temp.src_device_of ON src_device (fingerprint);

CREATE TEMP TABLE src_problem AS
SELECT CAST(row_number() OVER (ORDER BY op, dims) AS INTEGER) AS problem_id,
       op, dims,
       max(label) AS label
  FROM import_row GROUP BY op, dims;
CREATE UNIQUE INDEX temp.src_problem_of ON src_problem (op, dims);

CREATE TEMP TABLE src_toolchain AS
SELECT CAST(row_number() OVER (ORDER BY toolchain_name, toolchain_version)
            AS INTEGER) AS toolchain_id,
       toolchain_name AS name, toolchain_version AS version
  FROM import_row GROUP BY toolchain_name, toolchain_version;
CREATE UNIQUE INDEX temp.src_toolchain_of ON src_toolchain (name, version);

-- The text did not come, so it is that of nothing. A text that is new here must
-- not make those that are tuned here look outdated, which have cubins: it goes
-- behind the oldest of them. That of another tuner's file has the time 0: it is
-- older than any text, and as old as that of the next file.
CREATE TEMP TABLE found_template AS
SELECT op, template_name AS name, template_sha256 AS sha256,
       template_kind AS kind, template_put_unix_ns AS put_unix_ns
  FROM import_row
 UNION
SELECT op, session_template_name, session_template_sha256,
       session_template_kind, session_template_put_unix_ns
  FROM import_row;
CREATE TEMP TABLE src_template AS
SELECT CAST(row_number() OVER (ORDER BY f.op, f.name, f.sha256) AS INTEGER)
           AS template_id,
       f.op, f.name, f.sha256,
       'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
           AS source_sha256,
       coalesce((SELECT k.last_put_unix_ns FROM main.template k
                  WHERE k.op = f.op AND k.name = f.name
                    AND k.sha256 = f.sha256),
                CASE WHEN max(f.put_unix_ns) = 0 THEN 0 END,
                min(max(f.put_unix_ns),
                    coalesce((SELECT min(k.last_put_unix_ns)
                                FROM main.template k
                               WHERE k.op = f.op AND k.name = f.name)
                             - 1 - ((SELECT max(g.put_unix_ns)
                                       FROM found_template g
                                      WHERE g.op = f.op AND g.name = f.name)
                                    - max(f.put_unix_ns)),
                             max(f.put_unix_ns)))) AS last_put_unix_ns,
       max(f.kind) AS kind
  FROM found_template f GROUP BY f.op, f.name, f.sha256;
CREATE UNIQUE INDEX temp.src_template_of ON src_template (op, name, sha256);

CREATE TEMP TABLE src_variant AS
SELECT CAST(row_number() OVER () AS INTEGER) AS variant_id, v.*, NULL AS cubin_sha256,
       NULL AS log_sha256, '' AS launch_lines, NULL AS launch_sha256,
       NULL AS launch_form_id
  FROM (SELECT DISTINCT k.template_id, c.toolchain_id, r.config, r.types,
               r.compile_arch AS arch, r.options, r.compile_key,
               r.compile_outcome AS outcome, r.registers, r.spill_bytes,
               r.static_shared_bytes, r.compile_time_ns, r.is_default,
               r.compiler_warnings
          FROM import_row r
          CROSS JOIN src_template k ON k.op = r.op AND k.name = r.template_name
                                   AND k.sha256 = r.template_sha256
          CROSS JOIN src_toolchain c ON c.name = r.toolchain_name
                                    AND c.version = r.toolchain_version
         ORDER BY r.line) v;
CREATE UNIQUE INDEX temp.src_variant_by_id ON src_variant (variant_id);
CREATE INDEX temp.src_variant_of
    ON src_variant (config, template_id, toolchain_id);

CREATE TEMP TABLE src_session AS
SELECT DISTINCT r.session AS session_id, d.device_id, p.problem_id,
       k.template_id, r.mode, r.strategy, r.seed, r.budget, r.status,
       r.session_started_unix_s AS started_unix_s,
       r.session_finished_unix_s AS finished_unix_s, r.hone_version,
       r.event_floor_ns, r.noise_floor, r.warm_up_ns,
       r.device_busy_ns AS gpu_busy_ns, r.device_wall_ns AS gpu_wall_ns,
       r.verdict, r.stopped
  FROM import_row r
  CROSS JOIN src_device d ON d.fingerprint = r.fingerprint
  CROSS JOIN src_problem p ON p.op = r.op AND p.dims = r.dims
  CROSS JOIN src_template k ON k.op = r.op AND k.name = r.session_template_name
                           AND k.sha256 = r.session_template_sha256;

CREATE INDEX temp.src_session_by_id ON src_session (session_id);

CREATE TEMP TABLE src_trial AS
SELECT r.line AS trial_id, r.session AS session_id, v.variant_id, r.outcome,
       r.message, r.time_ns, r.spread_ns, r.n_samples, r.samples_ns,
       r.launches_per_sample, r.error_ratio, r.verified, r.sm_clock_mhz,
       r.power_mw, r.temperature_c, r.throttle_reasons, r.started_unix_ns,
       r.device_time_ns AS gpu_time_ns, r.timing, r.n_discarded,
       r.sample_time_ns
  FROM import_row r
  CROSS JOIN src_template k ON k.op = r.op AND k.name = r.template_name
                           AND k.sha256 = r.template_sha256
  CROSS JOIN src_toolchain c ON c.name = r.toolchain_name
                            AND c.version = r.toolchain_version
  CROSS JOIN src_variant v ON v.config = r.config
                          AND v.template_id = k.template_id
                          AND v.toolchain_id = c.toolchain_id
                          AND v.types = r.types AND v.arch = r.compile_arch
                          AND v.options = r.options
 ORDER BY r.line;

CREATE INDEX temp.src_trial_by_id ON src_trial (trial_id);

-- The best of recordings, as a replay of them ranks: of each variant the last
-- trial, the first 50.
CREATE TEMP TABLE src_ranking AS
SELECT problem_id, device_id, mode, rank, trial_id, session_id, time_ns,
       NULL AS ci_low_ns, NULL AS ci_high_ns,
       'the fastest of the recorded times' AS decided_by, ranked_unix_s
  FROM (SELECT s.problem_id, s.device_id, s.mode, t.trial_id, t.session_id,
               t.time_ns,
               max(s.started_unix_s) OVER (
                   PARTITION BY s.problem_id, s.device_id, s.mode)
                   AS ranked_unix_s,
               row_number() OVER (
                   PARTITION BY s.problem_id, s.device_id, s.mode
                   ORDER BY t.time_ns, t.trial_id) AS rank
          FROM src_trial t
          JOIN src_session s ON s.session_id = t.session_id
          JOIN src_device d ON d.device_id = s.device_id
          JOIN (SELECT max(lt.trial_id) AS trial_id
                  FROM src_trial lt
                  JOIN src_session ls ON ls.session_id = lt.session_id
                 GROUP BY ls.problem_id, ls.device_id, ls.mode, lt.variant_id)
            l ON l.trial_id = t.trial_id
         WHERE d.kind = 'replay' AND t.outcome = 'ok')
 WHERE rank <= 50;

CREATE TEMP VIEW src_counter AS
SELECT line AS trial_id, kernel, name, unit, value FROM import_counter;
CREATE TEMP VIEW src_artifact AS SELECT * FROM main.artifact WHERE 0;
CREATE TEMP VIEW src_launch_form AS SELECT * FROM main.launch_form WHERE 0;
CREATE TEMP VIEW src_decision AS SELECT * FROM main.decision WHERE 0;
CREATE TEMP VIEW src_baseline AS SELECT * FROM main.baseline WHERE 0;
CREATE TEMP VIEW src_model AS SELECT * FROM main.model WHERE 0;

-- Rows that contradict each other: what is one session or variant has one set of
-- figures.
CREATE TEMP TABLE import_clash AS
SELECT 'session' AS what, session_id AS id
  FROM src_session GROUP BY session_id HAVING count(*) > 1
 UNION ALL
SELECT 'variant', max(variant_id)
  FROM src_variant
 GROUP BY template_id, toolchain_id, config, types, arch, options
HAVING count(*) > 1;
