-- SPDX-License-Identifier: Apache-2.0
-- Of answers.json, a list of what `hone verify --shapes` said: what was reached;
-- each implementation; each problem and configuration that failed.
WITH problem AS ( -- several implementations that are named have it each
  SELECT max(p.value ->> 'checked') AS most, sum(p.value ->> 'checked') AS n,
         sum(p.value ->> 'seconds') AS s
    FROM json_each(readfile('answers.json')) a,
         json_each(a.value, '$.problems') p
   GROUP BY p.value ->> 'op', p.value ->> 'dims')
SELECT count(*) || ' problems were reached; at ' || coalesce(sum(most = 0), 0) ||
       ' of them nothing was checked; ' || coalesce(sum(n), 0) ||
       ' variants were checked, ' || printf('%.2f', avg(s)) ||
       ' s a problem in the mean, ' || printf('%.1f', max(s)) || ' s at most'
  FROM problem;
WITH part AS (
  SELECT (p.value ->> 'op') || '/' || (i.value ->> 'implementation') AS name,
         i.value ->> 'checked' AS n, i.value ->> 'failed' AS n_failed,
         i.value ->> 'skipped' AS n_skipped
    FROM json_each(readfile('answers.json')) a,
         json_each(a.value, '$.problems') p,
         json_each(p.value, '$.implementations') i),
failure AS (
  SELECT (f.value ->> 'op') || '/' || (f.value ->> 'implementation') AS name,
         f.value ->> 'outcome' AS outcome
    FROM json_each(readfile('answers.json')) a,
         json_each(a.value, '$.failures') f)
SELECT name AS implementation, sum(n > 0) AS problems, sum(n) AS variants,
       sum(n) - sum(n_failed) AS right,
       coalesce((SELECT group_concat(t, ', ')
                   FROM (SELECT outcome || ' ' || count(*) AS t
                           FROM failure f
                          WHERE f.name = part.name
                          GROUP BY outcome)), '0') AS failures,
       sum(n_skipped) AS skipped
  FROM part
 GROUP BY name;
SELECT (f.value ->> 'op') || '/' || (f.value ->> 'implementation') AS failed,
       f.value ->> 'dims' AS dims, f.value ->> 'seed' AS seed,
       f.value ->> 'config' AS config, f.value ->> 'outcome' AS outcome,
       substr(replace(f.value ->> 'message', char(10), ' '), 1, 160) AS message
  FROM json_each(readfile('answers.json')) a,
       json_each(a.value, '$.failures') f
 LIMIT 40;
