-- SPDX-License-Identifier: Apache-2.0
-- Format version 7: names in views, and devices of any kind. Time on a device is
-- called so whatever device it is, and what a vendor's library proposes is an
-- algorithm. The tables keep their columns' names: a program of an older version
-- that has the file open goes on writing.

-- Which kinds of device there are says the program's table of devices, not each
-- file. A constraint that is taken back changes no row: SQLite's own advice for
-- that is to edit the text (www.sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
   SET sql = replace(sql, 'CHECK (kind IN (''cuda'', ''cpu'', ''replay''))',
                     'CHECK (kind <> '''')')
 WHERE type = 'table' AND name = 'device';
PRAGMA writable_schema = RESET;

DROP VIEW trial_v1;
DROP VIEW session_v1;
DROP VIEW baseline_v1;

CREATE VIEW trial_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       v.config, v.types, t.outcome, t.message, t.time_ns, t.spread_ns,
       t.n_samples, t.launches_per_sample, t.error_ratio, t.verified,
       t.sm_clock_mhz, t.power_mw, t.temperature_c, t.throttle_reasons,
       v.is_default, v.registers, v.spill_bytes, v.static_shared_bytes,
       v.compile_time_ns, t.gpu_time_ns AS device_time_ns,
       strftime('%Y-%m-%d %H:%M:%f', t.started_unix_ns / 1e9, 'unixepoch')
           AS started_at,
       t.started_unix_ns,
       k.name AS template_name, k.sha256 AS template_sha256,
       c.name || ' ' || c.version AS toolchain,
       v.arch AS compile_arch, v.options, s.strategy, s.seed, s.hone_version,
       s.problem_id, s.device_id, t.session_id, t.trial_id, t.variant_id,
       v.compile_key, v.cubin_sha256, v.log_sha256, t.samples_ns,
       t.timing, t.n_discarded, t.sample_time_ns, v.compiler_warnings
  FROM trial t
  JOIN session s ON s.session_id = t.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id
  JOIN toolchain c ON c.toolchain_id = v.toolchain_id;

CREATE VIEW session_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       k.name AS template_name, k.sha256 AS template_sha256,
       s.strategy, s.seed, s.budget, s.status, s.verdict, s.noise_floor,
       s.event_floor_ns, s.warm_up_ns, s.gpu_busy_ns AS device_busy_ns,
       s.gpu_wall_ns AS device_wall_ns,
       (SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)
           AS n_trials,
       strftime('%Y-%m-%d %H:%M:%S', s.started_unix_s, 'unixepoch')
           AS started_at,
       s.finished_unix_s - s.started_unix_s AS duration_s, s.hone_version,
       s.problem_id, s.device_id, s.session_id, s.stopped
  FROM session s
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN template k ON k.template_id = s.template_id;

CREATE VIEW baseline_v1 AS
SELECT p.op, p.dims, p.label, s.mode,
       d.name AS device_name, d.kind AS device_kind, d.arch, d.sm_count,
       d.driver_version,
       b.name, b.label AS baseline_label, b.choice AS algorithm,
       b.n_choices AS n_algorithms, b.time_ns,
       b.spread_ns, b.n_samples, b.error_ratio, b.message,
       s.problem_id, s.device_id, b.session_id, b.baseline_id
  FROM (SELECT max(lb.baseline_id) AS baseline_id
          FROM baseline lb
          JOIN session ls ON ls.session_id = lb.session_id
         GROUP BY ls.problem_id, ls.device_id, ls.mode, lb.name) last
  JOIN baseline b ON b.baseline_id = last.baseline_id
  JOIN session s ON s.session_id = b.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id;
