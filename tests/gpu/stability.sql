-- SPDX-License-Identifier: Apache-2.0
-- The tables of stability.sh. Every ratio is over the fastest of the bench.
create table op(op text);
insert into op values ('sum'), ('gemm_wmma');
create table run(op text, seed text, j text);
insert into run select op, value, readfile(op || '_' || value || '.json')
  from op, json_each('["1","2","3","4","5","6","7","8","9","10","fixed"]');
delete from run where not coalesce(json_valid(j), 0);
update run set j = j -> '$.shapes[0]';
delete from run where j ->> 'winner' is null;

create table bench(op text, j text);
insert into bench select op, readfile(op || '_bench.json') from op;
delete from bench where not coalesce(json_valid(j), 0);
create table bench_row as
select op, r.value ->> 'config' as config, r.value ->> 'ratio' as ratio,
       r.value ->> 'ratio_low' as low, r.value ->> 'ratio_high' as high,
       r.value ->> 'time_ns' as time_ns, r.value ->> 'n_samples' as n
  from bench, json_each(bench.j, '$.rows') r
 where r.value ->> 'config' <> '' and r.value ->> 'ratio' is not null;
create table best as select op, min(ratio) as ratio from bench_row group by op;

select r.op, r.seed, r.j ->> 'trials' as trials,
       round(r.j ->> 'seconds', 1) as s, r.j ->> 'verdict' as verdict,
       round(b.time_ns / 1e3, 2) as "us in the bench",
       round(100 * b.ratio / best.ratio - 100, 2) || ' %' as "over the best",
       round(100 * b.low / best.ratio - 100, 2) || ' to ' ||
         round(100 * b.high / best.ratio - 100, 2) || ' %'
         as "95 % interval",
       r.j ->> 'winner' as winner
  from run r left join best on best.op = r.op
  left join (select op, config, min(ratio) as ratio, low, high, time_ns
               from bench_row group by op, config) b
    on b.op = r.op and b.config = r.j ->> 'winner'
 order by r.op, r.seed = 'fixed', cast(r.seed as integer);
select r.op, count(*) as runs, count(distinct r.j ->> 'winner') as winners,
       round(100 * max(b.ratio) / min(b.ratio) - 100, 2) || ' %'
         as "winners differ by (1 %)",
       round(100 * max(b.ratio) / min(best.ratio) - 100, 2) || ' %'
         as "worst regret (1 %)",
       (select count(distinct config) from bench_row where op = r.op)
         as "in the bench",
       (select round(100 * (j ->> 'noise_floor'), 2) || ' %' from bench
         where op = r.op) as "noise floor",
       round(100 * avg(r.j ->> 'noise_floor'), 2) || ' %'
         as "in the runs, mean"
  from run r left join best on best.op = r.op
  left join (select op, config, min(ratio) as ratio from bench_row
              group by op, config) b
    on b.op = r.op and b.config = r.j ->> 'winner'
 where r.seed <> 'fixed' group by r.op;
