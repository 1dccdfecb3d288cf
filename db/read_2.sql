-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 2 that is opened read-only: as read_1.sql, what
-- version 3 added.

CREATE TEMP VIEW IF NOT EXISTS session_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       driver_version, template_name, template_sha256, strategy, seed, budget,
       status, verdict, noise_floor, event_floor_ns, warm_up_ns,
       gpu_busy_ns AS device_busy_ns, gpu_wall_ns AS device_wall_ns, n_trials,
       started_at, duration_s, hone_version, problem_id, device_id,
       session_id, NULL AS stopped
  FROM main.session_v1;
