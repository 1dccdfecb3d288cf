-- SPDX-License-Identifier: Apache-2.0
-- What may go: see db_gc.c, which runs this in a transaction with foreign keys
-- off, and checks them all at the end. Of each template, known by op and name, the
-- text that was put last stays, with all that was measured with it. What was
-- measured with others is stale: the runtime launches none of it, and no tune
-- resumes from it. But where a session runs, or was killed less than a day ago: its
-- tuner may go on. What was measured elsewhere and recorded is never stale: the
-- hash of its template is that of a file, and another file is no newer text of it.

CREATE TEMP TABLE recorded_template (template_id INTEGER PRIMARY KEY);
CREATE TEMP TABLE old_template (template_id INTEGER PRIMARY KEY);
CREATE TEMP TABLE old_variant (variant_id INTEGER PRIMARY KEY);
CREATE TEMP TABLE old_trial (trial_id INTEGER PRIMARY KEY);
CREATE TEMP TABLE old_session (session_id INTEGER PRIMARY KEY);
-- What went.
CREATE TEMP TABLE gone (what TEXT PRIMARY KEY, n INTEGER);

INSERT INTO recorded_template
SELECT k.template_id FROM template k
 WHERE EXISTS (SELECT 1 FROM session s
                WHERE s.template_id = k.template_id)
   AND NOT EXISTS (SELECT 1 FROM session s JOIN device d USING (device_id)
                    WHERE s.template_id = k.template_id
                      AND d.kind <> 'replay');
INSERT INTO old_template
SELECT o.template_id FROM template o
 WHERE EXISTS (SELECT 1 FROM template n
                WHERE n.op = o.op AND n.name = o.name
                  AND n.last_put_unix_ns > o.last_put_unix_ns
                  AND n.template_id NOT IN (SELECT template_id
                                              FROM recorded_template))
   AND o.template_id NOT IN (SELECT template_id FROM recorded_template)
   AND NOT EXISTS (SELECT 1 FROM session s
                    WHERE s.template_id = o.template_id
                      AND s.status = 'running'
                      AND s.started_unix_s > unixepoch() - 86400);
INSERT INTO old_variant
SELECT v.variant_id
  FROM old_template o CROSS JOIN variant v ON v.template_id = o.template_id;
INSERT INTO old_trial
SELECT t.trial_id
  FROM old_variant o CROSS JOIN trial t ON t.variant_id = o.variant_id;

-- A ranking whose winner is stale answers nobody; of others the stale places.
DELETE FROM ranking
 WHERE (problem_id, device_id, mode) IN (
       SELECT r.problem_id, r.device_id, r.mode
         FROM old_trial o CROSS JOIN ranking r ON r.trial_id = o.trial_id
        WHERE r.rank = 1);
INSERT INTO gone VALUES ('places', changes());
DELETE FROM ranking
 WHERE trial_id IN (SELECT trial_id FROM old_trial);
UPDATE gone SET n = n + changes() WHERE what = 'places';

-- A session of an older text may have trials that the current one took over.
INSERT INTO old_session
SELECT s.session_id
  FROM old_template o CROSS JOIN session s ON s.template_id = o.template_id
 WHERE NOT EXISTS (SELECT 1 FROM trial t
                    WHERE t.session_id = s.session_id
                      AND t.trial_id NOT IN (SELECT trial_id FROM old_trial))
   AND NOT EXISTS (SELECT 1 FROM ranking r
                    WHERE r.session_id = s.session_id);
DELETE FROM decision
 WHERE session_id IN (SELECT session_id FROM old_session)
    OR trial_id IN (SELECT trial_id FROM old_trial)
    OR against_trial_id IN (SELECT trial_id FROM old_trial)
    OR variant_id IN (SELECT variant_id FROM old_variant);
INSERT INTO gone VALUES ('decisions', changes());
DELETE FROM counter WHERE trial_id IN (SELECT trial_id FROM old_trial);
DELETE FROM trial WHERE trial_id IN (SELECT trial_id FROM old_trial);
INSERT INTO gone VALUES ('trials', changes());
DELETE FROM baseline
 WHERE session_id IN (SELECT session_id FROM old_session);
DELETE FROM session
 WHERE session_id IN (SELECT session_id FROM old_session);
INSERT INTO gone VALUES ('sessions', changes());
DELETE FROM variant
 WHERE variant_id IN (SELECT variant_id FROM old_variant);
INSERT INTO gone VALUES ('variants', changes());
DELETE FROM template
 WHERE template_id IN (SELECT template_id FROM old_template)
   AND NOT EXISTS (SELECT 1 FROM session s
                    WHERE s.template_id = template.template_id);
INSERT INTO gone VALUES ('templates', changes());

-- What nothing refers to any more, or never did.
DELETE FROM problem
 WHERE NOT EXISTS (SELECT 1 FROM session s
                    WHERE s.problem_id = problem.problem_id)
   AND NOT EXISTS (SELECT 1 FROM ranking r
                    WHERE r.problem_id = problem.problem_id);
DELETE FROM toolchain
 WHERE NOT EXISTS (SELECT 1 FROM variant v
                    WHERE v.toolchain_id = toolchain.toolchain_id);
-- Of an operation of which nothing is left on its device. Where a variant of a
-- chooser is gone, db_model.c finds out.
DELETE FROM model
 WHERE NOT EXISTS (SELECT 1 FROM tally y
                    WHERE y.op = model.op AND y.device_id = model.device_id
                      AND y.mode = model.mode);
INSERT INTO gone VALUES ('models', changes());
DELETE FROM device
 WHERE NOT EXISTS (SELECT 1 FROM session s
                    WHERE s.device_id = device.device_id)
   AND device_id NOT IN (SELECT device_id FROM ranking);
DELETE FROM launch_form
 WHERE form_id NOT IN (SELECT launch_form_id FROM variant
                        WHERE launch_form_id IS NOT NULL);
DELETE FROM artifact
 WHERE sha256 NOT IN (SELECT source_sha256 FROM template UNION ALL
                      SELECT cubin_sha256 FROM variant
                       WHERE cubin_sha256 IS NOT NULL UNION ALL
                      SELECT log_sha256 FROM variant
                       WHERE log_sha256 IS NOT NULL)
   -- A list that was shared out, as long as a session is about it.
   AND (kind <> 'source' OR substr(sha256, 1, 16) NOT IN (
           SELECT substr(budget, instr(budget, ' of ') + 4, 16) FROM session
            WHERE budget GLOB '*shard [0-9]*/* of *'));
INSERT INTO gone VALUES ('artifacts', changes());

DROP TABLE temp.recorded_template;
DROP TABLE temp.old_template;
DROP TABLE temp.old_variant;
DROP TABLE temp.old_trial;
DROP TABLE temp.old_session;
