#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone cache, and a cubin cache as machines share it: no locks, entries that are
# damaged or gone, two that use it at once, a limit.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
cd "$work"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
tune() { # tune DB: with the compiles of all its variants
    run 0 tune saxpy/stream --dims 5003 --device cpu --budget 5 --seed 3 \
        --no-seeds --db "$1" -q --format json
}

# ---- bad input -------------------------------------------------------------------
run 3 cache list
err_has "cannot read the folder '$work/cache'"
mkdir cache
run 3 cache trim --size 1G
err_has "is no cubin cache: it has no CACHEDIR.TAG"
rmdir cache
run 2 cache mend
err_has "takes list, trim or verify, not 'mend'"
run 2 cache trim
err_has "--size 20G, or HONE_CACHE_LIMIT"
for size in x 0 -1 5X 1GG ""; do
    run 2 cache trim --size "$size"
done
run 2 cache list --size 1G
err_has "--size and --dry-run go with"
run 2 cache verify --limit 1
err_has "--limit goes with"

# ---- what it has ----------------------------------------------------------------------
tune one.db
json shapes.0.n_compiles
run 0 cache list --format json
json entries bytes items.0.key items.0.bytes items.0.used_at
n=$(sed -n 's/.*"entries": \([0-9]*\),.*/\1/p' out)
[ "$n" -ge 5 ] || fail "not 5 entries but $n"
run 0 cache list --limit 2 --format csv
[ "$(wc -l <out)" -eq 3 ] || fail "not two entries and a title"
run 0 cache verify --format json
json entries="$n" damaged=0 first=null
tune two.db
json shapes.0.n_compiles=0

# ---- damage is a miss, and mended ---------------------------------------------------------
entry=$(find cache -name '????????????????????????????????????????????????????????????????' | sort | head -1)
printf 'x' | dd of="$entry" bs=1 seek=300 conv=notrunc 2>/dev/null
run 1 cache verify
err_has "1 of $n entries are damaged"
run 1 check cache
find cache -type f -name '????????????????????????????????????????????????????????????????' \
    -exec sh -c 'printf x | dd of="$1" bs=1 seek=300 conv=notrunc 2>/dev/null' _ {} \;
tune three.db
json shapes.0.n_compiles=5 shapes.0.winner
run 0 cache verify

# ---- no locks, nothing to write ---------------------------------------------------------------
shim=$(dirname "$HONE")/../tests/libfailing_locks.so
rm -rf cache
# Without a sandbox, since compile processes could not write the log.
HONE_SANDBOX=off ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
    LOCK_FILE=cache/lock \
    LOCK_LOG=$work/locks LOCK_ERRNO=37 LOCK_FROM=1 LOCK_TIMES=1000 \
    LD_PRELOAD=$shim "$HONE" tune saxpy/stream --dims 5003 --device cpu \
    --budget 5 --seed 3 --no-seeds --db four.db -q --format json >out 2>err ||
    fail "it needs locks"
json shapes.0.n_compiles=5 shapes.0.winner
[ -s locks ] || fail "no lock was asked for: does the test still test?"
run 0 cache verify --format json
json entries="$n" damaged=0
# Two at once, and one that loses entries while it goes.
rm -rf cache
"$HONE" tune saxpy/stream --dims 5003 --device cpu --budget 5 --seed 3 \
    --no-seeds --db five.db -q >five.txt 2>&1 &
first=$!
"$HONE" tune saxpy/stream --dims 7001 --device cpu --budget 5 --seed 3 \
    --no-seeds --db six.db -q >six.txt 2>&1 &
second=$!
while kill -0 "$first" 2>/dev/null; do
    "$HONE" cache trim --size 1 -q >/dev/null 2>&1 || true
    sleep 0.05
done
wait "$first" || fail "$(cat five.txt)"
wait "$second" || fail "$(cat six.txt)"
run 0 cache verify

# ---- less of it --------------------------------------------------------------------------------
rm -rf cache
tune seven.db
run 0 cache list --format json
bytes=$(sed -n 's/.*"bytes": \([0-9]*\),.*/\1/p' out | head -1)
old=$(find cache -name '????????????????????????????????????????????????????????????????' | sort | sed -n 3p)
touch -d '2020-01-01' "$old"
run 0 cache trim --size $((bytes - 1)) --dry-run --format json
json dry_run=true entries=$((n - 1)) entries_before="$n"
[ -e "$old" ] || fail "a dry run removed it"
run 0 cache trim --size $((bytes - 1)) --format json
json entries=$((n - 1))
[ ! -e "$old" ] || fail "not the one used longest ago went"
# One that is used is young again.
another=$(find cache -name '????????????????????????????????????????????????????????????????' | sort | sed -n 1p)
find cache -name '????????????????????????????????????????????????????????????????' -exec touch -d '2020-01-01' {} +
tune eight.db
[ -z "$(find "$another" -mtime +1)" ] || fail "use was not noted"
# The limit of the environment, once an hour.
export HONE_CACHE_LIMIT=1
rm -f cache/trimmed
tune nine.db
json shapes.0.n_compiles=5
[ -e cache/trimmed ] || fail "the limit was not looked at"
tune ten.db
json shapes.0.n_compiles=0
HONE_CACHE_LIMIT=many
run 2 tune saxpy/stream --dims 5003 --device cpu --budget 5 --db one.db
err_has "HONE_CACHE_LIMIT takes a size in bytes"
