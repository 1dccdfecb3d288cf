#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Time in which tuner and worker were stopped together, as by Ctrl-Z, counts
# against no variant.
. "$(dirname "$0")/hone_test.sh"
# Its kernels write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
needs "${CXX:-c++}" "there is no C++ compiler"
needs ps "ps is not installed"
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_DB=$work/stopped.db
HONE_CACHE_DIR=$work/cache
WAIT_MARK=$work/mark
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY WAIT_MARK
process=
trap '[ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
    rm -rf "$work"' EXIT

# all_of PROCESS: its number and those of all that it started.
all_of() {
    ps -eo pid=,ppid= | awk -v root="$1" '
        { parent[$1] = $2 }
        END {
            for (i in parent) {
                for (at = i; at != root && at in parent; at = parent[at])
                    continue
                if (at == root)
                    print i
            }
        }'
}

# A machine that has no time for them between stop and limit gets another turn.
command="hone tune, stopped for longer than a trial may take"
limit_s=6
for turn in 1 2 3; do
    rm -f "$WAIT_MARK" "$WAIT_MARK.go" "$HONE_DB"*
    "$HONE" tune "$fixtures/waits.cu" --dims 4096 --device cpu --jobs 1 \
        --trial-timeout $limit_s --format json >"$work/out" 2>"$work/err" </dev/null &
    process=$!
    wait_until "a kernel runs" test -e "$WAIT_MARK"
    numbers=$(all_of "$process")
    # shellcheck disable=SC2086 # a list of numbers
    kill -STOP $numbers
    sleep $((limit_s + 1))
    # shellcheck disable=SC2086
    kill -CONT $numbers
    sleep 0.5
    : >"$WAIT_MARK.go"
    code=0
    wait "$process" || code=$?
    process=
    grep -q '"timeout"' "$work/out" || break
done
[ "$code" -eq 0 ] || fail "expected a winner in turn $turn"
json shapes.0.trials=2
! grep -q '"timeout"' "$work/out" || fail "a variant was charged for it"
