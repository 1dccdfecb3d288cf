#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are taken from under a tuning run: a database that is deleted,
# moved, swapped or cut off ends it with a sentence and an exit code; a template
# and its headers are what they were at the start.
. "$(dirname "$0")/hone_test.sh"
# Its kernels write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/moved.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
mkdir "$work/t"
template=$work/t/faults.cu
sed "s|HERE|$work|g" "$fixtures/faults.cu" >"$work/whole.cu"
cp "$work/whole.cu" "$template"
: >"$work/go"
run 0 tune "$template" --dims 4096 --device cpu --strategy exhaustive --budget 1
cp "$HONE_DB" "$work/other.db"
cp "$HONE_DB" "$work/whole.db"
tuner=
trap '[ -z "$tuner" ] || kill -KILL "$tuner" 2>/dev/null || true
    rm -rf "$work"' EXIT

# begin: a run whose second variant waits in its worker.
begin() {
    rm -f "$work/go" "$work/waiting" "$HONE_DB"*
    cp "$work/whole.db" "$HONE_DB"
    "$HONE" tune "$template" "$@" --device cpu --strategy exhaustive \
        --budget 2 --trial-timeout 600 --format json >"$work/out" \
        2>"$work/err" </dev/null &
    tuner=$!
    wait_until "a variant waits in its worker" [ -e "$work/waiting" ]
}
finish() {
    : >"$work/go"
    code=0
    wait $tuner || code=$?
    tuner=
    [ $code -eq "$1" ] || fail "expected exit code $1"
}
# taken WHAT SENTENCE COMMAND..: what is done to the database, what is said.
taken() {
    command="hone tune, whose database is $1"
    begin --dims 4098
    sentence=$2
    shift 2
    "$@"
    finish 3
    err_has "$HONE_DB' $sentence"
    err_has "then run the same command again"
}
taken deleted "was deleted or moved away" rm "$HONE_DB"
taken moved "was deleted or moved away" mv "$HONE_DB" "$work/away.db"
taken swapped "was replaced by another file" mv "$work/other.db" "$HONE_DB"
taken "cut off" "was cut off" truncate -s 0 "$HONE_DB"
taken "cut off in the middle" "was cut off" truncate -s 20000 "$HONE_DB"
taken "without its log" "lost its log" rm "$HONE_DB-wal"

# What is read at the start counts, for all problems of a command.
cat >"$work/t/part.h" <<'END'
#define PART 1
END
sed 's|^#if HONE_KIND == HONE_KIND_leaves|#include "part.h"\n&|' \
    "$work/whole.cu" >"$template"
command="hone tune, whose template is edited"
begin --dims 4098 --dims 4102
echo "this is no template any more" >"$template"
echo "#error not this" >"$work/t/part.h"
finish 0
json shapes.0.outcomes.ok=2 shapes.1.outcomes.ok=2
run 0 sql "SELECT count(DISTINCT template_sha256), count(*) FROM trial_v1
    WHERE dims IN ('4098,0', '4102,0') OR dims LIKE '4098%' OR dims LIKE '4102%'" \
    --format csv
[ "$(tail -n 1 "$work/out")" = 1,4 ] || fail "other texts were taken, too"
