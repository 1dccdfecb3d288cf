-- SPDX-License-Identifier: Apache-2.0
-- The tables of a ladder, behind the script of its own, which makes
--   what(step, text)        what the steps do
--   beside(file, text, of)  what is tuned beside them; where `of` is not null,
--                           the libraries are shown too, `of` behind their names
--   counted(field, unit)    the rate
-- "gain" is over the step before, in turns in one bench if both are in one;
-- what is beside the steps was timed after a rest.
create table tuned(step int, j text);
insert into tuned select step, readfile('ladder_' || step || '.json') from what;
delete from tuned where not coalesce(json_valid(j), 0);
update tuned set j = j -> '$.shapes[0]';
delete from tuned where j ->> 'winner' is null;
create table bench(file text, config text, ratio real, time_ns real);
insert into bench
select f.value, r.value ->> 'config', r.value ->> 'ratio', r.value ->> 'time_ns'
  from json_each('["ladder_bench.json", "ladder_first.json"]') f,
       json_each(iif(json_valid(readfile(f.value)), readfile(f.value), '{}'),
                 '$.rows') r
 where r.value ->> 'ratio' is not null;
create table row as
select t.step, w.text, t.j ->> 'winner' as winner,
       (t.j ->> 'time_ns') / 1e3 as us, t.j ->> (select field from counted) as rate,
       b.file, b.time_ns, min(b.ratio) as ratio
  from tuned t join what w on w.step = t.step
  left join bench b on b.config = t.j ->> 'winner'
 group by t.step;
create table gain as
select later.step, former.step as over,
       round(iif(former.file = later.file, former.ratio / later.ratio,
                 former.time_ns / later.time_ns), 2) as times
  from row later join row former on former.step < later.step;

select r.step, r.text as "what", r.winner, round(r.us, 2) as us,
       round(r.rate) as rate, (select unit from counted) as unit,
       (select times from gain g where g.step = r.step and over = r.step - 1)
         as gain,
       (select times from gain g where g.step = r.step and over = 1)
         as "over step 1"
  from row r order by r.step;
create table other(place int, text text, of text, j text);
insert into other
select rowid, text, of, readfile('ladder_' || file || '.json') from beside;
delete from other where not coalesce(json_valid(j), 0);
update other set j = j -> '$.shapes[0]';
delete from other where j ->> 'winner' is null;
select text as "beside them", j ->> 'winner' as winner,
       round((j ->> 'time_ns') / 1e3, 2) as us,
       round(j ->> (select field from counted)) as rate
  from other
union all
select b.value ->> 'label' || of, '', round((b.value ->> 'time_ns') / 1e3, 2),
       round((j ->> (select field from counted)) * (j ->> 'time_ns') /
             (b.value ->> 'time_ns'))
  from other, json_each(j, '$.baselines') b
 where of is not null and b.value ->> 'time_ns' is not null;
