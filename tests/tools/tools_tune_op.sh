#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An operation with several implementations: tuned as one problem, with one
# final and one ranking, run and measured by the name of the operation.
. "$(dirname "$0")/hone_test.sh"
mkdir "$work/own"
cat >"$work/own/twice.cuh" <<'END'
#pragma once
#pragma hone op twice(n) "y = 2*x"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone work flops(n) bytes(8*n)
#pragma hone check template.twice_right tolerance(0) exact(100)
END
cat >"$work/own/twice_right.cu" <<'END'
#pragma hone op twice_right(n)
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone launch k args(x, y, i64(n))
#pragma hone check none
extern "C" __global__ void k(const float *x, float *y, long long n)
{
    for (long long i = 0; i < n; ++i)
        y[i] = x[i] + x[i];
}
END
implementation() { # implementation NAME WORDS PARAM STATEMENT ROUNDS FACTOR
    cat >"$work/own/twice_$1.cu" <<END
#include "twice.cuh"
#pragma hone implements twice/$1 $2 "the $1 way"
#pragma hone param $3
$4
#pragma hone launch k grid(ceildiv(n, BLOCK)) block(BLOCK) args(x, y, i32(n), $5)
extern "C" int usleep(unsigned us);
extern "C" __global__ void k(const float *x, float *y, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = i < n ? x[i] : 0.0f;

    if (i == 0 && rounds > 1) // more than a busy machine makes others wait
        usleep(200 * rounds);
    if (i < n)
        y[i] = $6 * v;
}
END
}
implementation fast '' 'BLOCK in {64, 128, 256}' \
    '#pragma hone require n >= 64 "little is for plain"' 'i32(1)' 2
implementation slow '' 'BLOCK in {32, 64, 96, 128, 160, 192}' \
    '#pragma hone require n >= 4 "three are for plain"' 'i32(100)' 2
implementation wrong '' 'BLOCK in {64, 128}' '' 'i32(1)' 3
implementation gpu '' 'BLOCK in {64, 128}' \
    '#pragma hone device cuda "it asks for a GPU"' 'i32(1)' 2
implementation plain reference 'BLOCK in {32} default 32' '' 'i32(50)' 2
HONE_TEMPLATE_PATH=$work/own
export HONE_TEMPLATE_PATH
db=$work/t.db
sql() { "$(dirname "$HONE")/../tests/db_ask" "$db" "$1"; }

# One run: all that apply, one winner; the others say why they do not.
run 0 tune twice --dims 4096 --device cpu --db "$db" --seed 1 --format json
json shapes.0.op=twice shapes.0.implementation=fast shapes.0.trials=12 \
    shapes.0.outcomes.ok=10 shapes.0.outcomes.wrong=2 \
    shapes.0.implementations.0.name=fast \
    shapes.0.implementations.0.applies=true \
    shapes.0.implementations.0.trials=3 \
    shapes.0.implementations.1.name=gpu \
    shapes.0.implementations.1.applies=false \
    shapes.0.implementations.2.name=slow \
    shapes.0.implementations.2.trials=6 \
    shapes.0.implementations.3.name=wrong \
    shapes.0.implementations.3.best_ns=null \
    shapes.0.implementations.4.name=plain \
    shapes.0.implementations.4.trials=1
out_has "it asks for a GPU"
[ "$(sql "SELECT count(*) FROM problem")" = 1 ] || fail "1 of: SELECT count(*) FROM problem"
[ "$(sql "SELECT template_name FROM winner_v1")" = fast ] || fail "fast of: SELECT template_name FROM winner_v1"
[ "$(sql "SELECT count(*) FROM ranked_v1")" = 10 ] || fail "10 of: SELECT count(*) FROM ranked_v1"
[ "$(sql "SELECT count(DISTINCT template_name) FROM ranked_v1")" = 3 ] || fail "3 of: SELECT count(DISTINCT template_name) FROM ranked_v1"

# Again: nothing is tried twice, whichever of them is asked for.
run 0 tune twice --dims 4096 --device cpu --db "$db" --format json
json shapes.0.resumed=12 shapes.0.trials=12 shapes.0.implementation=fast
run 0 tune twice/slow --dims 4096 --device cpu --db "$db" --format json
json shapes.0.resumed=12 shapes.0.implementation=fast

# One of them alone: only it tries anything, and the ranking stays one of all.
run 0 tune twice/slow --dims 4097 --device cpu --db "$db" --format json
json shapes.0.trials=6 shapes.0.implementation=slow
run 0 tune twice/fast --dims 4097 --device cpu --db "$db" --format json
json shapes.0.trials=9 shapes.0.resumed=6 shapes.0.implementation=fast \
    shapes.0.implementations.4.trials=0

# A budget is that of what was asked for: what the others tried costs nothing.
run 0 tune twice/slow --dims 4098 --device cpu --db "$db" --budget 3
run 0 tune twice/fast --dims 4098 --device cpu --db "$db" --budget 3 \
    --no-seeds --format json
json shapes.0.resumed=3 shapes.0.trials=6

# A budget: each has its turn, and what cannot win gets little.
run 0 tune twice --dims 5000 --device cpu --db "$db" --budget 9 --no-seeds \
    --format json
json shapes.0.trials=9 shapes.0.implementation=fast \
    shapes.0.implementations.0.trials=3

# Where only some apply, and where none does.
run 0 tune twice --dims 10 --device cpu --db "$db" --format json
json shapes.0.implementations.0.applies=false
out_has "little is for plain"
! grep -q '"implementation": "fast"' "$work/out" || fail 'fast won'
run 1 tune twice/fast --dims 10 --device cpu --db "$db"
err_has "little is for plain"

# The runtime and hone bench take the operation's name.
run 0 run twice --dims 4096 --device cpu --db "$db" --format json
json correct=true match=exact implementation=fast
# Untuned: the default of an implementation that applies, the reference last.
run 0 run twice --dims 9999999 --device cpu --db "$db" --format json
json correct=true match=default implementation=fast config=BLOCK=64
run 0 run twice --dims 3 --device cpu --db "$db" --format json
json correct=true match=default implementation=plain config=BLOCK=32
run 0 bench twice --dims 4096 --device cpu --db "$db" --format json
json rows.0.name=winner rows.0.implementation=fast
out_has '"label": "best of slow"'
out_has '"label": "best of plain"'
run 2 bench twice --dims 4096 --device cpu --db "$db" --config BLOCK=64
err_has "of which implementation of twice"
run 0 bench twice/fast --dims 4096 --device cpu --db "$db" --config BLOCK=64
# One that is called as the winner is, and is another one's.
run 0 tune twice/fast --dims 4097 --device cpu --budget 1 --db "$work/one.db"
run 0 bench twice/slow --dims 4097 --device cpu --db "$work/one.db" \
    --config BLOCK=64 --config BLOCK=64 --format json
json rows.0.name=winner rows.0.implementation=fast rows.0.config=BLOCK=64 \
    rows.1.name=config rows.1.implementation=slow rows.1.config=BLOCK=64 \
    rows.1.outcome=ok
[ "$(grep -o '"implementation": "slow"' "$work/out" | wc -l)" -eq 1 ] ||
    fail "a configuration has two rows"

# Contracts that differ are no operation.
mkdir "$work/two"
sed 's/bytes(8/bytes(9/; s/x: in/z: in/' "$work/own/twice.cuh" \
    >"$work/two/twice.cuh"
sed 's/twice\/fast/twice\/odd/; s/args(x/args(z/' "$work/own/twice_fast.cu" \
    >"$work/two/twice_odd.cu"
cp "$work/own/twice_right.cu" "$work/two"
run 3 tune twice --template-path "$work/own:$work/two" --dims 4096 \
    --device cpu --db "$db"
err_has "one contract has to declare both"
