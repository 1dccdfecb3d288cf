-- SPDX-License-Identifier: Apache-2.0
-- What the tables of reduction_ladder.sh show; ladder.sql makes them.
create table what(step int, text text);
insert into what values
  (1, 'interleaved pairs, threads of a warp go different ways'),
  (2, 'interleaved pairs, whole warps'),
  (3, 'halves of the block: sequential addresses'),
  (4, 'first addition while loading'),
  (5, 'the last warp by shuffles'),
  (6, 'several elements for each thread');
create table beside(file text, text text, of text);
insert into beside values ('stream', 'sum/stream', '');
create table counted as select 'gbytes_per_s' as field, 'GB/s' as unit;
