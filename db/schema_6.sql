-- SPDX-License-Identifier: Apache-2.0
-- Format version 6: an operation has several implementations, of which each
-- has a default variant. FORMAT.md explains what is new.

ALTER TABLE template ADD COLUMN kind TEXT NOT NULL DEFAULT 'template'
    CHECK (kind IN ('template', 'reference', 'vendor'));

-- One row per op, implementation, architecture and types: what is launched for
-- shapes that nobody has tuned, the lowest preference that applies: among equals
-- the implementation that has won more often. None whose last trial was wrong.
-- A vendor's variants have no cubin.
CREATE VIEW default_v2 AS
SELECT b.op, k.name AS implementation, k.kind,
       CASE k.kind WHEN 'vendor' THEN 0 WHEN 'reference' THEN 3
                   ELSE 2 - (v.arch GLOB 'sm_*[af]') END
       - coalesce((SELECT 0.5 * avg(wk.name = k.name)
                     FROM ranking w
                     JOIN trial wt ON wt.trial_id = w.trial_id
                     JOIN variant wv ON wv.variant_id = wt.variant_id
                     JOIN template wk ON wk.template_id = wv.template_id
                    WHERE w.rank = 1 AND wk.op = k.op), 0) AS preference,
       b.arch, b.types, v.config, v.registers, v.spill_bytes,
       v.static_shared_bytes, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, v.variant_id,
       v.launch_plan, v.cubin_sha256, a.size_bytes AS cubin_size_bytes,
       a.data AS cubin, v.launch_sha256
  FROM (SELECT op, arch, types, variant_id,
               row_number() OVER (
                   PARTITION BY op, name, arch, types
                   ORDER BY last_put_unix_ns DESC, template_id DESC,
                            toolchain_id DESC, variant_id DESC) AS place
          FROM (SELECT bk.op, bk.name, bv.types, bv.variant_id,
                       bv.template_id, bv.toolchain_id, bk.last_put_unix_ns,
                       CASE WHEN bv.arch GLOB 'sm_*'
                            THEN rtrim(bv.arch, 'af')
                            ELSE bv.arch END AS arch
                  FROM variant bv
                  JOIN template bk ON bk.template_id = bv.template_id
                 WHERE bv.is_default = 1 AND bv.outcome = 'ok'
                   AND (bv.cubin_sha256 IS NOT NULL OR bk.kind = 'vendor')
                   AND coalesce((SELECT bt.outcome FROM trial bt
                                  WHERE bt.variant_id = bv.variant_id
                                  ORDER BY bt.trial_id DESC LIMIT 1), 'ok')
                       NOT IN ('wrong', 'fault'))) b
  JOIN variant v ON v.variant_id = b.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  LEFT JOIN artifact a ON a.sha256 = v.cubin_sha256
 WHERE b.place = 1;
