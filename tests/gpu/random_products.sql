-- SPDX-License-Identifier: Apache-2.0
-- Of answers.json, a list of what `hone verify --shapes` said: what was reached;
-- each implementation; each problem and configuration that failed.
SELECT count(*) || ' problems were reached; at ' ||
       sum(p.value ->> 'checked' = 0) || ' of them nothing was checked; ' ||
       sum(p.value ->> 'checked') || ' variants were checked, ' ||
       printf('%.2f', avg(p.value ->> 'seconds')) || ' s a problem in the mean, ' ||
       printf('%.1f', max(p.value ->> 'seconds')) || ' s at most'
  FROM json_each(readfile('answers.json')) a,
       json_each(a.value, '$.problems') p;
SELECT '';
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
SELECT '';
SELECT (f.value ->> 'op') || '/' || (f.value ->> 'implementation') AS failed,
       f.value ->> 'dims' AS dims, f.value ->> 'seed' AS seed,
       f.value ->> 'config' AS config, f.value ->> 'outcome' AS outcome,
       substr(replace(f.value ->> 'message', char(10), ' '), 1, 160) AS message
  FROM json_each(readfile('answers.json')) a,
       json_each(a.value, '$.failures') f
 LIMIT 40;
