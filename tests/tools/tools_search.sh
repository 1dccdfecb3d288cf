#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How hone tune searches, on the cpu device: what is good elsewhere goes
# first.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/search.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"; }
is() { [ "$(ask "$2")" = "$1" ] || fail "$2: $(ask "$2"), not $1"; }

# ---- the best of other shapes -----------------------------------------------

template=$work/saxpy_stream.cu
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE/templates/saxpy_stream.cu" "$work"
run 0 tune "$template" --dims 5003 --device cpu --budget 4 --format json
json shapes.0.seeded=0 shapes.0.trials=4
# Not the default, which goes first anyway, so one of two at least.
# (One compile process: else whoever compiles first is tried first.)
run 0 tune "$template" --dims 6001 --device cpu --budget 4 --jobs 1 \
    --format json
json shapes.0.trials=4 shapes.0.resumed=0
seeded=$(sed -n 's/.*"seeded": \([0-9]*\).*/\1/p' "$work/out")
[ "$seeded" -ge 1 ] || fail "nothing was seeded"
err_has "$seeded of what is good elsewhere went first"
is "$seeded" "select count(*) from decision_v1 where kind = 'seeded'
    and dims like '6001,%' and config <> ''
    and text like 'went first: place % of n=5003 T=f32 on this device'"
# They come right after the default.
is "$seeded" "select count(*) from decision_v1 d where kind = 'seeded'
    and config in (select config from trial_v1 where dims like '6001,%'
                   and not is_default order by trial_id limit $seeded)"
run 0 show decisions --format csv
out_has seeded
# The same again: they are known.
run 0 tune "$template" --dims 6001 --device cpu --budget 4 --format json
json shapes.0.seeded=0 shapes.0.resumed=4
run 0 tune "$template" --dims 7001 --device cpu --budget 2 --no-seeds \
    --format json
json shapes.0.seeded=0
# Another type is another kernel.
run 0 tune "$template" --dims 5003,f64 --device cpu --budget 1 --format json
json shapes.0.seeded=0
# A later version of the template: its own shape's best first, also where a
# parameter was added, but not what its space no longer has.
sed -e 's/^#pragma hone param BLOCK .*/&\n#pragma hone param NEW in {1, 2}/' \
    "$template" >"$work/new.cu" && mv "$work/new.cu" "$template"
run 0 tune "$template" --dims 6001 --device cpu --budget 3 --format json
json shapes.0.resumed=0 shapes.0.trials=3
is 1 "select count(*) > 0 from decision_v1 where kind = 'seeded'
    and text glob 'went first: place [12] of this problem on this device'
    and config like '%NEW=1%'"

# ---- a space with billions of configurations --------------------------------

# All of them are equally fast, so that finals take all the rounds they may: few
# elements keep these short.
HONE_DB=$work/wide.db
wide=$fixtures/wide.cu
run 0 tune "$wide" --dims 64 --device cpu --budget 5 --format json
json shapes.0.trials=5 shapes.0.valid=6749979000 shapes.0.stopped=budget
for strategy in exhaustive latin local; do
    run 0 tune "$wide" --dims 64 --device cpu --budget 30 \
        --strategy $strategy --db "$work/$strategy.db" --format json
    json shapes.0.trials=30 shapes.0.stopped=budget
done
run 0 verify "$wide" --limit 2 --format json
json checked=2 failed=0

# ---- when it stops ----------------------------------------------------------

# Half the time is a gain that noise does not make.
run 0 tune "$wide" --dims 65 --device cpu --until 50% --budget 30m \
    --samples 1 --format json
json shapes.0.stopped=unlikely
err_has "another 50 % is unlikely"
is unlikely "select stopped from session_v1 where dims like '65,%'"
is "30m until 50%" "select replace(budget, '1800s', '30m') from session_v1
    where dims like '65,%'"
is 1 "select count(*) from decision_v1 where kind = 'stopped'
    and dims like '65,%' and text like '%another 50 % is unlikely%'"
sed -e 's/1\.\.1500/1..2/; s/BLOCK in {64, 128}/BLOCK in {64}/; /#pragma hone require/d' \
    "$wide" >"$work/narrow.cu"
run 0 tune "$work/narrow.cu" --dims 64 --device cpu --format json
json shapes.0.stopped=exhausted shapes.0.trials=8
for bad in 0 100 -1 few 1x; do
    run 2 tune "$wide" --dims 64 --device cpu --until $bad
    err_has "--until takes a percentage"
done

# ---- the strategies, in help ------------------------------------------------

run 2 tune "$wide" --dims 4096 --device cpu --strategy magic
err_has "no search strategy 'magic'; there are: "
names=$(sed -n "s/.*there are: //p" "$work/err" | head -n 1 |
    sed 's/, and / /; s/,//g')
for command in tune simulate; do
    run 0 $command --help
    for name in $names; do
        grep -q "^  $name  *[a-z].* " "$work/out" ||
            fail "$command --help does not explain $name"
    done
done
