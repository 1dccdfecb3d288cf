-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 7, or of an older one after its own scripts,
-- that is opened read-only. What else version 8 changed is how fast views
-- answer, not what.
CREATE TEMP VIEW IF NOT EXISTS trial_parameter_v1 AS
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
