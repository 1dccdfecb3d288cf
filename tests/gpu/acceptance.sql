-- SPDX-License-Identifier: Apache-2.0
-- The tables of docs/results/ from the JSON files of acceptance.sh:
--     cd FOLDER && db_ask :memory: @.../tests/gpu/acceptance.sql
-- Bound: the longer of moving the declared bytes at 4.25 TB/s (a device copy
-- of an H200, measured) and, for gemm, the operations at 989 TFLOP/s (its data
-- sheet).
create table file(name text, body text);
insert into file select value, readfile(value || '.json') from json_each(
  '["compile_all","compile_one","tune_saxpy","tune_reduce","tune_gemm",
    "run_saxpy_1M","run_saxpy_64M","run_saxpy_10000003","run_sum_1M",
    "run_sum_64M","run_sum_999983","run_gemm_4096,4096,4096",
    "run_gemm_1000,1000,1000","run_gemm_64,4096,4096",
    "run_gemm_3000,517,777"]');
delete from file where body is null or not json_valid(body);

create table shape as
  select file.name as file, s.value as j,
         s.value ->> 'op' as op, s.value ->> 'label' as label,
         s.value ->> 'time_ns' as ns,
         max(coalesce(s.value ->> 'gbytes_per_s', 0) / 4250.0,
             case when s.value ->> 'op' like 'gemm%'
                  then coalesce(s.value ->> 'gflops', 0) / 989000.0
                  else 0 end) as of_bound
    from file, json_each(file.body, '$.shapes') s
   where file.name like 'tune%';

select name as "compiling", body ->> 'variants' as variants,
       body ->> 'compiles' as compiles, body ->> 'failed' as failed, body ->> 'workers' as processes,
       printf('%.2f', body ->> 'seconds') as seconds,
       printf('%.1f', body ->> 'variants_per_s') as "variants/s",
       printf('%.1f', (body ->> 'compiles') / (body ->> 'seconds'))
         as "compiles/s"
  from file where name like 'compile%';
select '';
select op || ' ' || label as problem, j ->> 'winner' as winner,
       printf('%.2f', ns / 1e3) as "time us",
       printf('%.2f-%.2f', (j ->> 'ci_low_ns') / 1e3, (j ->> 'ci_high_ns') / 1e3)
         as "95 % interval",
       printf('%.2f', (j ->> 'spread_ns') / 1e3) as "spread us",
       printf('%.0f', 100 * of_bound) as "% of bound",
       printf('%.2f', (j ->> 'default_ns') / 1e3) as "default us",
       j ->> 'trials' as trials, j ->> 'compiled' as compiled,
       j ->> 'outcomes' as outcomes, printf('%.1f', j ->> 'seconds') as s
  from shape;
select '';
select op || ' ' || label as problem, b.value ->> 'label' as baseline,
       printf('%.2f', (b.value ->> 'time_ns') / 1e3) as "baseline us",
       printf('%.2f', (b.value ->> 'spread_ns') / 1e3) as "spread us",
       printf('%.2f', ns / 1e3) as "hone us",
       printf('%.2f', (b.value ->> 'time_ns') / ns) as "baseline / hone",
       b.value ->> 'algorithm' as algorithm, b.value ->> 'n_algorithms' as algorithms,
       b.value ->> 'message' as note
  from shape, json_each(shape.j, '$.baselines') b;
select '';
select substr(name, 5) as "through the runtime", body ->> 'match' as "match",
       body ->> 'correct' as correct,
       printf('%.3g', body ->> 'error') as "error / bound",
       printf('%.2f', (body ->> 'time_ns') / 1e3) as "time us",
       printf('%.2f', (body ->> 'tuned_time_ns') / 1e3) as "tuned us",
       printf('%.3f', (body ->> 'time_ns') / (body ->> 'tuned_time_ns'))
         as ratio
  from file where name like 'run%';
