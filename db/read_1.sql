-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 1 that is opened read-only and so cannot be
-- migrated: views of this connection alone, over the file's own, that have
-- what versions 2 and 3 added, unknown. The scripts of the later versions run
-- after this one and leave alone what is there. So queries see the current
-- format everywhere. Changes with every new version, unlike the schema.

CREATE TEMP VIEW IF NOT EXISTS trial_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       driver_version, config, types, outcome, message, time_ns, spread_ns,
       n_samples, launches_per_sample, error_ratio, verified, sm_clock_mhz,
       power_mw, temperature_c, throttle_reasons, is_default, registers,
       spill_bytes, static_shared_bytes, compile_time_ns,
       gpu_time_ns AS device_time_ns, started_at, started_unix_ns,
       template_name, template_sha256, toolchain, compile_arch, options,
       strategy, seed, hone_version, problem_id, device_id, session_id,
       trial_id, variant_id, compile_key, cubin_sha256, log_sha256,
       samples_ns, NULL AS timing, NULL AS n_discarded,
       NULL AS sample_time_ns, '' AS compiler_warnings
  FROM main.trial_v1;

CREATE TEMP VIEW IF NOT EXISTS session_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       k.name AS template_name, k.sha256 AS template_sha256,
       s.strategy, s.seed, s.budget, s.status, NULL AS verdict,
       NULL AS noise_floor, NULL AS event_floor_ns, NULL AS warm_up_ns,
       NULL AS device_busy_ns, NULL AS device_wall_ns,
       (SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)
           AS n_trials,
       strftime('%Y-%m-%d %H:%M:%S', s.started_unix_s, 'unixepoch')
           AS started_at,
       s.finished_unix_s - s.started_unix_s AS duration_s, s.hone_version,
       s.problem_id, s.device_id, s.session_id, NULL AS stopped
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN template k ON k.template_id = s.template_id;

CREATE TEMP VIEW IF NOT EXISTS decision_v1 AS
SELECT NULL AS op, NULL AS dims, NULL AS label, NULL AS mode,
       NULL AS device_name, NULL AS device_kind, NULL AS arch,
       NULL AS sm_count, NULL AS driver_version, NULL AS session_id,
       NULL AS at, NULL AS kind, NULL AS config, NULL AS against_config,
       NULL AS ratio, NULL AS ratio_low, NULL AS ratio_high,
       NULL AS n_samples, NULL AS text, NULL AS at_unix_ns,
       NULL AS problem_id, NULL AS device_id, NULL AS trial_id,
       NULL AS variant_id, NULL AS against_trial_id, NULL AS decision_id
 WHERE 0;
