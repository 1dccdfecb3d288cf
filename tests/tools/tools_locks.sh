#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Locks on the database that fail, as network disks and full lock tables make them:
# every command ends in time with a sentence and its exit code, nothing is lost, and
# what failed once is tried again.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
shim=$(dirname "$HONE")/../tests/libfailing_locks.so
cd "$work"
# Numbers of errno.
EIO=5 EAGAIN=11 EACCES=13 ENOLCK=37
HONE_DB=$work/hone.db
HONE_CACHE_DIR=$work/cache
LOCK_FILE=hone.db
LOCK_LOG=$work/failed
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
export HONE_DB HONE_CACHE_DIR LOCK_FILE LOCK_LOG ASAN_OPTIONS
run 0 tune saxpy/stream --dims 5003 --device cpu --budget 3 -q
run 0 tune saxpy/stream --dims 7001 --device cpu --budget 3 -q --db other.db
run 0 sql "SELECT * FROM trial_v1" --format csv
cp out trials

# failing ERRNO FROM TIMES COMMAND..: its exit code is in `code`
failing() {
    rm -f failed
    code=0
    LOCK_ERRNO=$1 LOCK_FROM=$2 LOCK_TIMES=$3
    shift 3
    LOCK_ERRNO=$LOCK_ERRNO LOCK_FROM=$LOCK_FROM LOCK_TIMES=$LOCK_TIMES \
        LD_PRELOAD=$shim timeout 600 "$HONE" "$@" >out 2>err || code=$?
    command="hone $* (lock $LOCK_FROM, $LOCK_TIMES times, errno $LOCK_ERRNO)"
}
# All of it, or a sentence and nothing.
right_or_said() {
    case $code in
    0) out_has saxpy ;;
    3 | 4)
        err_has hone.db
        out_empty
        ;;
    *) fail "exit $code" ;;
    esac
}
# What was there is there, and the file is whole.
nothing_lost() {
    run 0 check
    run 0 sql "SELECT * FROM trial_v1" --format csv
    head -n "$(wc -l <trials)" out | cmp - trials || fail "trials are lost"
}

# ---- from the first on ---------------------------------------------------------------
# Who reads takes the file as it stands where it has no log, as on read-only storage:
# disks without locks are common, and nothing of it is half written.
for error in $EIO $ENOLCK; do
    for from in 1 3; do
        failing "$error" "$from" 0 show
        [ -s failed ] || fail "no lock was tried"
        right_or_said
    done
done
# A disk that fails its locks is told of, by every command that reads all the same.
for words in show "sql 'SELECT 1'" "explain saxpy" "diff hone.db hone.db" check \
    "top --once" "report -o r.html" "export saxpy -o t.csv"; do
    eval "failing $EIO 1 0 $words"
    [ "$code" -eq 0 ] || fail "exit $code"
    err_has "hone.db' cannot be locked"
    err_has "what follows may be wrong"
done
failing $EIO 1 0 show --format json
[ "$(grep -c warning out)" -eq 0 ] || fail "the result has a warning in it"
# A reader of read-only storage needs none.
run 0 show
[ ! -s err ] || fail "all is well"
failing $EACCES 1 0 run saxpy --dims 5003 --device cpu
right_or_said
nothing_lost
failing $ENOLCK 1 0 merge other.db
[ "$code" -eq 3 ] || [ "$code" -eq 4 ] || fail "exit $code"
err_has hone.db
nothing_lost
failing $EIO 1 0 tune saxpy/stream --dims 9001 --device cpu --budget 3 -q
[ "$code" -eq 3 ] || [ "$code" -eq 4 ] || fail "exit $code"
err_has hone.db
nothing_lost

# ---- in the middle: all of it or nothing -----------------------------------------------
for from in 6 9 14; do
    failing $ENOLCK $from 0 merge other.db
    [ -s failed ] || break
    [ "$code" -eq 3 ] || [ "$code" -eq 4 ] || fail "exit $code"
    err_has hone.db
    nothing_lost
    [ "$(wc -l <out)" -eq "$(wc -l <trials)" ] || fail "half of it was merged"
done

# ---- once: it is tried again --------------------------------------------------------------
for from in 1 4 7 10; do
    failing $EAGAIN $from 1 show
    right_or_said
done
failing $EAGAIN 5 1 merge other.db
[ "$code" -eq 0 ] || fail "exit $code"
nothing_lost
[ "$(wc -l <out)" -gt "$(wc -l <trials)" ] || fail "nothing was merged"
failing $EAGAIN 8 1 tune saxpy/stream --dims 9001 --device cpu --budget 3 -q
[ "$code" -eq 0 ] || fail "exit $code"
nothing_lost
