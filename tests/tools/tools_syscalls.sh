#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls into the system that fail, one after another, during a tuning run: each
# run ends in time with a sentence and an exit code of its own, the database
# stays whole, and the same command without failures finishes the work.
#
#   tools_syscalls.sh [STEP [FIRST]]: every STEP-th call, from FIRST on; without
#   arguments 12 calls spread over the run.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
shim=$(dirname "$HONE")/../tests/libfailing_calls.so
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_CACHE_DIR=$work/cache
FAIL_COUNT=$work/count
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:detect_leaks=0
export HONE_CUDA_LIBRARY HONE_CACHE_DIR FAIL_COUNT ASAN_OPTIONS
cat >"$work/two.cu" <<'END'
#pragma hone op two(n) "x = x + 1"
#pragma hone arg x: inout f32[n]
#pragma hone param BLOCK in {64, 128} default 64
#pragma hone launch two grid(ceildiv(n, BLOCK)) block(BLOCK) args(x, i64(n))
extern "C" __global__ void two(float *x, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
END
cd "$work"
# tune VARIABLE=VALUE..: `timeout` and `env` are none of ours.
tune() {
    timeout 600 env "$@" "$HONE" tune two.cu --dims 999 --device cpu --jobs 1 \
        -q --db t.db
}

# once AT: the run with this failure; its exit code.
once() {
    rm -f t.db*
    head -c 4096 /dev/zero >count
    code=0
    tune FAIL_AT="$1" LD_PRELOAD="$shim" >out 2>err </dev/null || code=$?
    command="hone tune with a failure of call $1: $(failed)"
}
counted() { od -An -td8 -N8 count | tr -d ' '; }
failed() { tail -c +65 count | tr -d '\000'; }

once 0 # fills the cache
[ "$code" -eq 0 ] || fail "nothing was to fail"
once 0
total=$(counted)
step=${1:-$((total / 12 + 1))}
at=${2:-$((step / 2 + 1))}
n=0 n_failed=0
while [ "$at" -le "$total" ]; do
    once "$at"
    n=$((n + 1))
    [ -z "$(failed)" ] || n_failed=$((n_failed + 1))
    case $code in
    0) ;;
    1 | 3 | 4) [ -s err ] || fail "it ends without a word" ;;
    *) fail "exit code $code" ;;
    esac
    # The database is whole, or nothing is in it yet.
    "$HONE" check --db t.db >out 2>err || grep -q \
        "is empty\|there is no database\|does not exist\|No such file" err ||
        fail "the database is damaged"
    command="hone tune after a failure of call $at: $(failed)"
    code=0
    tune >out 2>err || code=$?
    [ "$code" -eq 0 ] || fail "the next run does not finish it"
    # None twice.
    run 0 sql "SELECT count(DISTINCT config),
        count(*) - count(DISTINCT config) FROM trial_v1
        WHERE outcome = 'ok'" --db t.db --format csv
    [ "$(tail -n 1 out)" = 2,0 ] || fail "trials are $(tail -n 1 out), not 2,0, after call $at:" \
        "$(failed)"
    at=$((at + step))
done
echo "$n of $total calls, $n_failed of them failed"
