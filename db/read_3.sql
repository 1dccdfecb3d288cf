-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 3, or of an older one after its own script,
-- that is opened read-only: what version 4 added.

CREATE TEMP VIEW IF NOT EXISTS default_v1 AS
SELECT *, NULL AS launch_sha256
  FROM main.default_v1;

-- The winners, without the lower places: what read_4.sql begins with.
CREATE TEMP VIEW ranked_4 AS
SELECT *, NULL AS launch_sha256, 1 AS rank
  FROM main.winner_v1;

-- No launch had a hash.
CREATE TEMP VIEW launch_v1 AS
SELECT k.op, k.name AS template_name, v.config, v.types, v.arch, v.options,
       v.cubin_sha256, v.launch_plan, NULL AS launch_sha256, v.is_default,
       k.sha256 AS template_sha256, v.template_id, v.variant_id
  FROM variant v
  JOIN template k ON k.template_id = v.template_id;
