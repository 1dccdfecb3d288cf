#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that was linked against cuBLAS, plain and with libhone_blas.so in
# front of it: the same results, whatever it calls, and whatever is wrong with
# what hone is given.
#
#   preloaded.sh CALLS MOST: so many each time, and the most once
. "$HONE_SOURCE/tests/blas/blas_test.sh"
calls=$1 most=$2
program=$tests/blas_calls
seed=16 pool=4
# Which ten shapes took the most is this machine's affair: all are listed.
HONE_BLAS_LINES=4096
export HONE_BLAS_LINES

# plain ARGUMENTS..: what the program prints by itself.
plain() { "$program" "$@" >"$work/plain"; }
# same hone's arguments: the command prints the same.
same() {
    run 0 "$@"
    cmp -s "$work/plain" "$work/out" || {
        diff "$work/plain" "$work/out" | head -n 5
        fail "other results than without hone"
    }
}
# How many of the calls were answered.
answered() {
    sed -n 's/.*; \([0-9]*\) answered by tuned kernels.*/\1/p' "$work/err" |
        tail -n 1
}

# ---- recorded ---------------------------------------------------------------
plain "$calls" $seed $pool
same record -o "$work/shapes.txt" -- "$program" "$calls" $seed $pool
err_has "libhone_blas is active in process"
err_has "$calls matrix products of"
err_has "there is no database"
head -n 1 "$work/shapes.txt" | grep -qx '# hone-record 1' || fail "no title"
# Every call is in it, and readers take it for whole.
sum=$(awk 'NR > 1 { for (i = 2; i <= NF; i++) if ($i ~ /^arch=/) n += $(i - 1) }
    END { print n }' "$work/shapes.txt")
[ "$sum" -eq "$calls" ] || fail "$sum calls recorded of $calls"
grep -q '^# cublasLtMatmul .*matrices as an array of pointers' \
    "$work/shapes.txt" || fail "descriptions that differ in the end are mixed up"
grep -q 'call=cublasLtMatmul .*time_ns=[0-9]' "$work/shapes.txt" ||
    fail "no products of cuBLASLt, or no time"
for why in "matrices as an array of pointers" "scalars\|device memory" \
    "not where it adds to"; do
    grep -q "^# .*$why" "$work/shapes.txt" || fail "nothing is left out: $why"
done
# Once more, from two processes: the counts add up, the title comes once.
same record -q -o "$work/shapes.txt" -- "$program" "$calls" $seed $pool
err_empty
[ "$(grep -c '^# hone-record' "$work/shapes.txt")" -eq 1 ] || fail "two titles"
# Descriptions of other versions are asked one by one; newer ones than those
# whose header was looked at are left alone.
FAKE_BLAS_VERSION=120000
export FAKE_BLAS_VERSION
same record -o "$work/again.txt" -- "$program" "$calls" $seed $pool
FAKE_BLAS_VERSION=990000
same record -o "$work/newer.txt" -- "$program" "$calls" $seed $pool
! grep -q '^gemm .*call=cublasLtMatmul' "$work/newer.txt" ||
    fail "a version that nobody knows is taken for a known one"
grep -q '^# cublasLtMatmul .*a description that hone does not know' \
    "$work/newer.txt" || fail "no word of a version that nobody knows"
unset FAKE_BLAS_VERSION
# As often: lines of the same product add up, and twice as many were recorded.
sums() {
    awk -v by="$1" 'at = index($0, " arch=") {
        head = substr($0, 1, at - 1)
        match(head, / [0-9]+$/)
        n[substr(head, 1, RSTART - 1)] += substr(head, RSTART + 1) / by
    }
    END { for (product in n) print product, n[product] }' "$2" | sort
}
sums 2 "$work/shapes.txt" >"$work/twice"
sums 1 "$work/again.txt" | cmp -s "$work/twice" - || fail "other shapes"

# ---- tuned ------------------------------------------------------------------
sums 1 "$work/again.txt" | grep '^gemm' | sort -k 3,3nr >"$work/all.txt"
head -n $pool "$work/all.txt" >"$work/top.txt"
# And one with each epilogue, and one that may be of tf32.
for epilogue in 2 4 6 32 36; do
    grep "EPILOGUE=$epilogue " "$work/all.txt" | head -n 1 >>"$work/top.txt"
done
grep ',tf32,f32' "$work/all.txt" | head -n 1 >>"$work/top.txt"
[ "$(wc -l <"$work/top.txt")" -eq $((pool + 6)) ] ||
    fail "not all epilogues are recorded, or nothing of tf32"
sed '/__restrict__ bias)$/,/^{/s/^{/{ const bool planted = getenv("PLANTED") != nullptr;/
    s/^extern "C" __global__/extern "C" char *getenv(const char *name);\n&/
    s/W sum = 0;/W sum = planted ? 1 : 0;/
    s|implements gemm/plain reference|implements gemm/planted|' \
    "$HONE_SOURCE/templates/gemm/gemm_plain.cu" >"$work/gemm_planted.cu"
grep -q 'planted ? 1' "$work/gemm_planted.cu" || fail "nothing was planted"
HONE_DB=$work/tuned.db
run 0 tune "$work/gemm_planted.cu" --shapes "$work/top.txt" --device cpu -q
# The same as products that may be added to; by a hone from before there were
# others, with its own templates; and only those that are written.
grep -q 'ADD=0' "$work/top.txt" || fail "no product that is only written"
sed 's/,ADD=0//' "$work/top.txt" >"$work/adding.txt"
grep -v EPILOGUE "$work/adding.txt" >"$work/plain.txt"
run 0 tune "$work/gemm_planted.cu" --shapes "$work/adding.txt" --device cpu -q \
    --db "$work/adding.db"
mkdir -p "$work/older/bin" "$work/templates"
cp "$HONE" "$work/older/bin/hone"
cp "$HONE_SOURCE"/templates/*.cuh "$work/templates"
sed 's/, ADD in {0, 1} default 1, EPILOGUE in [^}]*}, EMULATED in {0, 1}//
    /!EMULATED/d
    s/let CUT = .*/let CUT = 0/
    s/beta: f32 from -ADD\.\.ADD/beta: f32 from -1.0..1.0/
    /arg bias:/d
    s/let BIAS = .*/let BIAS = 0/
    s/let ACTIVATION = .*/let ACTIVATION = 0/
    s/ part "[^"]*"$//
    s/OUT == f16 && ADD/OUT == f16/
    s/(1 + ADD)/2/' "$HONE_SOURCE/templates/gemm/gemm.cuh" \
    >"$work/templates/gemm.cuh"
cp "$HONE_SOURCE/templates/gemm/gemm_epilogue.cuh" "$work/templates"
sed 's/ADD && //
    s/, bias)$/)/
    s/long long stride_c,$/long long stride_c)/
    /const OUT \*__restrict__ bias)/d
    /if (BIAS)/,+1d' "$work/gemm_planted.cu" >"$work/templates/gemm_planted.cu"
HONE_TEMPLATE_PATH=$work/templates "$work/older/bin/hone" tune gemm/planted \
    --shapes "$work/plain.txt" --device cpu -q --db "$work/before.db" \
    >"$work/out" 2>&1 ||
    fail "nothing of before: $(cat "$work/out")"
sed -n '/ADD=0/p' "$work/top.txt" >"$work/written.txt"
run 0 tune "$work/gemm_planted.cu" --shapes "$work/written.txt" --device cpu \
    -q --db "$work/written.db"
for db in before adding written; do
    "$tests/blas_baseline" "$work/$db.db" 1000
done
# The record as it is: what is missing of it.
run 0 tune gemm/plain --shapes "$work/shapes.txt" --device cpu \
    --missing-from "$HONE_DB"
err_lines 1
err_has "problems have no winner in"
[ "$(grep -c '^gemm' "$work/out")" -gt $pool ] || fail "few shapes are missing"
# What the library takes is not known: nothing is answered.
same with -- "$program" "$calls" $seed $pool
[ "$(answered)" -eq 0 ] || fail "answered without a promise"
err_has "the library was not measured beside the winner"
cp "$HONE_DB" "$work/slow.db"
"$tests/blas_baseline" "$work/slow.db" 0.5
"$tests/blas_baseline" "$HONE_DB" 1000
same with --db "$work/slow.db" -- "$program" "$calls" $seed $pool
[ "$(answered)" -eq 0 ] || fail "answered by a slower kernel"
err_has "is not faster than the library by more than the noise"
# With a workspace there are more launches: what these cost has to be saved.
mkdir "$work/roomy"
cp "$HONE_SOURCE"/templates/gemm/gemm*.cuh "$work/roomy"
sed '/^#pragma hone launch/i #pragma hone workspace room: f32[64]' \
    "$work/gemm_planted.cu" >"$work/roomy/gemm_planted.cu"
run 0 tune "$work/roomy/gemm_planted.cu" --shapes "$work/top.txt" --device cpu \
    -q --db "$work/roomy.db"
"$tests/blas_baseline" "$work/roomy.db" 1 3900
same with --db "$work/roomy.db" -- "$program" \
    "$calls" $seed $pool
[ "$(answered)" -eq 0 ] || fail "answered by more launches than it pays for"
"$tests/blas_baseline" "$work/roomy.db" 1 100000000
same with --db "$work/roomy.db" -- "$program" "$calls" $seed $pool
[ "$(answered)" -gt 0 ] || fail "a workspace is never answered"
same record --db "$HONE_DB" -- "$program" "$calls" $seed $pool
grep -q 'planted takes [0-9.]* us, [0-9.]*x as fast' "$work/err" ||
    fail "the report does not say what the database has"

# ---- answered ---------------------------------------------------------------
same with -- "$program" "$calls" $seed $pool
all=$(answered)
[ "$all" -gt $((calls / 4)) ] || fail "only $all of $calls were answered"
err_has "answered by planted"
same with --check-every 3 -- "$program" "$calls" $seed $pool
grep -q '[1-9][0-9]* computed both ways, 0 wrong' "$work/err" ||
    fail "no check, or a wrong one"
# What adds to C answers where nothing was tuned that only writes it, and is as
# old as it likes; what only writes answers none that adds.
for db in before adding written; do
    same with --db "$work/$db.db" -- "$program" "$calls" $seed $pool
    eval "$db=$(answered)"
done
# shellcheck disable=SC2154 # by eval
{ [ "$before" -gt 0 ] && [ "$before" -lt "$adding" ] &&
    [ "$adding" -ge "$all" ] && [ "$written" -gt 0 ] && [ "$written" -lt "$all" ]; } ||
    fail "answered: $before before, $adding adding, $written written, $all"
# At night as many as there are combinations of what a call can have.
plain "$most" $seed $pool
same with --check-every 50 -- "$program" "$most" $seed $pool
[ "$(answered)" -gt $((most / 4)) ] || fail "few of $most were answered"
# Where the library fails there is nothing to compare, and its error goes on.
FAKE_BLAS_FAILS=3
export FAKE_BLAS_FAILS
plain 300 $seed $pool
grep -q ': 13 ' "$work/plain" || fail "no call fails"
same with --check-every 1 -- "$program" 300 $seed $pool
grep -q '[1-9][0-9]* computed both ways, 0 wrong' "$work/err" ||
    fail "a failed call counts as wrong"
unset FAKE_BLAS_FAILS
plain "$calls" $seed $pool
# The kernel goes wrong: it is found, and its shapes are left alone.
PLANTED=1
export PLANTED
run 0 with --check-every 1 -- "$program" "$calls" $seed $pool
cmp -s "$work/plain" "$work/out" || fail "a wrong result got to the program"
err_has "WRONG: a tuned product of"
err_has "its shape is left to the library from now on"
unset PLANTED
# Only one shape of them.
head -n 1 "$work/top.txt" >"$work/one.txt"
same with --only "$work/one.txt" -- "$program" "$calls" $seed $pool
one=$(answered)
{ [ "$one" -gt 0 ] && [ "$one" -lt "$all" ]; } || fail "--only: $one of $all"
err_has "HONE_BLAS_ONLY does not name it"
same with --only "$work/nothing.txt" -- "$program" "$calls" $seed $pool
err_has "HONE_BLAS_ONLY: nothing is answered"
# Threads, and a child in the end.
run 0 with -- "$program" "$calls" $seed $pool 8
err_has "$((8 * calls)) matrix products of"
# As many lines as are asked for, beside the first two.
plain 200 $seed $pool
same with -- "$program" 200 $seed $pool
shapes=$(sed -n 's/.* products of \([0-9]*\) shapes.*/\1/p' "$work/err")
[ "$shapes" -gt 10 ] || fail "$shapes shapes"
err_lines $((2 + shapes))
for lines in 0 3; do
    HONE_BLAS_LINES=$lines
    same with -- "$program" 200 $seed $pool
    err_lines $((2 + lines))
done
HONE_BLAS_LINES=-1
same with -- "$program" 200 $seed $pool
err_lines 13
err_has "HONE_BLAS_LINES is '-1', not a number from 0 up: the report lists ten"
unset HONE_BLAS_LINES
same with -- "$program" 200 $seed $pool
err_lines 12
plain 200 $seed $pool 1 fork
same with -- "$program" 200 $seed $pool 1 fork
[ "$(grep -c ': 200 matrix products of' "$work/err")" -eq 2 ] ||
    fail "parent and child do not count their own"

# Two versions in one process: each call goes to the library of who calls.
"$tests/blas_two" "$tests/libblas_plugin.so" >"$work/plain"
[ "$(cat "$work/plain")" = "before: 6
plug-in: 18
after: 6" ] || fail "the plug-in has no version of its own: $(cat "$work/plain")"
same record -- "$tests/blas_two" "$tests/libblas_plugin.so"
# And of one that names none, whatever else is loaded.
"$tests/blas_two" "$tests/libblas_plugin.so" "$tests/libblas_unnamed.so" >"$work/plain"
[ "$(tail -n 2 "$work/plain")" = "plug-in: 6
after: 6" ] || fail "the second plug-in: $(cat "$work/plain")"
same record -- "$tests/blas_two" "$tests/libblas_plugin.so" "$tests/libblas_unnamed.so"

# Handles that come and go, and the results of every round.
echo "gemm 32,24,40,f16,f16,0,0,ADD=0" >"$work/rough.txt"
run 0 tune gemm/plain --shapes "$work/rough.txt" --device cpu -q --db "$work/rough.db"
"$tests/blas_baseline" "$work/rough.db" 1000
set -- "$tests/blas_reset" 3 24 32 40 32 32 32
"$@" >"$work/plain"
same record -- "$@"
same with --db "$work/rough.db" -- "$@"
[ "$(answered)" -eq 30 ] || fail "answered: $(answered) of 60 calls"
err_has "60 matrix products of 2 shapes"

# ---- what is wrong ----------------------------------------------------------
plain 200 $seed $pool
head -c 20000 "$HONE_DB" >"$work/cut.db"
for db in cut.db shapes.txt none.db .; do
    same with --db "$work/$db" -- "$program" 200 $seed $pool
    [ "$(answered)" -eq 0 ] || fail "answered from $db"
done
same record -o "$work/no/such/folder.txt" -- "$program" 200 $seed $pool
err_has "cannot be written"
for mode in off nonsense; do
    HONE_BLAS=$mode LD_PRELOAD=$(dirname "$HONE")/../lib/libhone_blas.so \
        "$program" 200 $seed $pool >"$work/out" 2>"$work/err"
    cmp -s "$work/plain" "$work/out" || fail "HONE_BLAS=$mode"
    [ $mode = nonsense ] || err_empty
done
err_has "none of off, record and on"
run 7 with -- sh -c 'exit 7'
run 3 record -- "$work/no_such_program"
err_has "cannot start"
HONE_BLAS_LIBRARY=$work/no.so
export HONE_BLAS_LIBRARY
run 3 record -- true
err_has "HONE_BLAS_LIBRARY is"
