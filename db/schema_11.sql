-- SPDX-License-Identifier: Apache-2.0
-- Format version 11: what answers a launch lies together. winner_v1 finds the
-- winner of a problem in eleven tables and indexes, each some pages deep; here
-- they are two. Triggers keep `answer`: a row for each winner. It refers to no
-- other table, since its ranking does: a key would look for children without an
-- index whenever a trial or a variant goes.

CREATE TABLE answer (
    op         TEXT NOT NULL,
    dims       TEXT NOT NULL,
    device_id  INTEGER NOT NULL,
    mode       TEXT NOT NULL CHECK (mode IN ('cold', 'hot')),
    problem_id INTEGER NOT NULL,
    label      TEXT NOT NULL,
    trial_id   INTEGER NOT NULL,
    variant_id INTEGER NOT NULL,
    time_ns    REAL NOT NULL,
    PRIMARY KEY (op, dims, device_id, mode)
) STRICT, WITHOUT ROWID;

INSERT INTO answer (op, dims, device_id, mode, problem_id, label, trial_id,
                    variant_id, time_ns)
SELECT p.op, p.dims, r.device_id, r.mode, p.problem_id, p.label, t.trial_id,
       t.variant_id, r.time_ns
  FROM problem p
  JOIN ranking r ON r.problem_id = p.problem_id AND r.rank = 1
  JOIN trial t ON t.trial_id = r.trial_id
 ORDER BY 1, 2, 3, 4;

CREATE TRIGGER winner_answers AFTER INSERT ON ranking WHEN NEW.rank = 1 BEGIN
    INSERT INTO answer (op, dims, device_id, mode, problem_id, label, trial_id,
                        variant_id, time_ns)
    SELECT p.op, p.dims, NEW.device_id, NEW.mode, p.problem_id, p.label,
           t.trial_id, t.variant_id, NEW.time_ns
      FROM problem p
      JOIN trial t ON t.trial_id = NEW.trial_id
     WHERE p.problem_id = NEW.problem_id;
END;
CREATE TRIGGER winner_answers_no_more
AFTER DELETE ON ranking WHEN OLD.rank = 1 BEGIN
    DELETE FROM answer
     WHERE (op, dims) = (SELECT p.op, p.dims FROM problem p
                          WHERE p.problem_id = OLD.problem_id)
       AND device_id = OLD.device_id AND mode = OLD.mode;
END;
-- A trial that the template's current text took over.
CREATE TRIGGER answer_carried AFTER UPDATE OF variant_id ON trial BEGIN
    UPDATE answer
       SET variant_id = NEW.variant_id
     WHERE (op, dims, device_id, mode) IN (
           SELECT p.op, p.dims, r.device_id, r.mode
             FROM ranking r JOIN problem p ON p.problem_id = r.problem_id
            WHERE r.trial_id = NEW.trial_id AND r.rank = 1);
END;
CREATE TRIGGER answer_renamed AFTER UPDATE OF op, dims, label ON problem BEGIN
    UPDATE answer
       SET op = NEW.op, dims = NEW.dims, label = NEW.label
     WHERE op = OLD.op AND dims = OLD.dims;
END;

-- As winner_v1 has them, by what a launch asks for.
CREATE VIEW answer_v1 AS
SELECT a.op, a.dims, a.label, a.mode, d.name AS device_name,
       d.kind AS device_kind, d.arch, d.sm_count, d.driver_version,
       v.config, v.types, a.time_ns, v.is_default, k.name AS template_name,
       NOT EXISTS (SELECT 1 FROM template newer
                    WHERE newer.op = k.op AND newer.name = k.name
                      AND newer.last_put_unix_ns > k.last_put_unix_ns)
           AS template_is_latest,
       v.arch AS compile_arch, a.problem_id, a.device_id, a.trial_id,
       a.variant_id,
       coalesce((SELECT f.head || v.launch_lines || f.tail FROM launch_form f
                  WHERE f.form_id = v.launch_form_id), v.launch_lines)
           AS launch_plan, v.cubin_sha256, v.launch_sha256
  FROM answer a
  JOIN device d ON d.device_id = a.device_id
  JOIN variant v ON v.variant_id = a.variant_id
  JOIN template k ON k.template_id = v.template_id;
