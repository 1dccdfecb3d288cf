-- SPDX-License-Identifier: Apache-2.0
-- The table of reduction_ladder.sh. "gain" is over the step before, in turns in
-- one bench; the last rows were timed after a rest.
create table what(step int, text text);
insert into what values
  (1, 'interleaved pairs, threads of a warp go different ways'),
  (2, 'interleaved pairs, whole warps'),
  (3, 'halves of the block: sequential addresses'),
  (4, 'first addition while loading'),
  (5, 'the last warp by shuffles'),
  (6, 'several elements for each thread');
create table tuned(step int, j text);
insert into tuned select step, readfile('ladder_' || step || '.json') from what;
insert into tuned values (7, readfile('ladder_stream.json'));
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
       (t.j ->> 'time_ns') / 1e3 as us, t.j ->> 'gbytes_per_s' as rate,
       (select min(ratio) from bench where config = t.j ->> 'winner') as ratio
  from tuned t join what w on w.step = t.step;

select r.step, r.text as "what", r.winner, round(r.us, 2) as us,
       round(r.rate) as "GB/s", round(before.ratio / r.ratio, 2) as gain,
       round(first.ratio / r.ratio, 2) as "over step 1"
  from row r left join row before on before.step = r.step - 1
  left join row first on first.step = 1
 order by r.step;
select 'sum/stream' as "beside them", j ->> 'winner' as winner,
       round((j ->> 'time_ns') / 1e3, 2) as us,
       round(j ->> 'gbytes_per_s') as "GB/s"
  from tuned where step = 7
union all
select b.value ->> 'label', '', round((b.value ->> 'time_ns') / 1e3, 2),
       round((t.j ->> 'gbytes_per_s') * (t.j ->> 'time_ns') / (b.value ->> 'time_ns'))
  from tuned t, json_each(t.j, '$.baselines') b
 where t.step = 7 and b.value ->> 'time_ns' is not null;
