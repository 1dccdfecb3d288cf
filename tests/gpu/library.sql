-- SPDX-License-Identifier: Apache-2.0
-- The tables of library.sh. A ratio above 1: hone is faster than the better of
-- cuBLAS and the best of cuBLASLt's heuristics, in turns in one final. `ours` is
-- the best of our own kernels by its trial, over the library's best trial or
-- baseline, whichever is less.
create table problem(dims text, family text, shape text);
insert into problem
  select value, trim(readfile('library_' || value || '.family'), char(10)),
         readfile('library_' || value || '.json') -> '$.shapes[0]'
    from json_each(readfile('problems.json'));
create table row(dims, family, by, trials, seconds, hone_ns, library_ns, ours_ns,
                 theirs_ns, winner, verdict, why);
insert into row
  select dims, family, shape ->> 'implementation', shape ->> 'trials',
         shape ->> 'seconds', shape ->> 'time_ns',
         (select min(value ->> 'time_ns') from json_each(shape, '$.baselines')
           where value ->> 'time_ns' > 0),
         (select min(value ->> 'best_ns')
            from json_each(shape, '$.implementations')
           where value ->> 'name' not like 'cublas%'),
         (select min(value ->> 'best_ns')
            from json_each(shape, '$.implementations')
           where value ->> 'name' like 'cublas%'),
         shape ->> 'winner', shape ->> 'verdict', shape ->> 'message'
    from problem where coalesce(json_valid(shape), 0);

select dims as problem, family, by as "won by",
       printf('%.2f', hone_ns / 1e3) as "hone us",
       printf('%.2f', library_ns / 1e3) as "library us",
       printf('%.3f', library_ns / hone_ns) as "library / hone",
       printf('%.3f', min(library_ns, coalesce(theirs_ns, library_ns)) / ours_ns)
         as "library / ours",
       verdict, trials, printf('%.1f', seconds) as s, winner, why
  from row;
select '';
select family, count(*) as n,
       printf('%.3f', exp(avg(ln(library_ns / hone_ns)))) as "geometric mean",
       printf('%.3f', min(library_ns / hone_ns)) as least,
       sum(library_ns / hone_ns < 0.99) as "below 0.99",
       printf('%.3f', exp(avg(ln(min(library_ns,
         coalesce(theirs_ns, library_ns)) / ours_ns)))) as "ours alone"
  from row group by family
union all
select 'all', count(*), printf('%.3f', exp(avg(ln(library_ns / hone_ns)))),
       printf('%.3f', min(library_ns / hone_ns)),
       sum(library_ns / hone_ns < 0.99),
       printf('%.3f', exp(avg(ln(min(library_ns,
         coalesce(theirs_ns, library_ns)) / ours_ns))))
  from row;
select '';
select dims as "without winner", shape ->> 'message' as why from problem
 where shape ->> 'time_ns' is null or not coalesce(json_valid(shape), 0);
