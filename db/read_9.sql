-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 9, or of an older one after its own scripts,
-- that is opened read-only: nothing was learned.
CREATE TEMP VIEW model_v1 AS
SELECT NULL AS op, NULL AS types, NULL AS mode, NULL AS kind,
       NULL AS device_name, NULL AS device_kind, NULL AS arch,
       NULL AS sm_count, NULL AS driver_version, NULL AS n_trials,
       NULL AS n_problems, NULL AS error, NULL AS trained_at,
       NULL AS hone_version, NULL AS size_bytes, NULL AS sha256,
       NULL AS data, NULL AS device_id, NULL AS model_id
 WHERE 0;
