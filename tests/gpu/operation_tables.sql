-- SPDX-License-Identifier: Apache-2.0
-- The table of operation_tables.sh. `of copy` is the winner's bytes a second over the
-- rate at which the device copies large arrays. A ratio above 1: hone is faster
-- than that baseline, in turns in one final; `library` is the fastest of CUB,
-- cuBLAS and cuFFT, `plain` the reference implementation; `drawn`: its sizes
-- were drawn at random.
create table problem(name text, shape text);
insert into problem
  select value, iif(json_valid(text), text -> '$.shapes[0]', null)
    from (select value, cast(readfile('tune_' || value || '.json') as text)
                        as text
            from json_each(readfile('problems.json')));
create table row as
  select iif(name in (select value from json_each(readfile('drawn.json'))),
             'drawn', '') as drawn,
         shape ->> 'op' as op, shape ->> 'label' as label,
         shape ->> 'implementation' as by, shape ->> 'time_ns' as time_ns,
         shape ->> 'spread_ns' as spread_ns,
         shape ->> 'gbytes_per_s' as rate, shape ->> 'gflops' as gflops, shape ->> 'trials' as trials,
         shape ->> 'valid' as valid, shape ->> 'seconds' as seconds,
         shape ->> 'winner' as winner,
         (select min(value ->> 'time_ns') from json_each(shape, '$.baselines')
           where value ->> 'name' = 'memcpy') as copy_ns,
         (select min(value ->> 'time_ns') from json_each(shape, '$.baselines')
           where value ->> 'name' like 'template.%') as plain_ns,
         (select min(value ->> 'time_ns') from json_each(shape, '$.baselines')
           where value ->> 'name' <> 'memcpy'
             and value ->> 'name' not like 'template.%') as library_ns
    from problem where coalesce(json_valid(shape), 0)
                   and shape ->> 'time_ns' is not null;

select op, label as problem, by, printf('%.2f', time_ns / 1e3) as "us",
       printf('%.2f', spread_ns / 1e3) as "spread us",
       printf('%.0f', rate) as "GB/s",
       printf('%.1f %%', 100 * rate / trim(readfile('copy'), char(10)))
         as "of copy",
       iif(gflops, printf('%.2f', gflops / 1e3), '') as "TFLOP/s",
       iif(copy_ns, printf('%.3f', copy_ns / time_ns), '') as "memcpy / hone",
       iif(library_ns, printf('%.3f', library_ns / time_ns), '')
         as "library / hone",
       iif(plain_ns, printf('%.2f', plain_ns / time_ns), '') as "plain / hone",
       drawn, trials, valid, printf('%.1f', seconds) as s, winner
  from row;
select '';
select op, count(*) as n,
       printf('%.3f', exp(avg(ln(library_ns / time_ns)))) as
         "library / hone, geometric mean",
       printf('%.3f', min(library_ns / time_ns)) as least
  from row where library_ns is not null group by op;
select '';
select name as "without winner", shape ->> 'message' as why from problem
 where not coalesce(json_valid(shape), 0) or shape ->> 'time_ns' is null;
