-- SPDX-License-Identifier: Apache-2.0
-- The table of gemm_ladder.sh. "gain" is over the step before, in turns in one
-- bench; the last rows were timed after a rest.
create table what(step int, text text);
insert into what values
  (1, 'a thread for each element, global memory'),
  (2, 'tiles in shared memory'),
  (3, 'several elements of a thread, in registers'),
  (4, '16 bytes at a time'),
  (5, 'the next tile while this one is multiplied'),
  (6, 'compact parts of the tile for warps');
create table tuned(step int, j text);
insert into tuned select step, readfile('ladder_' || step || '.json') from what;
insert into tuned values (7, readfile('ladder_simt.json')),
  (8, readfile('ladder_wmma.json')), (9, readfile('ladder_sm90.json'));
delete from tuned where not coalesce(json_valid(j), 0);
update tuned set j = j -> '$.shapes[0]';
delete from tuned where j ->> 'winner' is null;
create table bench(config text, ratio real, time_ns real);
insert into bench
select r.value ->> 'config', r.value ->> 'ratio', r.value ->> 'time_ns'
  from json_each(iif(json_valid(readfile('ladder_bench.json')),
                     readfile('ladder_bench.json'), '{}'), '$.rows') r
 where r.value ->> 'ratio' is not null;
create table row as
select t.step, w.text, t.j ->> 'winner' as winner,
       (t.j ->> 'time_ns') / 1e3 as us, t.j ->> 'gflops' as rate,
       (select min(ratio) from bench where config = t.j ->> 'winner') as ratio
  from tuned t join what w on w.step = t.step;

select r.step, r.text as "what", r.winner, round(r.us, 1) as us,
       round(r.rate) as "Gflop/s", round(before.ratio / r.ratio, 2) as gain,
       round(first.ratio / r.ratio, 2) as "over step 1"
  from row r left join row before on before.step = r.step - 1
  left join row first on first.step = 1
 order by r.step;
select case step when 7 then 'gemm/simt' when 8 then 'gemm/wmma, f16'
                 else 'gemm/sm90, f16' end as "beside them",
       j ->> 'winner' as winner, round((j ->> 'time_ns') / 1e3, 1) as us,
       round(j ->> 'gflops') as "Gflop/s"
  from tuned where step >= 7
union all
select b.value ->> 'label' || iif(t.step = 7, ', f32', ', f16'), '',
       round((b.value ->> 'time_ns') / 1e3, 1),
       round((t.j ->> 'gflops') * (t.j ->> 'time_ns') / (b.value ->> 'time_ns'))
  from tuned t, json_each(t.j, '$.baselines') b
 where t.step in (7, 9) and b.value ->> 'time_ns' is not null;
