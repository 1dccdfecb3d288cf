-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 10, or of an older one after its own scripts,
-- that is opened read-only: winners are where they were.
CREATE TEMP VIEW answer_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       driver_version, config, types, time_ns, is_default, template_name,
       template_is_latest, compile_arch, problem_id, device_id, trial_id,
       variant_id, launch_plan, cubin_sha256, launch_sha256
  FROM winner_v1;
