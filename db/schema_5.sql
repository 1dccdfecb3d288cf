-- SPDX-License-Identifier: Apache-2.0
-- From format version 4 to 5: a row of ranked_v1 or winner_v1 is one
-- measurement. Before, default_time_ns was the default's last trial, whatever
-- session and moment it came from, beside the winner's time in its final. As
-- schema.sql, this file is never changed once released.

DROP VIEW winner_v1;
DROP VIEW ranked_v1;

-- As in version 4, with one column at the end. default_time_ns is that of the
-- final if time_ns is, and that of the default's trial where the session had
-- no final.
CREATE VIEW ranked_v1 AS
SELECT p.op, p.dims, p.label, r.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.memory_bytes, d.l2_bytes, d.driver_version,
       v.config, v.types, r.time_ns, r.ci_low_ns, r.ci_high_ns,
       coalesce(
           CASE WHEN r.decided_by <> 'time of its trial' THEN
               (SELECT fr.time_ns
                  FROM ranking fr
                  JOIN trial ft ON ft.trial_id = fr.trial_id
                  JOIN variant fv ON fv.variant_id = ft.variant_id
                 WHERE fr.problem_id = r.problem_id
                   AND fr.device_id = r.device_id AND fr.mode = r.mode
                   AND fr.decided_by <> 'time of its trial'
                   AND fv.template_id = v.template_id AND fv.is_default = 1
                 ORDER BY fr.rank LIMIT 1) END,
           CASE WHEN (SELECT s.verdict FROM session s
                       WHERE s.session_id = r.session_id) IS NULL THEN
               (SELECT dt.time_ns
                  FROM session ds
                  JOIN trial dt ON dt.session_id = ds.session_id
                  JOIN variant dv ON dv.variant_id = dt.variant_id
                 WHERE ds.problem_id = r.problem_id
                   AND ds.device_id = r.device_id AND ds.mode = r.mode
                   AND dv.template_id = v.template_id
                   AND dv.is_default = 1 AND dt.outcome = 'ok'
                 ORDER BY dt.trial_id DESC LIMIT 1) END) AS default_time_ns,
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
       v.launch_sha256, r.rank,
       (SELECT coalesce(s.verdict, CASE s.status WHEN 'interrupted'
                                   THEN 'interrupted' END)
          FROM session s WHERE s.session_id = r.session_id) AS verdict
  FROM problem p
  JOIN ranking r ON r.problem_id = p.problem_id
  JOIN device d ON d.device_id = r.device_id
  JOIN trial t ON t.trial_id = r.trial_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id
  LEFT JOIN artifact a ON a.sha256 = v.cubin_sha256;

-- As in version 4, with two columns at the end.
CREATE VIEW winner_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       memory_bytes, l2_bytes, driver_version, config, types, time_ns,
       ci_low_ns, ci_high_ns, default_time_ns, decided_by, is_default,
       registers, spill_bytes, static_shared_bytes, error_ratio, verified,
       template_name, template_sha256, template_is_latest, toolchain,
       compile_arch, options, tuned_at, problem_id, device_id, session_id,
       trial_id, variant_id, launch_plan, cubin_sha256, cubin_size_bytes,
       cubin, launch_sha256, verdict, default_time_ns / time_ns AS gain
  FROM ranked_v1
 WHERE rank = 1;
