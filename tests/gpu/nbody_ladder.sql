-- SPDX-License-Identifier: Apache-2.0
-- What the tables of nbody_ladder.sh show; ladder.sql makes them.
create table what(step int, text text);
insert into what values
  (1, 'a thread for each body, one body after another in memory'),
  (2, 'n of each number in memory'),
  (3, 'tiles of the others in shared memory'),
  (4, 'several bodies of a thread'),
  (5, 'the loop over a tile unrolled'),
  (6, 'the approximate inverse root');
create table beside(file text, text text, of text);
insert into beside values ('tiles', 'nbody/tiles', '');
create table counted as select 'gflops' as field, 'Gflop/s' as unit;
