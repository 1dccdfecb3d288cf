-- SPDX-License-Identifier: Apache-2.0
-- The tables of throughput.sh:
--     cd FOLDER && db_ask :memory: @.../tests/gpu/throughput.sql
create table file(name text, target real, body text, s real);
insert into file(name, target)
values ('tune_gemm', 60), ('warm_gemm', null), ('tune_saxpy', 120),
       ('tune_reduce', 120), ('warm_reduce', null), ('whole_reduce', 120),
       ('compile_gemm', 300), ('compile_saxpy', null);
update file set body = readfile(name || '.json'),
                s = trim(readfile(name || '.s'), char(10));
delete from file where body is null or not json_valid(body);

select name as "tuning", j ->> 'trials' as trials, round(s, 1) as "s",
       round((j ->> 'trials') / s, 0) as "per s",
       round(target, 0) as target, j ->> 'n_compiles' as compiles,
       round(j ->> 'setup_s', 2) as "set-up s",
       round(j ->> 'trials_s', 2) as "trials s",
       round((j ->> 'trials') / (j ->> 'trials_s'), 0) as "per s of these",
       round(j ->> 'final_s', 2) as "final s",
       round(100 * (j ->> 'device_idle_ratio'), 0) || ' %' as "GPU idle",
       j ->> 'n_samples' as samples, round(j ->> 'sample_s', 2) as "their s",
       j ->> 'outcomes' as outcomes, j ->> 'verdict' as verdict,
       round(100 * (j ->> 'noise_floor'), 2) || ' %' as "noise"
  from (select *, body -> '$.shapes[0]' as j from file)
 where name not like 'compile%';
select name as "compiling", body ->> 'variants' as variants,
       body ->> 'compiles' as compiles, body ->> 'failed' as failed,
       body ->> 'workers' as processes, round(s, 2) as "s",
       round(body ->> 'variants_per_s', 0) as "variants/s",
       round(target, 0) as target,
       round((body ->> 'compiles') / (body ->> 'seconds'), 0)
         as "compiles/s"
  from file where name like 'compile%';
