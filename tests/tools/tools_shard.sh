#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A list of problems in shards: the same parts everywhere, each problem once, a
# merge that says what is missing, lists for a second round, and what is refused.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cd "$work"
tests=$(dirname "$HONE")/../tests
ask() { "$tests/db_ask" "$@"; }
for n in 1 2 3 4 5 6 7; do
    echo "saxpy/stream ${n}001"
done >list
shard() { # shard I N [FILE]
    run 0 tune --shapes list --shard "$1/$2" --device cpu --budget 2 \
        --db "${3:-s$1.db}" -q --format json
}

# ---- bad input -----------------------------------------------------------------
run 2 tune --shapes list --shard 4/3 --device cpu --db no.db
err_has "--shard 4/3: the index is 4, and must be from 1 to 3"
run 2 tune --shapes list --shard 0/3 --device cpu --db no.db
err_has "must be from 1 to 3"
run 2 tune --shapes list --shard auto --device cpu --db no.db
err_has "no scheduler says which task this is"
run 2 tune --shapes list --shard 1/3 --device cpu
err_has "--shard takes a database of its own"
run 2 tune --shapes list --shard 1/3 --missing-from no.db --db x.db
err_has "--missing-from prints a list and tunes nothing"
run 2 tune saxpy --portfolio --shard 1/3 --db x.db
err_has "not about portfolios"
run 3 tune --shapes list --missing-from nobody.db
err_has "nobody.db"
echo "folder" >plain
run 3 tune --shapes list --shard 1/3 --device cpu --db plain/s1.db
err_has "plain"
# A disk that is not mounted: nothing is made in its place.
run 3 tune --shapes list --shard 1/3 --device cpu --db "$work/unmounted/run/s1.db"
err_has "the folder '$work/unmounted/run' of the shard's database is not there"
[ ! -e unmounted ] || fail "a folder was made"
[ ! -e no.db ] || fail "a database was made"

# ---- each problem once ------------------------------------------------------------
shard 1 3
! grep -q '"portfolios"' out || fail "a shard makes no portfolio"
shard 3 3
run 1 merge s3.db s1.db --db all.db --format json
json lists=1 shards=3 missing_shards=1 problems=7 open=2 \
    open_shards.0.shard=2/3 open_shards.0.state=missing open_shards.0.open=2 \
    open_shards.0.problems.1.name=saxpy/stream
err_has "1 of 3 shards are missing, and 2 problems"
# In any order, and again: nothing more, and the same answer.
run 1 merge s1.db --db again.db
out_has "2/3"
run 1 merge s3.db s1.db --db again.db
out_has "trials: 4"
run 1 merge s1.db s3.db --db all.db --format json
json sessions=0 trials=0 winners=0 open=2

# Which problems are missing: a file for --shapes.
run 0 tune --shapes list --missing-from all.db
cp out rest
[ "$(wc -l <rest)" -eq 2 ] || fail "not two problems"
err_has "2 of 7 problems have no winner in all.db"
run 0 tune --shapes list --missing-from all.db --device cpu --mode cold
[ "$(wc -l <out)" -eq 7 ] || fail "nothing is tuned in that mode"
run 0 tune --shapes list --missing-from all.db --device cpu --format json
json problems=7 missing.0.op=saxpy missing.0.launches=null
# The second round is another list, and completes the first.
run 0 tune --shapes rest --device cpu --budget 2 --db rest.db -q
run 0 merge rest.db --db all.db --format json
json open=0 missing_shards=0
run 0 tune --shapes list --missing-from all.db
out_empty
# Or the missing shard comes.
shard 2 3
run 0 merge s2.db --db again.db --format json
json open=0 trials=4
[ "$(ask again.db "select count(distinct problem_id) from session")" -eq 7 ] ||
    fail "not all problems"
[ "$(ask again.db "select count(*) from trial")" -eq 14 ] ||
    fail "a trial is lost, or there twice"
# What is collected is not the list.
run 0 gc --db again.db
run 0 merge s1.db --db again.db --format json
json lists=1 shards=3 open=0

# A problem with two implementations is two lines, maybe of two shards: what one
# tuned is not what the other would have.
printf 'saxpy/stream 9001\nsaxpy/plain 9001\n' >two
run 0 tune --shapes two --shard 1/2 --device cpu --budget 2 --db t1.db -q
run 1 merge t1.db --db two.db --format json
json problems=2 open=1 missing_shards=1 open_shards.0.problems.0.dims
run 0 tune --shapes two --shard 2/2 --device cpu --budget 2 --db t2.db -q
run 0 merge t2.db --db two.db --format json
json open=0
# A tune of the whole problem completes both.
run 0 tune saxpy --dims 9001 --device cpu --budget 2 --db rest_2.db -q
run 0 merge t1.db rest_2.db --db two_2.db --format json
json problems=2 open=0

# ---- what is not finished, and who is there twice -----------------------------------
cp s2.db cut.db
run 0 sql --write "UPDATE session SET status = 'interrupted'
    WHERE problem_id = 1" --db cut.db
run 1 merge s1.db s3.db cut.db --db cut_all.db --format json
json missing_shards=0 open=1 open_shards.0.state="not finished"
shard 2 3 twice.db
run 0 merge s1.db s2.db twice.db s3.db --db twice_all.db
err_has "s2.db and twice.db are both shard 2/3 of"
cp s2.db copy.db
run 0 merge s1.db s2.db copy.db s3.db --db copy_all.db
err_empty

# ---- parts of one problem --------------------------------------------------------------
echo "saxpy/stream 90001" >one
for i in 1 2 4; do
    run 0 tune --shapes one --shard "$i/4" --device cpu --budget 16 \
        --db "p$i.db" -q
done
run 1 merge p1.db p2.db p4.db --db parts.db --format json
json problems=4 open=1 missing_shards=1 open_shards.0.problems.0.part=3
# But for the default, which each tries, no configuration is there twice.
[ "$(ask parts.db "select count(*) from trial")" -eq 12 ] || fail "not 12 trials"
[ "$(ask parts.db "select count(distinct variant_id) from trial")" -eq 10 ] ||
    fail "configurations were tried twice"
[ "$(ask parts.db "select count(distinct budget) from session")" -eq 3 ] ||
    fail "sessions of several shards are one"
# The final of all parts is a tune that goes on from them.
run 0 tune --shapes one --device cpu --budget 10 --db parts.db -q --format json
json shapes.0.resumed=10 shapes.0.trials=10 shapes.0.winner
run 0 merge p1.db --db parts.db

# Where there is nothing else to try, the parts are the whole space.
for i in 1 2 3; do
    run 0 tune "$fixtures/mini.cu" --dims 1000 --shard "$i/3" --device cpu \
        --db "w$i.db" -q
done
run 0 merge w1.db w2.db w3.db --db whole.db
"$HONE" space "$fixtures/mini.cu" --dims 1000 --count >count
[ "$(ask whole.db "select count(distinct variant_id) from trial")" -eq \
    "$(cat count)" ] || fail "not the whole space"

# ---- databases of other versions ----------------------------------------------------------
cp s1.db newer.db
"$tests/damage_db" newer.db "PRAGMA user_version = 999"
run 3 merge s2.db newer.db --db refused.db
err_has "newer.db"
[ ! -e refused.db ] || fail "a database was made"
"$tests/make_version" old.db 3 "$here/../db/version_1.sql"
run 1 merge old.db s1.db --db with_old.db
json_lines=$(grep -c "missing" out)
[ "$json_lines" -ge 2 ] || fail "the missing shards are not listed"

# A part of a budget is at least one trial, and a shared problem's is divided once.
for n in $(seq 1 40); do
    echo "saxpy/stream $((1000 + n)) 10"
done >many
run 0 tune --shapes many --shard 1/40 --device cpu --db small.db --budget 10 -q
n=$(ask small.db "select count(*) from trial_v1")
[ "$n" -le 10 ] || fail "$n trials, a part of ten"
echo "saxpy/stream 1000 10" >one
for device in cpu cpu,cpu; do
    rm -f quarter.db
    run 0 tune --shapes one --shard 2/4 --device $device --db quarter.db --budget 40 -q
    n=$(ask quarter.db "select count(*) from trial_v1")
    [ $((n > 8 && n < 12)) -eq 1 ] || fail "$n trials on $device, a quarter of 40"
done
