-- SPDX-License-Identifier: Apache-2.0
-- Format version 8: what is asked of a large file is answered without reading
-- all of it. As schema.sql, this file is never changed once released.

-- ---- indexes -------------------------------------------------------------------

-- No statement uses these: they helped only to delete rows that others refer
-- to, and were a tenth of a file. FORMAT.md says how such rows are deleted.
DROP INDEX decision_by_variant;
DROP INDEX decision_by_against;
DROP INDEX ranking_by_session;
DROP INDEX ranking_by_device;

-- Sessions that run, for those who watch them.
CREATE INDEX session_running ON session (status) WHERE status = 'running';

-- ---- counts --------------------------------------------------------------------

-- One row per op, device and mode: what coverage_v1 says of them.
CREATE TABLE tally (
    op          TEXT NOT NULL CHECK (op <> ''),
    device_id   INTEGER NOT NULL REFERENCES device (device_id),
    mode        TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    n_problems  INTEGER NOT NULL DEFAULT 0,
    n_sessions  INTEGER NOT NULL DEFAULT 0,
    n_trials    INTEGER NOT NULL DEFAULT 0,
    n_ok        INTEGER NOT NULL DEFAULT 0,
    last_unix_s INTEGER NOT NULL DEFAULT 0, -- the last session's begin
    PRIMARY KEY (op, device_id, mode)
) STRICT, WITHOUT ROWID;

-- How many winners each implementation of an op has there.
CREATE TABLE tally_won (
    op        TEXT NOT NULL CHECK (op <> ''),
    name      TEXT NOT NULL CHECK (name <> ''),
    device_id INTEGER NOT NULL REFERENCES device (device_id),
    mode      TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    n_won     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (op, name, device_id, mode)
) STRICT, WITHOUT ROWID;

INSERT INTO tally
SELECT p.op, s.device_id, s.mode, count(DISTINCT s.problem_id), count(*),
       sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)),
       sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id
                                           AND t.outcome = 'ok')),
       max(s.started_unix_s)
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
 GROUP BY p.op, s.device_id, s.mode;

INSERT INTO tally_won
SELECT p.op, k.name, r.device_id, r.mode, count(*)
  FROM ranking r
  JOIN problem p ON p.problem_id = r.problem_id
  JOIN trial t ON t.trial_id = r.trial_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
 WHERE r.rank = 1
 GROUP BY p.op, k.name, r.device_id, r.mode;

-- Whoever writes, a program of an older version or a person, keeps them right.
-- Two statements where one with ON CONFLICT would do: the writer's own conflict
-- clause would replace it.

CREATE TRIGGER session_counted AFTER INSERT ON session BEGIN
    INSERT INTO tally (op, device_id, mode)
    SELECT p.op, NEW.device_id, NEW.mode
      FROM problem p
     WHERE p.problem_id = NEW.problem_id
       AND NOT EXISTS (SELECT 1 FROM tally y
                        WHERE y.op = p.op AND y.device_id = NEW.device_id
                          AND y.mode = NEW.mode);
    UPDATE tally
       SET n_sessions = n_sessions + 1,
           n_problems = n_problems
               + NOT EXISTS (SELECT 1 FROM session o
                              WHERE o.problem_id = NEW.problem_id
                                AND o.device_id = NEW.device_id
                                AND o.mode = NEW.mode
                                AND o.session_id <> NEW.session_id),
           last_unix_s = max(last_unix_s, NEW.started_unix_s)
     WHERE op = (SELECT p.op FROM problem p
                  WHERE p.problem_id = NEW.problem_id)
       AND device_id = NEW.device_id AND mode = NEW.mode;
END;

CREATE TRIGGER session_uncounted AFTER DELETE ON session BEGIN
    UPDATE tally
       SET n_sessions = n_sessions - 1,
           n_problems = n_problems
               - NOT EXISTS (SELECT 1 FROM session o
                              WHERE o.problem_id = OLD.problem_id
                                AND o.device_id = OLD.device_id
                                AND o.mode = OLD.mode),
           last_unix_s = CASE WHEN OLD.started_unix_s < last_unix_s
               THEN last_unix_s
               ELSE coalesce((SELECT max(o.started_unix_s)
                                FROM problem p
                                JOIN session o ON o.problem_id = p.problem_id
                                              AND o.device_id = OLD.device_id
                                              AND o.mode = OLD.mode
                               WHERE p.op = tally.op), 0) END
     WHERE op = (SELECT p.op FROM problem p
                  WHERE p.problem_id = OLD.problem_id)
       AND device_id = OLD.device_id AND mode = OLD.mode;
    DELETE FROM tally
     WHERE op = (SELECT p.op FROM problem p
                  WHERE p.problem_id = OLD.problem_id)
       AND device_id = OLD.device_id AND mode = OLD.mode AND n_sessions = 0;
END;

CREATE TRIGGER trial_counted AFTER INSERT ON trial BEGIN
    UPDATE tally
       SET n_trials = n_trials + 1, n_ok = n_ok + (NEW.outcome = 'ok')
     WHERE (op, device_id, mode) =
           (SELECT p.op, s.device_id, s.mode
              FROM session s JOIN problem p ON p.problem_id = s.problem_id
             WHERE s.session_id = NEW.session_id);
END;

CREATE TRIGGER trial_uncounted AFTER DELETE ON trial BEGIN
    UPDATE tally
       SET n_trials = n_trials - 1, n_ok = n_ok - (OLD.outcome = 'ok')
     WHERE (op, device_id, mode) =
           (SELECT p.op, s.device_id, s.mode
              FROM session s JOIN problem p ON p.problem_id = s.problem_id
             WHERE s.session_id = OLD.session_id);
END;

CREATE TRIGGER trial_changed AFTER UPDATE OF session_id, outcome ON trial BEGIN
    UPDATE tally
       SET n_trials = n_trials - 1, n_ok = n_ok - (OLD.outcome = 'ok')
     WHERE (op, device_id, mode) =
           (SELECT p.op, s.device_id, s.mode
              FROM session s JOIN problem p ON p.problem_id = s.problem_id
             WHERE s.session_id = OLD.session_id);
    UPDATE tally
       SET n_trials = n_trials + 1, n_ok = n_ok + (NEW.outcome = 'ok')
     WHERE (op, device_id, mode) =
           (SELECT p.op, s.device_id, s.mode
              FROM session s JOIN problem p ON p.problem_id = s.problem_id
             WHERE s.session_id = NEW.session_id);
END;

CREATE TRIGGER winner_counted AFTER INSERT ON ranking WHEN NEW.rank = 1 BEGIN
    INSERT INTO tally_won (op, name, device_id, mode)
    SELECT p.op, k.name, NEW.device_id, NEW.mode
      FROM trial t
      JOIN problem p ON p.problem_id = NEW.problem_id
      JOIN variant v ON v.variant_id = t.variant_id
      JOIN template k ON k.template_id = v.template_id
     WHERE t.trial_id = NEW.trial_id
       AND NOT EXISTS (SELECT 1 FROM tally_won w
                        WHERE w.op = p.op AND w.name = k.name
                          AND w.device_id = NEW.device_id
                          AND w.mode = NEW.mode);
    UPDATE tally_won
       SET n_won = n_won + 1
     WHERE (op, name, device_id, mode) =
           (SELECT p.op, k.name, NEW.device_id, NEW.mode
              FROM trial t
              JOIN problem p ON p.problem_id = NEW.problem_id
              JOIN variant v ON v.variant_id = t.variant_id
              JOIN template k ON k.template_id = v.template_id
             WHERE t.trial_id = NEW.trial_id);
END;

CREATE TRIGGER winner_uncounted AFTER DELETE ON ranking WHEN OLD.rank = 1 BEGIN
    UPDATE tally_won
       SET n_won = n_won - 1
     WHERE (op, name, device_id, mode) =
           (SELECT p.op, k.name, OLD.device_id, OLD.mode
              FROM trial t
              JOIN problem p ON p.problem_id = OLD.problem_id
              JOIN variant v ON v.variant_id = t.variant_id
              JOIN template k ON k.template_id = v.template_id
             WHERE t.trial_id = OLD.trial_id);
    DELETE FROM tally_won
     WHERE n_won = 0 AND op = (SELECT p.op FROM problem p
                                WHERE p.problem_id = OLD.problem_id);
END;

-- A place is taken and left, never moved.
CREATE TRIGGER ranking_stays
    AFTER UPDATE OF problem_id, device_id, mode, rank, trial_id ON ranking
BEGIN
    SELECT RAISE(ABORT, 'a place of a ranking is deleted and put again');
END;

CREATE TRIGGER session_stays
    AFTER UPDATE OF problem_id, device_id, mode ON session
BEGIN
    SELECT RAISE(ABORT, 'what a session is about does not change');
END;

-- ---- views -----------------------------------------------------------------------

DROP VIEW coverage_v1;
DROP VIEW baseline_v1;
DROP VIEW default_v2;

-- As in version 7, from counts.
CREATE VIEW coverage_v1 AS
SELECT y.op, d.name AS device_name, d.kind AS device_kind, d.arch,
       d.sm_count, d.driver_version, y.mode, y.n_problems,
       (SELECT coalesce(sum(w.n_won), 0) FROM tally_won w
         WHERE w.op = y.op AND w.device_id = y.device_id
           AND w.mode = y.mode) AS n_winners,
       y.n_trials, y.n_ok,
       strftime('%Y-%m-%d %H:%M:%S', y.last_unix_s, 'unixepoch')
           AS last_tuned_at,
       y.device_id
  FROM tally y
  JOIN device d ON d.device_id = y.device_id;

-- As in version 7. Which one is the last is asked of each row, so that a
-- condition on the problem comes first.
CREATE VIEW baseline_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       b.name, b.label AS baseline_label, b.choice AS algorithm,
       b.n_choices AS n_algorithms, b.time_ns,
       b.spread_ns, b.n_samples, b.error_ratio, b.message,
       s.problem_id, s.device_id, b.session_id, b.baseline_id
  FROM baseline b
  JOIN session s ON s.session_id = b.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
 WHERE b.baseline_id = (SELECT max(lb.baseline_id)
                          FROM session ls
                          JOIN baseline lb ON lb.session_id = ls.session_id
                         WHERE ls.problem_id = s.problem_id
                           AND ls.device_id = s.device_id
                           AND ls.mode = s.mode AND lb.name = b.name);

-- As in version 7, from counts.
CREATE VIEW default_v2 AS
SELECT b.op, k.name AS implementation, k.kind,
       CASE k.kind WHEN 'vendor' THEN 0 WHEN 'reference' THEN 3
                   ELSE 2 - (v.arch GLOB 'sm_*[af]') END
       - coalesce((SELECT 0.5 * sum(w.n_won * (w.name = k.name))
                          / sum(w.n_won)
                     FROM tally_won w WHERE w.op = k.op), 0) AS preference,
       b.arch, b.types, v.config, v.registers, v.spill_bytes,
       v.static_shared_bytes, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, v.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin, v.launch_sha256
  FROM (SELECT op, arch, types, variant_id,
               row_number() OVER (
                   PARTITION BY op, name, arch, types
                   ORDER BY last_put_unix_ns DESC, template_id DESC,
                            toolchain_id DESC, variant_id DESC) AS place
          FROM (SELECT bk.op, bk.name, bv.types, bv.variant_id,
                       bv.template_id, bv.toolchain_id, bk.last_put_unix_ns,
                       CASE WHEN bv.arch GLOB 'sm_*'
                            THEN rtrim(bv.arch, 'af')
                            ELSE bv.arch END AS arch
                  FROM variant bv
                  JOIN template bk ON bk.template_id = bv.template_id
                 WHERE bv.is_default = 1 AND bv.outcome = 'ok'
                   AND (bv.cubin_sha256 IS NOT NULL OR bk.kind = 'vendor')
                   AND coalesce((SELECT bt.outcome FROM trial bt
                                  WHERE bt.variant_id = bv.variant_id
                                  ORDER BY bt.trial_id DESC LIMIT 1), 'ok')
                       NOT IN ('wrong', 'fault'))) b
  JOIN variant v ON v.variant_id = b.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  LEFT JOIN artifact a ON a.sha256 = v.cubin_sha256
 WHERE b.place = 1;

-- ---- parameters ----------------------------------------------------------------

-- A row for each trial and parameter, so that nobody has to split texts.
CREATE VIEW trial_parameter_v1 AS
SELECT t.op, t.dims, t.label, t.mode, t.device_name, t.device_kind, t.arch,
       t.sm_count, t.driver_version, t.template_name, t.template_sha256,
       t.outcome, t.time_ns, t.is_default, t.started_unix_ns,
       substr(j.value, 1, instr(j.value, '=') - 1) AS parameter,
       CASE WHEN substr(j.value, instr(j.value, '=') + 1)
                 = CAST(CAST(substr(j.value, instr(j.value, '=') + 1)
                             AS INTEGER) AS TEXT)
            THEN CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER)
            ELSE substr(j.value, instr(j.value, '=') + 1) END AS value,
       t.problem_id, t.device_id, t.session_id, t.trial_id, t.variant_id
  FROM trial_v1 t
  JOIN json_each('["' || replace(t.config, ',', '","') || '"]') j
 WHERE t.config <> '';
