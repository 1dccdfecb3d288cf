-- SPDX-License-Identifier: Apache-2.0
-- The table of skewed_products.sh. "x cuBLAS" is how often the winner is done in
-- the time of cuBLAS.
create table problem(place int, dims text, j text);
insert into problem
  select key, value, readfile('skewed_' || value || '.json') -> '$.shapes[0]'
    from json_each(readfile('problems.json'));
delete from problem where j ->> 'winner' is null;

select replace(dims, ',', ' x ') as "M x N",
       j ->> 'implementation' as by,
       round((j ->> 'time_ns') / 1e3, 1) as us,
       round(j ->> 'gflops') as "Gflop/s",
       round(j ->> 'gbytes_per_s') as "GB/s",
       (select round((value ->> 'time_ns') / 1e3, 1)
          from json_each(j, '$.baselines')
         where value ->> 'name' = 'cublas') as "cuBLAS us",
       (select round((value ->> 'time_ns') / 1e3, 1)
          from json_each(j, '$.baselines')
         where value ->> 'name' = 'cublaslt') as "cuBLASLt us",
       (select round((value ->> 'time_ns') / (j ->> 'time_ns'), 2)
          from json_each(j, '$.baselines')
         where value ->> 'name' = 'cublas') as "x cuBLAS",
       j ->> 'trials' as trials, j ->> 'winner' as winner
  from problem order by place;
