#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A result never takes the place of a database, and what a command would pass over in
# silence it says: lists without problems, options without effect, what is launched
# in place of what was named.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
cd "$work"
# Memory that there is not is a failure, and no end, with a sanitizer as well.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:allocator_may_return_null=1"
printf 'saxpy 1000\nsaxpy 3000\n' >shapes
run 0 tune --shapes shapes --device cpu --db t.db --budget 3 --no-portfolio -q
cp t.db copy.db

# ---- results ----------------------------------------------------------------------
# kept CODE ARGUMENTS..: the command says why not, and the database is as it was.
kept() {
    run "$@" -o t.db --db t.db
    err_has "'t.db' is a database"
    cmp t.db copy.db || fail "the database was overwritten"
}
kept 2 pack
kept 2 pack --format c
kept 2 report
kept 2 export saxpy --format csv
kept 2 export saxpy --format t1
run 0 export saxpy --format t1 -o space.json --db t.db
run 2 import space.json -o t.db
cmp t.db copy.db || fail "import overwrote the database"
run 2 simulate t.db --svg t.db --repeats 1 --strategy random --budget 2
cmp t.db copy.db || fail "simulate overwrote the database"
# Nor of what is read, by whatever name.
cp "$here/../replay/recordings/small_t4.json" read.json
ln -s read.json link.json
for name in read.json ./read.json link.json; do
    run 2 simulate read.json --svg "$name" --repeats 1 --strategy random --budget 2
    err_has "'$name' is what is read"
done
cp space.json same.json
run 2 import same.json -o same.json
cmp space.json same.json || fail "import overwrote what it read"
# Anything else may be replaced.
run 0 pack -o p.hpk --db t.db
run 0 pack -o p.hpk --db t.db
run 2 pack -o - --db t.db
[ ! -e ./- ] || fail "a file is called '-'"
run 2 pack -o p.hpk --format c --db p.hpk
err_has "'p.hpk' is what is read"
# An array cannot be called as a word of C or C++ is.
run 0 pack -o static-assert.c --format c --db t.db
grep -q 'pack_static_assert\[' static-assert.c || fail "an array is called static_assert"
run 0 pack -o register.c --format c --db t.db
grep -q 'pack_register\[' register.c || fail "an array is called register"
run 0 pack -o registers.c --format c --db t.db
grep -q ' registers\[' registers.c || fail "registers is no keyword"

# ---- lists --------------------------------------------------------------------------
: >empty
run 0 tune --shapes empty --device cpu --db t.db --format json
err_has "empty names no problem"
json schema_version=1 interrupted=false
run 2 tune --shapes shapes --shapes empty --device cpu --db t.db
err_has "--shapes is given twice"
# A mark in front, as some editors write it.
{
    printf '\357\273\277'
    cat shapes
} >marked
run 0 tune --shapes marked --device cpu --db t.db --budget 3 --no-portfolio -q

# ---- options and names ----------------------------------------------------------------
for option in "--budget 3" "--until 5" "--no-seeds" "--objective threads" \
    "--strategy random" "--start shapes"; do
    # shellcheck disable=SC2086 # two words
    run 2 tune saxpy --portfolio --device cpu --db t.db $option
    err_has "leave ${option%% *} out"
done
run 0 run saxpy/plain --dims 1000 --device cpu --db t.db --format json
err_has "not of 'plain'"
json match=exact tuned_time_ns
run 0 run saxpy --dims 1000 --device cpu --db t.db
err_empty
# Of two types one is tuned.
run 3 run saxpy --dims 1000,f64 --device cpu --db t.db
err_has "has it for cpu n=1000 T=f32"
run 0 sql "select x'00ff41' as d, null as n" --db t.db --format json
json "rows.0.d=<3 bytes>" rows.0.n=null

# What was to be tried first, and what was.
printf 'BLOCK=64\nBLOCK=128\nBLOCK=64\n' >first
run 0 tune saxpy/stream --dims 5000 --device cpu --db s.db --budget 2 --start first \
    --no-seeds --format json
json shapes.0.started=1 shapes.0.trials=2
run 0 tune saxpy/stream --dims 5000 --device cpu --db s.db --budget 2 --start first \
    --no-seeds --format json
json shapes.0.started=0
run 0 tune saxpy/stream --dims 5000 --device cpu --db s.db --budget 4 --start first \
    --no-seeds --format json
json shapes.0.started=1

# ---- nothing was verified ----------------------------------------------------------
run 1 verify saxpy/stream --dims 99999999999 --limit 1
err_has "there is no memory for these sizes"
echo "saxpy/stream 99999999999" >large
run 1 verify --shapes large --limit 1
err_has "there is no memory for these sizes"
# Nor tuned, and then it is not what was tuned last.
run 1 tune saxpy --dims 99999999999 --device cpu --db t.db --budget 1
run 0 explain saxpy --db t.db
grep -q '^label: n=[13]000 ' out || fail "a problem without a winner is explained"
run 0 explain saxpy --dims 99999999999 --db t.db
out_has "n=99999999999"

# ---- the environment -------------------------------------------------------------------
for setting in HONE_DB_SECONDS=abc HONE_DB_SECONDS=-5 HONE_SANDBOX=maybe HONE_AHEAD=no; do
    code=0
    env "$setting" "$HONE" show --db t.db >out 2>err || code=$?
    [ "$code" -eq 3 ] || fail "$setting: exit code $code"
    err_has "${setting%%=*}="
done
HONE_DB_SECONDS=0 HONE_SANDBOX="" run 0 show --db t.db
HONE_DB_SECONDS="" run 0 show --db t.db
