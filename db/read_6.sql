-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 6, or of an older one after its own scripts,
-- that is opened read-only: columns by the names that they have now.

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
       samples_ns, timing, n_discarded, sample_time_ns, compiler_warnings
  FROM main.trial_v1;

CREATE TEMP VIEW IF NOT EXISTS session_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       driver_version, template_name, template_sha256, strategy, seed, budget,
       status, verdict, noise_floor, event_floor_ns, warm_up_ns,
       gpu_busy_ns AS device_busy_ns, gpu_wall_ns AS device_wall_ns, n_trials,
       started_at, duration_s, hone_version, problem_id, device_id,
       session_id, stopped
  FROM main.session_v1;

CREATE TEMP VIEW IF NOT EXISTS baseline_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       driver_version, name, baseline_label, choice AS algorithm,
       n_choices AS n_algorithms, time_ns, spread_ns, n_samples, error_ratio,
       message, problem_id, device_id, session_id, baseline_id
  FROM main.baseline_v1;
