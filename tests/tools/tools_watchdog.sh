#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A variant that hangs is ended when its time is up, also where pipes hold so
# little that the next job does not fit into one; with more time it is tried again.
. "$(dirname "$0")/hone_test.sh"
# Its kernels or compilers write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_DB=$work/open/hangs.db
HONE_CACHE_DIR=$work/open/cache
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
template=$fixtures/hangs.cu
mkdir "$work/open" # for every user
chmod 755 "$work"
chmod 777 "$work/open"
HOME=$work/open

# The folder of locks is the test's own, which that user cannot write to: a
# sentence, and no waiting.
if [ "$(id -u)" -eq 0 ]; then
    command="hone tune where no lock can be made"
    code=0
    timeout -k 5 100 "$(dirname "$json_check")/fill_pipes" "$HONE" tune \
        "$template" --dims 4096 --device cpu >"$work/out" 2>"$work/err" || code=$?
    if [ $code -eq 77 ]; then
        cat "$work/out"
        exit 77
    fi
    case $code in
    0 | 124 | 137) fail "expected an error at once" ;;
    esac
    err_has "HONE_LOCK_DIR"
fi
HONE_LOCK_DIR=$work/open
export HONE_LOCK_DIR

# Its limit is 8 s. What does not end within minutes does not end at all.
command="hone tune with pipes of 8 KiB"
code=0
timeout -k 5 900 "$(dirname "$json_check")/fill_pipes" "$HONE" tune "$template" \
    --dims 4096 --device cpu --strategy exhaustive --trial-timeout 8 \
    --format json >"$work/out" 2>"$work/err" || code=$?
if [ $code -eq 77 ]; then
    cat "$work/out"
    exit 77
fi
[ $code -eq 0 ] || fail "the tuner was frozen by a variant that hangs"
json shapes.0.outcomes.ok=4 shapes.0.outcomes.timeout=1 shapes.0.trials=5

# tried TRIALS ARGUMENTS..: a run after which so many are stored.
tried() {
    trials=$1
    shift
    code=0
    command="hone tune $*"
    "$HONE" tune "$fixtures/waits.cu" --dims 4096 --device cpu --jobs 1 \
        --db "$work/waits.db" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    case $code in
    0 | 1) ;;
    *) fail "expected a run" ;;
    esac
    run 0 sql "SELECT count(*) FROM trial_v1" --db "$work/waits.db" --format csv
    [ "$(tail -n 1 "$work/out")" = "$trials" ] ||
        fail "$(tail -n 1 "$work/out") trials, not $trials"
}

# They do not end while a file is not there; once it is, they are only tried
# again by those who give them more time than they had.
WAIT_MARK=$work/open/mark
export WAIT_MARK
tried 2 --trial-timeout 2
: >"$WAIT_MARK.go"
tried 2 --trial-timeout 2
# As if they had had a minute; as earlier versions stored them, in the final.
run 0 sql --write "UPDATE trial SET gpu_time_ns = 60e9" --db "$work/waits.db"
tried 2
tried 2 --trial-timeout 60
run 0 sql --write "UPDATE trial SET gpu_time_ns = 0" --db "$work/waits.db"
tried 2
cp "$work/waits.db" "$work/unknown.db"
run 0 sql --write "UPDATE trial SET gpu_time_ns = 60e9" --db "$work/waits.db"
tried 4 --trial-timeout 100
tried 4 --trial-timeout 200
mv "$work/unknown.db" "$work/waits.db"
tried 4 --trial-timeout 100
run 0 sql "SELECT count(DISTINCT config) FROM trial_v1 WHERE outcome <> 'timeout'" \
    --db "$work/waits.db" --format csv
[ "$(tail -n 1 "$work/out")" = 2 ] || fail "they were not tried again"
