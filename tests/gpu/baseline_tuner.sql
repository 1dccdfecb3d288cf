-- SPDX-License-Identifier: Apache-2.0
-- The table of baseline_tuner.sh.
create table file(name text, body text);
insert into file select value, readfile(value || '.json')
  from json_each('["saxpy","sum","gemm_wmma"]');
delete from file where body is null or not json_valid(body);
select body ->> 'tool' as tool, body ->> 'back_end' as "back end",
       name || ' ' || (body ->> 'dims') as problem, body ->> 'tried' as tried,
       body ->> 'timed' as timed, round(body ->> 'seconds', 1) as s,
       round(body ->> 'per_s', 2) as "per s",
       round(body ->> 'compile_s', 1) as "compiling s",
       round(body ->> 'verification_s', 1) as "verifying s",
       round(body ->> 'benchmark_s', 1) as "timing s",
       round((body ->> 'best_ns') / 1e3, 2) as "best us"
  from file;
