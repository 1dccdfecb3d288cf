-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 4, or of an older one after its own scripts,
-- that is opened read-only: rows whose two times are one measurement, made
-- from ranked_4, the view as it was.

CREATE TEMP VIEW IF NOT EXISTS ranked_4 AS
SELECT * FROM main.ranked_v1;

CREATE TEMP VIEW ranked_v1 AS
SELECT op, dims, label, mode, device_name, device_kind, arch, sm_count,
       memory_bytes, l2_bytes, driver_version, config, types, time_ns,
       ci_low_ns, ci_high_ns,
       coalesce(
           CASE WHEN r.decided_by <> 'time of its trial' THEN
               (SELECT fr.time_ns
                  FROM ranking fr
                  JOIN trial ft ON ft.trial_id = fr.trial_id
                  JOIN variant fv ON fv.variant_id = ft.variant_id
                 WHERE fr.problem_id = r.problem_id
                   AND fr.device_id = r.device_id AND fr.mode = r.mode
                   AND fr.decided_by <> 'time of its trial'
                   AND fv.is_default = 1
                   AND fv.template_id =
                       (SELECT v.template_id FROM variant v
                         WHERE v.variant_id = r.variant_id)
                 ORDER BY fr.rank LIMIT 1) END,
           CASE WHEN (SELECT s.verdict FROM session_v1 s
                       WHERE s.session_id = r.session_id) IS NULL
                THEN default_time_ns END) AS default_time_ns,
       decided_by, is_default, registers, spill_bytes, static_shared_bytes,
       error_ratio, verified, template_name, template_sha256,
       template_is_latest, toolchain, compile_arch, options, tuned_at,
       problem_id, device_id, session_id, trial_id, variant_id, launch_plan,
       cubin_sha256, cubin_size_bytes, cubin, launch_sha256, rank,
       (SELECT coalesce(s.verdict, CASE s.status WHEN 'interrupted'
                                   THEN 'interrupted' END)
          FROM session_v1 s WHERE s.session_id = r.session_id) AS verdict
  FROM ranked_4 r;

CREATE TEMP VIEW winner_v1 AS
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
