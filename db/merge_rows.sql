-- SPDX-License-Identifier: Apache-2.0
-- One database into another: see db_merge.c, which runs all of this in a
-- transaction, once for each file. src_NAME are temporary views of the tables of
-- that file, in the current format; names without it are tables of the database
-- that grows. Whatever two files say of one row, the same of both is kept, so that
-- it does not matter which comes first.
--
-- map_NAME: the id here of each row there. A row there that refers to none gives
-- NULL or -1 here, which no constraint takes.

CREATE TEMP TABLE map_device (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_template (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_problem (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_toolchain (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_form (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_variant (src INTEGER PRIMARY KEY, dst INTEGER);
CREATE TEMP TABLE map_session (src INTEGER PRIMARY KEY, dst INTEGER,
                               is_new INTEGER NOT NULL);
CREATE TEMP TABLE map_trial (src INTEGER PRIMARY KEY, dst INTEGER,
                             session_id INTEGER, variant_id INTEGER,
                             is_new INTEGER NOT NULL);
CREATE TEMP TABLE known_trial (session_id INTEGER, started_unix_ns INTEGER,
                               config TEXT, trial_id INTEGER,
                               PRIMARY KEY (session_id, started_unix_ns,
                                            config)) WITHOUT ROWID;
CREATE TEMP TABLE found_decision (
    session_id INTEGER, is_new INTEGER, trial_id INTEGER, variant_id INTEGER,
    against_trial_id INTEGER, kind TEXT, ratio REAL, ratio_low REAL,
    ratio_high REAL, n_samples INTEGER, text TEXT, at_unix_ns INTEGER,
    config TEXT);
CREATE TEMP TABLE known_decision (
    session_id INTEGER, at_unix_ns INTEGER, kind TEXT, trial_id INTEGER,
    config TEXT, text TEXT,
    PRIMARY KEY (session_id, at_unix_ns, kind, trial_id, config, text))
    WITHOUT ROWID;
CREATE TEMP TABLE newer_ranking (problem_id INTEGER, device_id INTEGER,
                                 mode TEXT,
                                 PRIMARY KEY (problem_id, device_id, mode));
-- What came.
CREATE TEMP TABLE merged (what TEXT PRIMARY KEY, n INTEGER);

-- ---- what is measured, by what identifies it -----------------------------------

INSERT INTO device (fingerprint, facts, kind, name, arch, sm_count,
                    memory_bytes, l2_bytes, driver_version)
SELECT fingerprint, facts, kind, name, arch, sm_count, memory_bytes, l2_bytes,
       driver_version
  FROM src_device WHERE true
    ON CONFLICT (fingerprint) DO UPDATE SET facts = excluded.facts
 WHERE (length(excluded.facts), excluded.facts) > (length(facts), facts);
INSERT INTO map_device
SELECT s.device_id, d.device_id
  FROM src_device s CROSS JOIN device d ON d.fingerprint = s.fingerprint;

-- Of two that differ one is damaged (or was compressed otherwise).
INSERT INTO artifact (sha256, kind, size_bytes, data)
SELECT s.sha256, s.kind, s.size_bytes, s.data
  FROM src_artifact s WHERE true
    ON CONFLICT (sha256) DO UPDATE SET
       size_bytes = excluded.size_bytes, data = excluded.data
 WHERE (excluded.size_bytes, excluded.data) <> (size_bytes, data)
   AND NOT is_whole_artifact(sha256, size_bytes, data)
   AND is_whole_artifact(excluded.sha256, excluded.size_bytes, excluded.data);
INSERT INTO merged VALUES ('artifacts', changes());

-- One that was imported (import_rows.sql) has the text of nothing, until one that
-- has it comes.
INSERT INTO template (op, name, sha256, source_sha256, last_put_unix_ns, kind)
SELECT op, name, sha256, source_sha256, last_put_unix_ns, kind
  FROM src_template WHERE true
    ON CONFLICT (op, name, sha256) DO UPDATE
   SET last_put_unix_ns = max(last_put_unix_ns, excluded.last_put_unix_ns),
       source_sha256 = CASE source_sha256
           WHEN 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
           THEN excluded.source_sha256 ELSE source_sha256 END
 WHERE excluded.last_put_unix_ns > last_put_unix_ns
    OR (source_sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
        AND excluded.source_sha256 <> source_sha256);
INSERT INTO map_template
SELECT s.template_id, t.template_id
  FROM src_template s
  CROSS JOIN template t ON t.op = s.op AND t.name = s.name
                       AND t.sha256 = s.sha256;

INSERT INTO problem (op, dims, label)
SELECT op, dims, label
  FROM src_problem WHERE true
    ON CONFLICT (op, dims) DO UPDATE SET label = excluded.label
 WHERE excluded.label > label;
INSERT INTO map_problem
SELECT s.problem_id, p.problem_id
  FROM src_problem s
  CROSS JOIN problem p ON p.op = s.op AND p.dims = s.dims;

INSERT INTO toolchain (name, version)
SELECT name, version FROM src_toolchain WHERE true
    ON CONFLICT (name, version) DO NOTHING;
INSERT INTO map_toolchain
SELECT s.toolchain_id, c.toolchain_id
  FROM src_toolchain s
  CROSS JOIN toolchain c ON c.name = s.name AND c.version = s.version;

INSERT INTO launch_form (head, tail)
SELECT head, tail FROM src_launch_form WHERE true
    ON CONFLICT (head, tail) DO NOTHING;
INSERT INTO map_form
SELECT s.form_id, f.form_id
  FROM src_launch_form s
  CROSS JOIN launch_form f ON f.head = s.head AND f.tail = s.tail;

-- Of two that were compiled, one that has a cubin, and is not damaged; the hashes
-- only decide. Most are the same.
INSERT INTO variant (template_id, toolchain_id, config, types, arch, options,
                     compile_key, outcome, registers, spill_bytes,
                     static_shared_bytes, compile_time_ns, cubin_sha256,
                     log_sha256, launch_lines, is_default, compiler_warnings,
                     launch_sha256, launch_form_id)
SELECT mt.dst, mc.dst, s.config, s.types, s.arch, s.options, s.compile_key,
       s.outcome, s.registers, s.spill_bytes, s.static_shared_bytes,
       s.compile_time_ns, s.cubin_sha256, s.log_sha256, s.launch_lines,
       s.is_default, s.compiler_warnings, s.launch_sha256,
       CASE WHEN s.launch_form_id IS NOT NULL
            THEN coalesce((SELECT mf.dst FROM map_form mf
                            WHERE mf.src = s.launch_form_id), -1) END
  FROM src_variant s
  LEFT JOIN map_template mt ON mt.src = s.template_id
  LEFT JOIN map_toolchain mc ON mc.src = s.toolchain_id
 WHERE true
    ON CONFLICT (template_id, toolchain_id, config, types, arch, options)
    DO UPDATE SET
       compile_key = excluded.compile_key, outcome = excluded.outcome,
       registers = excluded.registers, spill_bytes = excluded.spill_bytes,
       static_shared_bytes = excluded.static_shared_bytes,
       compile_time_ns = coalesce(excluded.compile_time_ns, compile_time_ns),
       cubin_sha256 = excluded.cubin_sha256, log_sha256 = excluded.log_sha256,
       launch_lines = excluded.launch_lines,
       is_default = excluded.is_default,
       compiler_warnings = excluded.compiler_warnings,
       launch_sha256 = excluded.launch_sha256,
       launch_form_id = excluded.launch_form_id
 WHERE (excluded.cubin_sha256, excluded.outcome, excluded.launch_sha256,
        excluded.compile_key, excluded.log_sha256, excluded.launch_lines,
        excluded.launch_form_id)
       IS NOT (cubin_sha256, outcome, launch_sha256, compile_key, log_sha256,
               launch_lines, launch_form_id)
   AND (excluded.cubin_sha256 IS NOT NULL, excluded.outcome = 'ok',
        is_whole_launch(excluded.launch_sha256, excluded.config,
                        excluded.types, excluded.arch, excluded.cubin_sha256,
                        coalesce((SELECT f.head || excluded.launch_lines
                                         || f.tail
                                    FROM launch_form f
                                   WHERE f.form_id = excluded.launch_form_id),
                                 excluded.launch_lines)),
        coalesce(excluded.launch_sha256, ''),
        coalesce(excluded.compile_key, ''), coalesce(excluded.log_sha256, ''))
     > (cubin_sha256 IS NOT NULL, outcome = 'ok',
        is_whole_launch(launch_sha256, config, types, arch, cubin_sha256,
                        coalesce((SELECT f.head || launch_lines || f.tail
                                    FROM launch_form f
                                   WHERE f.form_id = launch_form_id),
                                 launch_lines)),
        coalesce(launch_sha256, ''),
        coalesce(compile_key, ''), coalesce(log_sha256, ''));
INSERT INTO map_variant
SELECT s.variant_id, v.variant_id
  FROM src_variant s
  CROSS JOIN map_template mt ON mt.src = s.template_id
  CROSS JOIN map_toolchain mc ON mc.src = s.toolchain_id
  CROSS JOIN variant v ON v.template_id = mt.dst AND v.toolchain_id = mc.dst
                      AND v.config = s.config AND v.types = s.types
                      AND v.arch = s.arch AND v.options = s.options;
-- A compile that came from a cache has no time.
UPDATE variant
   SET compile_time_ns = s.compile_time_ns
  FROM map_variant m CROSS JOIN src_variant s ON s.variant_id = m.src
 WHERE variant.variant_id = m.dst
   AND s.compile_time_ns > coalesce(variant.compile_time_ns, 0);

-- ---- sessions ------------------------------------------------------------------

-- A session is known by what it was about and when it began; where both have it,
-- also by the process it was of: two machines may begin in the same second. Those
-- that are alike are told apart by their order.
CREATE TEMP TABLE known_session AS
SELECT session_id, problem_id, device_id, mode, template_id, started_unix_s,
       strategy, seed, budget, hone_version,
       (SELECT e.text FROM decision e
         WHERE e.session_id = s.session_id AND e.kind = 'process'
         ORDER BY e.decision_id LIMIT 1) AS process
  FROM (SELECT DISTINCT dst AS problem_id FROM map_problem) m
  CROSS JOIN session s USING (problem_id);
CREATE INDEX temp.known_session_of
    ON known_session (problem_id, device_id, mode, template_id, started_unix_s);
INSERT INTO map_session
SELECT s.session_id,
       coalesce(
       (SELECT d.session_id
          FROM known_session d
         WHERE (problem_id, device_id, mode, template_id, started_unix_s,
                strategy, seed, budget, hone_version, process)
             = (mp.dst, md.dst, s.mode, mt.dst, s.started_unix_s,
                s.strategy, s.seed, s.budget, s.hone_version, s.process)
           AND (SELECT count(*)
                  FROM known_session e
                 WHERE (problem_id, device_id, mode, template_id,
                        started_unix_s, strategy, seed, budget, hone_version,
                        process)
                     = (mp.dst, md.dst, s.mode, mt.dst, s.started_unix_s,
                        s.strategy, s.seed, s.budget, s.hone_version,
                        s.process)
                   AND e.session_id < d.session_id) = s.nth_of_process - 1),
       (SELECT d.session_id
          FROM known_session d
         WHERE (problem_id, device_id, mode, template_id, started_unix_s,
                strategy, seed, budget, hone_version)
             = (mp.dst, md.dst, s.mode, mt.dst, s.started_unix_s,
                s.strategy, s.seed, s.budget, s.hone_version)
           AND (d.process IS NULL OR s.process IS NULL)
           AND (SELECT count(*)
                  FROM known_session e
                 WHERE (problem_id, device_id, mode, template_id,
                        started_unix_s, strategy, seed, budget, hone_version)
                     = (mp.dst, md.dst, s.mode, mt.dst, s.started_unix_s,
                        s.strategy, s.seed, s.budget, s.hone_version)
                   AND (e.process IS NULL OR s.process IS NULL)
                   AND e.session_id < d.session_id) = s.nth - 1)),
       0
  FROM (SELECT *, row_number() OVER (
                      PARTITION BY problem_id, device_id, mode, template_id,
                                   started_unix_s, strategy, seed, budget,
                                   hone_version
                      ORDER BY session_id) AS nth,
               row_number() OVER (
                      PARTITION BY problem_id, device_id, mode, template_id,
                                   started_unix_s, strategy, seed, budget,
                                   hone_version, process
                      ORDER BY session_id) AS nth_of_process
          FROM (SELECT *, (SELECT e.text FROM src_decision e
                            WHERE e.session_id = src_session.session_id
                              AND e.kind = 'process'
                            ORDER BY e.decision_id LIMIT 1)
                          AS process
                  FROM src_session)) s
  LEFT JOIN map_problem mp ON mp.src = s.problem_id
  LEFT JOIN map_device md ON md.src = s.device_id
  LEFT JOIN map_template mt ON mt.src = s.template_id;
UPDATE map_session
   SET is_new = 1, dst = n.nth
  FROM (SELECT src, row_number() OVER (ORDER BY src)
                    + (SELECT coalesce(max(session_id), 0) FROM session) AS nth
          FROM map_session WHERE dst IS NULL) n
 WHERE map_session.src = n.src;
INSERT INTO session (session_id, device_id, problem_id, template_id, mode,
                     strategy, seed, budget, status, started_unix_s,
                     finished_unix_s, hone_version, event_floor_ns,
                     noise_floor, warm_up_ns, gpu_busy_ns, gpu_wall_ns,
                     verdict, stopped)
SELECT m.dst, md.dst, mp.dst, mt.dst, s.mode, s.strategy, s.seed, s.budget,
       s.status, s.started_unix_s, s.finished_unix_s, s.hone_version,
       s.event_floor_ns, s.noise_floor, s.warm_up_ns, s.gpu_busy_ns,
       s.gpu_wall_ns, s.verdict, s.stopped
  FROM map_session m
  CROSS JOIN src_session s ON s.session_id = m.src
  LEFT JOIN map_problem mp ON mp.src = s.problem_id
  LEFT JOIN map_device md ON md.src = s.device_id
  LEFT JOIN map_template mt ON mt.src = s.template_id
 WHERE m.is_new;
INSERT INTO merged VALUES ('sessions', changes());
-- One that went on in one of the files: as it was there. Of two that have the
-- same end, or none, the status that comes later in the list.
UPDATE session
   SET status = s.status, finished_unix_s = s.finished_unix_s,
       event_floor_ns = s.event_floor_ns, noise_floor = s.noise_floor,
       warm_up_ns = s.warm_up_ns, gpu_busy_ns = s.gpu_busy_ns,
       gpu_wall_ns = s.gpu_wall_ns, verdict = s.verdict, stopped = s.stopped
  FROM map_session m CROSS JOIN src_session s ON s.session_id = m.src
 WHERE NOT m.is_new AND session.session_id = m.dst
   AND (coalesce(s.finished_unix_s, 0), coalesce(s.verdict, ''),
        instr('running interrupted done', s.status),
        coalesce(s.gpu_wall_ns, 0))
     > (coalesce(session.finished_unix_s, 0), coalesce(session.verdict, ''),
        instr('running interrupted done', session.status),
        coalesce(session.gpu_wall_ns, 0));

-- ---- trials --------------------------------------------------------------------

-- Of sessions that both have, by the nanosecond of the beginning; by configuration,
-- since its variant may have become that of another text of the template.
INSERT INTO known_trial
SELECT d.session_id, d.started_unix_ns, v.config, min(d.trial_id)
  FROM map_session m
  CROSS JOIN trial d ON d.session_id = m.dst
  CROSS JOIN variant v ON v.variant_id = d.variant_id
 WHERE NOT m.is_new
 GROUP BY 1, 2, 3;
INSERT INTO map_trial
SELECT t.trial_id,
       CASE WHEN ms.is_new IS 0 THEN
           (SELECT k.trial_id
              FROM src_variant v JOIN known_trial k
             WHERE v.variant_id = t.variant_id AND k.session_id = ms.dst
               AND k.started_unix_ns = t.started_unix_ns
               AND k.config = v.config) END,
       ms.dst, mv.dst, 0
  FROM src_trial t
  LEFT JOIN map_session ms ON ms.src = t.session_id
  LEFT JOIN map_variant mv ON mv.src = t.variant_id;
UPDATE map_trial
   SET is_new = 1, dst = n.nth
  FROM (SELECT src, row_number() OVER (ORDER BY src)
                    + (SELECT coalesce(max(trial_id), 0) FROM trial) AS nth
          FROM map_trial WHERE dst IS NULL) n
 WHERE map_trial.src = n.src;
INSERT INTO trial (trial_id, session_id, variant_id, outcome, message, time_ns,
                   spread_ns, n_samples, samples_ns, launches_per_sample,
                   error_ratio, verified, sm_clock_mhz, power_mw,
                   temperature_c, throttle_reasons, started_unix_ns,
                   gpu_time_ns, timing, n_discarded, sample_time_ns)
SELECT m.dst, m.session_id, m.variant_id, t.outcome, t.message, t.time_ns,
       t.spread_ns, t.n_samples, t.samples_ns, t.launches_per_sample,
       t.error_ratio, t.verified, t.sm_clock_mhz, t.power_mw,
       t.temperature_c, t.throttle_reasons, t.started_unix_ns, t.gpu_time_ns,
       t.timing, t.n_discarded, t.sample_time_ns
  FROM map_trial m CROSS JOIN src_trial t ON t.trial_id = m.src
 WHERE m.is_new;
INSERT INTO merged VALUES ('trials', changes());
-- Of a trial whose variant became that of a later text in one of them, that.
UPDATE trial
   SET variant_id = m.variant_id
  FROM map_trial m
  CROSS JOIN variant v ON v.variant_id = m.variant_id
  CROSS JOIN template k ON k.template_id = v.template_id
 WHERE NOT m.is_new AND trial.trial_id = m.dst
   AND trial.variant_id <> m.variant_id
   AND (k.last_put_unix_ns, k.sha256)
     > (SELECT ok.last_put_unix_ns, ok.sha256
          FROM variant ov JOIN template ok ON ok.template_id = ov.template_id
         WHERE ov.variant_id = trial.variant_id);

INSERT INTO counter (trial_id, kernel, name, unit, value)
SELECT coalesce(m.dst, -1), c.kernel, c.name, c.unit, c.value
  FROM src_counter c LEFT JOIN map_trial m ON m.src = c.trial_id
 WHERE true
    ON CONFLICT (trial_id, kernel, name) DO UPDATE SET value = excluded.value
 WHERE excluded.value > value;

-- ---- what was found --------------------------------------------------------------

INSERT INTO found_decision
SELECT ms.dst, ms.is_new,
       CASE WHEN e.trial_id IS NOT NULL
            THEN coalesce((SELECT m.dst FROM map_trial m
                            WHERE m.src = e.trial_id), -1) END,
       CASE WHEN e.variant_id IS NOT NULL
            THEN coalesce((SELECT m.dst FROM map_variant m
                            WHERE m.src = e.variant_id), -1) END,
       CASE WHEN e.against_trial_id IS NOT NULL
            THEN coalesce((SELECT m.dst FROM map_trial m
                            WHERE m.src = e.against_trial_id), -1) END,
       e.kind, e.ratio, e.ratio_low, e.ratio_high, e.n_samples, e.text,
       e.at_unix_ns,
       coalesce((SELECT v.config FROM src_variant v
                  WHERE v.variant_id = e.variant_id), '')
  FROM src_decision e
  LEFT JOIN map_session ms ON ms.src = e.session_id
 ORDER BY e.decision_id;
-- As of trials: the variant may have become that of another text.
INSERT OR IGNORE INTO known_decision
SELECT e.session_id, e.at_unix_ns, e.kind, coalesce(e.trial_id, 0),
       coalesce(v.config, ''), e.text
  FROM map_session m
  CROSS JOIN decision e ON e.session_id = m.dst
  LEFT JOIN variant v ON v.variant_id = e.variant_id
 WHERE NOT m.is_new;
INSERT INTO decision (session_id, trial_id, variant_id, against_trial_id, kind,
                      ratio, ratio_low, ratio_high, n_samples, text,
                      at_unix_ns)
SELECT session_id, trial_id, variant_id, against_trial_id, kind, ratio,
       ratio_low, ratio_high, n_samples, text, at_unix_ns
  FROM found_decision WHERE is_new IS NOT 0;
INSERT INTO decision (session_id, trial_id, variant_id, against_trial_id, kind,
                      ratio, ratio_low, ratio_high, n_samples, text,
                      at_unix_ns)
SELECT session_id, trial_id, variant_id, against_trial_id, kind, ratio,
       ratio_low, ratio_high, n_samples, text, at_unix_ns
  FROM found_decision f
 WHERE is_new = 0
   AND NOT EXISTS (SELECT 1 FROM known_decision k
                    WHERE k.session_id = f.session_id
                      AND k.at_unix_ns = f.at_unix_ns AND k.kind = f.kind
                      AND k.trial_id = coalesce(f.trial_id, 0)
                      AND k.config = f.config AND k.text = f.text)
 ORDER BY at_unix_ns;

INSERT INTO baseline (session_id, name, label, choice, n_choices, time_ns,
                      spread_ns, n_samples, error_ratio, message)
SELECT ms.dst, b.name, b.label, b.choice, b.n_choices, b.time_ns, b.spread_ns,
       b.n_samples, b.error_ratio, b.message
  FROM src_baseline b
  LEFT JOIN map_session ms ON ms.src = b.session_id
 WHERE true
    ON CONFLICT (session_id, name) DO UPDATE SET
       label = excluded.label, choice = excluded.choice,
       n_choices = excluded.n_choices, time_ns = excluded.time_ns,
       spread_ns = excluded.spread_ns, n_samples = excluded.n_samples,
       error_ratio = excluded.error_ratio, message = excluded.message
 WHERE (excluded.n_samples, coalesce(excluded.time_ns, 0), excluded.choice,
        excluded.label)
     > (n_samples, coalesce(time_ns, 0), choice, label);

-- The last one of a name counts (baseline_v1), whichever file came last: where a
-- session came behind one that is as late or later, all of that work are put again
-- in the order of their time.
CREATE TEMP TABLE late_work AS
SELECT DISTINCT problem_id, device_id, mode
  FROM map_session m
  CROSS JOIN session n ON n.session_id = m.dst
 WHERE m.is_new
   AND EXISTS (SELECT 1 FROM session p
                 CROSS JOIN session o USING (problem_id, device_id, mode)
                WHERE p.session_id = m.dst AND +o.session_id < m.dst
                  AND o.started_unix_s >= p.started_unix_s);
CREATE TEMP TABLE late_baseline AS
SELECT b.*, s.started_unix_s, s.hone_version, s.strategy, s.budget, s.seed
  FROM late_work w
  CROSS JOIN session s USING (problem_id, device_id, mode)
  CROSS JOIN baseline b ON b.session_id = s.session_id;
DELETE FROM baseline
 WHERE baseline_id IN (SELECT baseline_id FROM late_baseline);
INSERT INTO baseline (session_id, name, label, choice, n_choices, time_ns,
                      spread_ns, n_samples, error_ratio, message)
SELECT session_id, name, label, choice, n_choices, time_ns, spread_ns,
       n_samples, error_ratio, message
  FROM late_baseline
 ORDER BY started_unix_s, hone_version, strategy, budget, seed, n_samples,
          time_ns, name;

-- A ranking is replaced as a whole, by that which was made last, as the tuner
-- does, but no decided one by what an interruption left. Of the same second it
-- is the shorter time, then the configuration.
INSERT INTO newer_ranking
SELECT mp.dst, md.dst, r.mode
  FROM src_ranking r
  JOIN map_problem mp ON mp.src = r.problem_id
  JOIN map_device md ON md.src = r.device_id
  JOIN map_trial mt ON mt.src = r.trial_id
  JOIN variant v ON v.variant_id = mt.variant_id
  JOIN map_session ms ON ms.src = r.session_id
  JOIN session s ON s.session_id = ms.dst
 WHERE r.rank = 1
   AND NOT EXISTS (
       SELECT 1
         FROM ranking o
         JOIN trial ot ON ot.trial_id = o.trial_id
         JOIN variant ov ON ov.variant_id = ot.variant_id
         JOIN session os ON os.session_id = o.session_id
        WHERE o.problem_id = mp.dst AND o.device_id = md.dst
          AND o.mode = r.mode AND o.rank = 1
          AND (os.verdict IS NOT NULL OR os.status <> 'interrupted',
               o.ranked_unix_s, -o.time_ns, ov.config, ov.variant_id)
              >= (s.verdict IS NOT NULL OR s.status <> 'interrupted',
                  r.ranked_unix_s, -r.time_ns, v.config, v.variant_id));
INSERT INTO merged VALUES ('winners', changes());
DELETE FROM ranking
 WHERE (problem_id, device_id, mode) IN (SELECT * FROM newer_ranking);
INSERT INTO ranking (problem_id, device_id, mode, rank, trial_id, session_id,
                     time_ns, ci_low_ns, ci_high_ns, decided_by,
                     ranked_unix_s)
SELECT mp.dst, md.dst, r.mode, r.rank, coalesce(mt.dst, -1),
       coalesce(ms.dst, -1), r.time_ns, r.ci_low_ns, r.ci_high_ns,
       r.decided_by, r.ranked_unix_s
  FROM src_ranking r
  LEFT JOIN map_problem mp ON mp.src = r.problem_id
  LEFT JOIN map_device md ON md.src = r.device_id
  LEFT JOIN map_trial mt ON mt.src = r.trial_id
  LEFT JOIN map_session ms ON ms.src = r.session_id
 WHERE mp.dst IS NULL OR md.dst IS NULL OR mt.dst IS NULL
    OR (mp.dst, md.dst, r.mode) IN (SELECT * FROM newer_ranking);

-- What was learned is not mixed either: that of more trials stays, of as many the
-- later hash, but none that is damaged.
INSERT INTO model (device_id, op, types, mode, kind, n_trials, n_problems,
                   error, trained_unix_s, hone_version, size_bytes, sha256,
                   data)
SELECT coalesce(md.dst, -1), m.op, m.types, m.mode, m.kind, m.n_trials,
       m.n_problems, m.error, m.trained_unix_s, m.hone_version, m.size_bytes,
       m.sha256, m.data
  FROM src_model m
  LEFT JOIN map_device md ON md.src = m.device_id
 WHERE true
    ON CONFLICT (op, device_id, types, mode, kind) DO UPDATE SET
       n_trials = excluded.n_trials, n_problems = excluded.n_problems,
       error = excluded.error, trained_unix_s = excluded.trained_unix_s,
       hone_version = excluded.hone_version, size_bytes = excluded.size_bytes,
       sha256 = excluded.sha256, data = excluded.data
 WHERE (is_whole_artifact(excluded.sha256, excluded.size_bytes,
                          excluded.data),
        excluded.n_trials, excluded.sha256, excluded.trained_unix_s,
        excluded.hone_version)
     > (is_whole_artifact(sha256, size_bytes, data), n_trials, sha256,
        trained_unix_s, hone_version);
