-- SPDX-License-Identifier: Apache-2.0
-- From format version 3 to 4: one hash over all that a launch relies on, and
-- the lower places of every ranking beside the winners. Variants that are
-- there already have no hash until they are put again: what is in the file
-- now may be damaged, and a hash made here would say that it is not. As
-- schema.sql, this file is never changed once released.

-- SHA-256 of config, types, arch and cubin_sha256, each followed by a
-- newline, and launch_plan. NULL: no cubin, or stored before version 4.
ALTER TABLE variant ADD COLUMN launch_sha256 TEXT
    CHECK (length(launch_sha256) = 64);

-- ---- views -----------------------------------------------------------------

DROP VIEW winner_v1;
DROP VIEW default_v1;

-- One row per place of every ranking: rank 1 is the winner, and the others are
-- what the runtime launches where that one is damaged.
CREATE VIEW ranked_v1 AS
SELECT p.op, p.dims, p.label, r.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.memory_bytes, d.l2_bytes, d.driver_version,
       v.config, v.types, r.time_ns, r.ci_low_ns, r.ci_high_ns,
       (SELECT dt.time_ns
          FROM session ds
          JOIN trial dt ON dt.session_id = ds.session_id
          JOIN variant dv ON dv.variant_id = dt.variant_id
         WHERE ds.problem_id = r.problem_id AND ds.device_id = r.device_id
           AND ds.mode = r.mode AND dv.template_id = v.template_id
           AND dv.is_default = 1 AND dt.outcome = 'ok'
         ORDER BY dt.trial_id DESC LIMIT 1) AS default_time_ns,
       r.decided_by, v.is_default, v.registers, v.spill_bytes,
       v.static_shared_bytes, t.error_ratio, t.verified,
       k.name AS template_name, k.sha256 AS template_sha256,
       NOT EXISTS (SELECT 1 FROM template newer
                    WHERE newer.op = k.op AND newer.name = k.name
                      AND newer.last_put_unix_ns > k.last_put_unix_ns)
           AS template_is_latest,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options,
       strftime('%Y-%m-%d %H:%M:%S', r.ranked_unix_s, 'unixepoch')
           AS tuned_at,
       r.problem_id, r.device_id, r.session_id, r.trial_id, t.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin,
       v.launch_sha256, r.rank
  FROM problem p
  JOIN ranking r ON r.problem_id = p.problem_id
  JOIN device d ON d.device_id = r.device_id
  JOIN trial t ON t.trial_id = r.trial_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  LEFT JOIN artifact a ON a.sha256 = v.cubin_sha256;

-- The winners. As in version 3, with one column at the end.
CREATE VIEW winner_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       memory_bytes, l2_bytes, driver_version, config, types, time_ns,
       ci_low_ns, ci_high_ns, default_time_ns, decided_by, is_default,
       registers, spill_bytes, static_shared_bytes, error_ratio, verified,
       template_name, template_sha256, template_is_latest, toolchain,
       compile_arch, options, tuned_at, problem_id, device_id, session_id,
       trial_id, variant_id, launch_plan, cubin_sha256, cubin_size_bytes,
       cubin, launch_sha256
  FROM ranked_v1
 WHERE rank = 1;

-- As in version 3, with one column at the end.
CREATE VIEW default_v1 AS
SELECT b.op, b.arch, b.types, v.config, v.registers, v.spill_bytes,
       v.static_shared_bytes,
       k.name AS template_name, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, v.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin, v.launch_sha256
  FROM (SELECT op, arch, types, variant_id,
               row_number() OVER (
                   PARTITION BY op, arch, types
                   ORDER BY last_put_unix_ns DESC, template_id DESC,
                            toolchain_id DESC, variant_id DESC) AS place
          FROM (SELECT bk.op, bv.types, bv.variant_id, bv.template_id,
                       bv.toolchain_id, bk.last_put_unix_ns,
                       CASE WHEN bv.arch GLOB 'sm_*'
                            THEN rtrim(bv.arch, 'af')
                            ELSE bv.arch END AS arch
                  FROM variant bv
                  JOIN template bk ON bk.template_id = bv.template_id
                 WHERE bv.is_default = 1 AND bv.outcome = 'ok'
                   AND bv.cubin_sha256 IS NOT NULL)) b
  JOIN variant v ON v.variant_id = b.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  JOIN artifact a ON a.sha256 = v.cubin_sha256
 WHERE b.place = 1;
