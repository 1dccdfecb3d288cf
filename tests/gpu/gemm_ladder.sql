-- SPDX-License-Identifier: Apache-2.0
-- What the tables of gemm_ladder.sh show; ladder.sql makes them.
create table what(step int, text text);
insert into what values
  (1, 'a thread for each element, global memory'),
  (2, 'tiles in shared memory'),
  (3, 'several elements of a thread, in registers'),
  (4, '16 bytes at a time'),
  (5, 'the next tile while this one is multiplied'),
  (6, 'compact parts of the tile for warps');
create table beside(file text, text text, of text);
insert into beside values
  ('simt', 'gemm/simt', ', f32'),
  ('wmma', 'gemm/wmma, f16', null),
  ('sm90', 'gemm/sm90, f16', ', f16');
create table counted as select 'gflops' as field, 'Gflop/s' as unit;
