#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How a search begins and what it is told: --start, a person's configurations,
# which go right after the default; options of strategies.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/start.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"; }
is() { [ "$(ask "$2")" = "$1" ] || fail "$2: $(ask "$2"), not $1"; }
small=$here/../replay/recordings/small_t4.json

# ---- what a file may say ----------------------------------------------------

printf '# mine\n\nBLOCK=64 , ITEMS = 2 # small\n{"BLOCK": 512, "ITEMS": 4}\nBLOCK=1024\nITEMS=3\n{"NONE": 1}\n' \
    >"$work/start"
run 0 tune saxpy_stream --dims 5003 --device cpu --budget 4 --jobs 1 \
    --start "$work/start" --format json
json shapes.0.started=3 shapes.0.trials=4
err_has "start:6: ITEMS=3 is left out: "
err_has "start:7: NONE=1 is left out: "
err_has "3 of the configurations of $work/start went first"
# Right after the default, in the order of the file; what a line leaves out is
# the default.
is 1 "select config like '%BLOCK=64,%' from trial_v1
    where not is_default order by trial_id limit 1"
is 1 "select config like '%ITEMS=4,BLOCK=512%' from trial_v1
    where not is_default order by trial_id limit 1 offset 1"
is 1 "select config = replace((select config from trial_v1 where is_default),
        'BLOCK=256', 'BLOCK=1024')
    from trial_v1 where not is_default order by trial_id limit 1 offset 2"
is "went first: line 3 of $work/start" \
    "select text from decision_v1 where kind = 'seeded' order by decision_id limit 1"
# Again: they are known.
run 0 tune saxpy_stream --dims 5003 --device cpu --budget 4 \
    --start "$work/start" --format json
json shapes.0.started=0 shapes.0.resumed=4

# Two parts of one problem: each tries all three and says so.
echo "saxpy/stream 5003" >"$work/list"
printf 'BLOCK=64\nBLOCK=512\nBLOCK=1024\n' >"$work/three"
for part in 1 2; do
    run 0 tune --shapes "$work/list" --shard "$part/2" --device cpu --budget 8 --no-seeds \
        --db "$work/part$part.db" --start "$work/three" --format json
    json shapes.0.started=3
done

# ---- lines that are no configuration ----------------------------------------

bad() { # bad LINE MESSAGE
    printf 'BLOCK=64\n%s\n' "$1" >"$work/bad"
    run 3 tune saxpy_stream --dims 5003 --device cpu --start "$work/bad"
    out_empty
    err_has "bad:2: $2"
    run 3 simulate "$small" --start "$work/bad"
    err_has "bad:2: $2"
}
bad 'BLOCK' "there is a part without '='"
printf 'BLOCK=64\n\000ITEMS=2\nBLOCK=32\n' >"$work/bad"
run 3 simulate "$small" --start "$work/bad"
err_has "bad:2: there is a zero byte"
bad 'BLOCK=1,,ITEMS=2' "there is a part without '='"
bad '=3' 'a parameter or its value is not one'
bad 'BLOCK=' 'a parameter or its value is not one'
bad 'BLOCK=1,BLOCK=2' 'BLOCK is given twice'
bad '{"BLOCK": 1' 'this is not JSON: '
bad '{"BLOCK": 1, "BLOCK": 2}' 'this is not JSON: '
bad '{"BLOCK": [1]}' 'a value is neither number nor text'
bad '{}' 'there is no parameter'
printf '# nothing\n' >"$work/bad"
run 3 tune saxpy_stream --dims 5003 --device cpu --start "$work/bad"
err_has 'bad: there is no configuration in it'
run 3 tune saxpy_stream --dims 5003 --device cpu --start "$work/none"

# ---- options of strategies ---------------------------------------------------

refused() { # refused STRATEGY MESSAGE
    run 2 simulate "$small" --strategy "$1"
    out_empty
    err_has "$2"
    run 2 tune saxpy_stream --dims 5003 --device cpu --strategy "$1"
    err_has "$2"
}
refused local:kick=4 "the strategy 'local' has no option 'kick'; it has kicks (1 to 64, default 8), params ("
refused local: "has no option ''"
refused random:spread=1 'it has none'
refused local:kicks=0 "is a whole number from 1 to 64, default 8, not '0': kicks before"
refused local:kicks=2.5 "is a whole number from 1 to 64"
refused genetic:mutation=1.5 'is a number from 0 to 1, default 0.3'
refused genetic:mutation=x 'is a number from 0 to 1'
refused genetic:mutation 'is a number from 0 to 1'
refused nope:x=1 "there is no search strategy 'nope'"
# They make a difference, and defaults make none.
figures() { # figures STRATEGY
    run 0 simulate "$here/../replay/recordings/small_t4.json" --repeats 40 --budget 4 \
        --format json --strategy "$1"
    sed -n 's/.*"fraction": //p' "$work/out"
}
[ "$(figures local)" = "$(figures local:spread=12,kicks=8)" ] || fail "the defaults are others"
[ "$(figures local)" != "$(figures local:spread=1)" ] || fail "spread does nothing"
# A comma goes on with the options where one follows.
run 0 simulate "$small" --repeats 2 --strategy local:kicks=4,params=2,genetic:members=4,random --format json
json strategy=local:kicks=4,params=2,genetic:members=4,random \
    files.0.strategy=local:kicks=4,params=2 files.1.strategy=genetic:members=4 files.2.strategy=random
run 0 tune saxpy_stream --dims 5003 --device cpu --budget 5 --strategy local:kicks=4
is local:kicks=4 "select strategy from session_v1 order by session_id desc limit 1"
run 0 help strategies
out_has '  local:kicks=N'
out_has '(1 to 64, default 8)'

# ---- parameters that do not exist -------------------------------------------

cat >"$work/swizzled.cu" <<'EOF'
#pragma hone op swizzled(n) "y = 2*x"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone param STAGES in 1..3 default 2
#pragma hone param SWIZZLE in {none, xored, pad} default xored when STAGES > 1
#pragma hone launch swizzled grid(ceildiv(n, 256)) block(256) args(x, y, i64(n), i32(STAGES))
extern "C" __global__ void swizzled(const float *x, float *y, long long n, int stages)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;

    if (i < n && SWIZZLE != SWIZZLE_values::pad)
        y[i] = stages ? 2 * x[i] : 0;
    else if (i < n)
        y[i] = x[i] + x[i];
}
EOF
run 0 tune "$work/swizzled.cu" --dims 1000 --device cpu --strategy exhaustive \
    --db "$work/swizzled.db" --format json
json shapes.0.outcomes.ok=7
printf 'STAGES=1\nSTAGES=3\nSTAGES=3,SWIZZLE=pad\nSTAGES=1,SWIZZLE=pad\n' >"$work/start"
run 0 simulate "$work/swizzled.db" --start "$work/start" --budget 3 --repeats 1 \
    --strategy random --format json
err_lines 1
err_has 'start:4: STAGES=1,SWIZZLE=pad is left out: it was not recorded'

# ---- recordings -------------------------------------------------------------

# The best one first: every run has it after one evaluation.
printf 'block=64,layout=row\n{"block": 32, "layout": "col"}\nblock=64\nblock=7,layout=row\nwidth=1\n' \
    >"$work/start"
run 0 simulate "$small" --start "$work/start" --budget 1 --repeats 5 \
    --strategy random --format json
json files.0.best_ns=1000000.0 files.0.fraction=1.0
err_has "start:3: block=64 is left out: it has no layout, and the recording does not say what the default is"
err_has "start:4: block=7,layout=row is left out: no trial has block=7"
err_has "start:5: width=1 is left out: there is no parameter 'width'"
run 0 tune --device "replay:$small" --start "$work/start" --budget 1 \
    --db "$work/replay.db" --format json
json "shapes.0.winner=block=64,layout=row" shapes.0.trials=1
# Without it, five runs of one evaluation do not all find it.
run 0 simulate "$small" --budget 1 --repeats 5 --strategy random --format json
grep -q '"fraction": 1.0' "$work/out" && fail "the file made no difference"
exit 0
