-- SPDX-License-Identifier: Apache-2.0
-- Of unseen.json: each product, and geometric means of how many times as fast as the
-- faster library it is, by whether rows begin at multiples of 16 bytes.
WITH row AS (
  SELECT j.key, j.value AS v, j.value ->> 'time_ns' AS ns,
         (SELECT min(b.value ->> 'time_ns')
            FROM json_each(j.value, '$.baselines') b) AS library_ns,
         j.value ->> '$.dims[7]' AS lda, j.value ->> '$.dims[8]' AS ldb,
         j.value ->> '$.dims[9]' AS ldc
    FROM json_each(readfile('unseen.json'), '$.shapes') j),
told AS (
  SELECT *, library_ns / ns AS ratio,
         iif(lda % 8 OR ldb % 8 OR ldc % 8, 'no', 'yes') AS aligned
    FROM row
   WHERE ns IS NOT NULL AND library_ns IS NOT NULL)
SELECT printf('%d x %d x %d', v ->> '$.dims[0]', v ->> '$.dims[1]',
              v ->> '$.dims[2]') ||
       iif(v ->> '$.dims[5]', ', A transposed', '') ||
       iif(v ->> '$.dims[6]', ', B transposed', '') AS product,
       v ->> '$.dims[3]' AS type, aligned,
       printf('%.2f (%.2f to %.2f)', ns / 1e3, (v ->> 'ci_low_ns') / 1e3,
              (v ->> 'ci_high_ns') / 1e3) AS us,
       printf('%.2f', library_ns / 1e3) AS library_us,
       printf('%.2f', ratio) AS ratio, v ->> 'trials' AS trials,
       coalesce(v ->> 'implementation', '') AS by, v ->> 'winner' AS winner
  FROM told
 ORDER BY key;
WITH told AS (
  SELECT (SELECT min(b.value ->> 'time_ns')
            FROM json_each(j.value, '$.baselines') b) /
         (j.value ->> 'time_ns') AS ratio,
         (j.value ->> '$.dims[7]') % 8 OR (j.value ->> '$.dims[8]') % 8 OR
         (j.value ->> '$.dims[9]') % 8 AS is_loose
    FROM json_each(readfile('unseen.json'), '$.shapes') j
   WHERE j.value ->> 'time_ns' IS NOT NULL)
SELECT iif(is_loose, 'no', 'yes') AS aligned, count(*) AS products,
       printf('%.3f', exp(avg(ln(ratio)))) AS mean,
       printf('%.3f', min(ratio)) AS least, printf('%.3f', max(ratio)) AS most
  FROM told
 WHERE ratio IS NOT NULL
 GROUP BY is_loose;
