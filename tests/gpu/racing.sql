-- SPDX-License-Identifier: Apache-2.0
-- The table of racing.sh.
create table op(op text, fixed text, raced text, bench text);
insert into op(op) values ('sum'), ('saxpy');
update op set fixed = readfile('fixed_' || op || '.json'),
              raced = readfile('raced_' || op || '.json'),
              bench = readfile('bench_' || op || '.json');
delete from op where not coalesce(json_valid(fixed) and json_valid(raced), 0);
update op set fixed = fixed -> '$.shapes[0]', raced = raced -> '$.shapes[0]',
              bench = iif(json_valid(bench), bench, null);

create table bench_row as
select op, r.value ->> 'config' as config, r.value ->> 'ratio' as ratio,
       r.value ->> 'ratio_low' as low, r.value ->> 'ratio_high' as high
  from op, json_each(op.bench, '$.rows') r;

select op.op, raced ->> 'trials' as trials,
       fixed ->> 'n_samples' as "samples, 30 each",
       raced ->> 'n_samples' as "raced",
       round(fixed ->> 'sample_s', 2) as "seconds, 30 each",
       round(raced ->> 'sample_s', 2) as "raced",
       round((fixed ->> 'sample_s') / (raced ->> 'sample_s'), 1)
         as "times less (5)",
       round(fixed ->> 'trials_s', 1) as "all trials s, 30 each",
       round(raced ->> 'trials_s', 1) as "raced",
       fixed ->> 'winner' = raced ->> 'winner' as "same winner",
       round(100 * r.ratio / f.ratio - 100, 2) || ' %'
         as "raced over fixed (0.5 %)",
       round(100 * r.low / f.ratio - 100, 2) || ' to ' ||
         round(100 * r.high / f.ratio - 100, 2) || ' %' as "95 % interval",
       round(100 * (bench ->> 'noise_floor'), 2) || ' %' as "noise floor"
  from op
  left join bench_row f on f.op = op.op and f.config = fixed ->> 'winner'
  left join bench_row r on r.op = op.op and r.config = raced ->> 'winner'
 group by op.op;
