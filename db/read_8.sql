-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 8, or of an older one after its own scripts,
-- that is opened read-only: launch plans were whole.
CREATE TEMP VIEW IF NOT EXISTS launch_v1 AS
SELECT k.op, k.name AS template_name, v.config, v.types, v.arch, v.options,
       v.cubin_sha256, v.launch_plan, v.launch_sha256, v.is_default,
       k.sha256 AS template_sha256, v.template_id, v.variant_id
  FROM variant v
  JOIN template k ON k.template_id = v.template_id;

-- Nobody profiled.
CREATE TEMP VIEW counter_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, driver_version,
       template_name, config, NULL AS kernel, NULL AS name, NULL AS unit,
       NULL AS value, trial_id, variant_id
  FROM trial_v1 WHERE 0;
