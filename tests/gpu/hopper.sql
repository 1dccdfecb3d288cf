-- SPDX-License-Identifier: Apache-2.0
-- The tables of hopper.sh. A ratio is over the winner of the long search.
create table problem(dims text, small text, large text, bench text);
insert into problem
  select value, readfile('small_' || value || '.json'),
         readfile('large_' || value || '.json'),
         readfile('bench_' || value || '.json')
    from json_each(readfile('problems.json'));
delete from problem where not coalesce(json_valid(bench), 0);

select dims as problem,
       case when j.value ->> 'name' = 'config' and
                 j.value ->> 'config' = small -> '$.shapes[0]' ->> 'winner'
            then 'winner of the short search'
            else j.value ->> 'label' end as runner,
       printf('%.2f', (j.value ->> 'time_ns') / 1e3) as "time us",
       printf('%.0f', (small -> '$.shapes[0]' ->> 'gflops') *
         (small -> '$.shapes[0]' ->> 'time_ns') / (j.value ->> 'time_ns') /
         1e3) as "TFLOP/s",
       printf('%.3f', j.value ->> 'ratio') as "x winner",
       printf('%.3f-%.3f', j.value ->> 'ratio_low', j.value ->> 'ratio_high')
         as "95 % interval",
       j.value ->> 'n_samples' as rounds, j.value ->> 'outcome' as outcome
  from problem, json_each(problem.bench, '$.rows') j;
select '';
select dims as problem, 'short' as search,
       small -> '$.shapes[0]' ->> 'trials' as trials,
       small -> '$.shapes[0]' ->> 'outcomes' as outcomes,
       small -> '$.shapes[0]' ->> 'valid' as "of",
       printf('%.1f', small -> '$.shapes[0]' ->> 'seconds') as s,
       small -> '$.shapes[0]' ->> 'verdict' as verdict,
       small -> '$.shapes[0]' ->> 'winner' as winner
  from problem
union all
select dims, 'long', large -> '$.shapes[0]' ->> 'trials',
       large -> '$.shapes[0]' ->> 'outcomes',
       large -> '$.shapes[0]' ->> 'valid',
       printf('%.1f', large -> '$.shapes[0]' ->> 'seconds'),
       large -> '$.shapes[0]' ->> 'verdict',
       large -> '$.shapes[0]' ->> 'winner'
  from problem
 order by 1, 2 desc;
