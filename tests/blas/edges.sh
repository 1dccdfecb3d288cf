#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products that checks have to be careful with, one that is the library's to
# refuse, and a configuration that comes in front of the promised one.
. "$HONE_SOURCE/tests/blas/blas_test.sh"
HONE_DB=$work/a.db

# tuned DB TEMPLATE DIMS [OPTIONS..]: so that it answers.
tuned() {
    db=$1 template=$2 dims=$3
    shift 3
    run 0 tune "$template" --dims "$dims" --device cpu -q --db "$db" "$@"
    "$tests/blas_baseline" "$db" 1000
}
# checks N WRONG: so many calls were computed both ways.
checks() {
    grep -q ": $1 computed both ways, $2 wrong" "$work/err" ||
        fail "not $1 checks, $2 wrong"
}

# A kernel that loses a NaN is wrong, and one that does not is right.
sed 's/W sum = 0;/& const bool loses = getenv("LOSES") != nullptr;/
    s/^extern "C" __global__/extern "C" char *getenv(const char *name);\n&/
    s/\*c = hone::narrow<OUT>(sum);/*c = hone::narrow<OUT>(loses \&\& sum != sum ? W(1) : sum);/
    s|implements gemm/plain reference|implements gemm/planted|' \
    "$HONE_SOURCE/templates/gemm/gemm_plain.cu" >"$work/gemm_planted.cu"
grep -q 'loses && sum' "$work/gemm_planted.cu" || fail "nothing was planted"
tuned "$work/nan.db" "$work/gemm_planted.cu" 32,24,40,f32,f32,0,0,ADD=0
run 0 with --check-every 1 --db "$work/nan.db" -- "$tests/blas_edges" nan
out_is 32
checks 4 0
LOSES=1 run 0 with --check-every 1 --db "$work/nan.db" -- "$tests/blas_edges" nan
out_is 32 # the library's
err_has "WRONG: a tuned product of 24 x 32 x 40"

# What C held is known: the library, which sums in f16, is not what is right.
tuned "$work/add.db" gemm/plain 16,16,4096,f16,f16,0,0
run 0 with --check-every 1 --db "$work/add.db" -- "$tests/blas_edges" add
out_is 0
checks 4 0

# Matrices that do not fit are the library's to refuse.
tuned "$work/misfit.db" gemm/plain 24,32,40,f32,f32,0,0,ADD=0
run 0 with --db "$work/misfit.db" -- "$tests/blas_edges" misfit
out_is 7

# A pack in front that has another winner: what it would launch was not promised.
for p in 1 2; do
    sed "s/^#pragma hone launch/#pragma hone param P in {$p}\n&/" \
        "$work/gemm_planted.cu" >"$work/gemm_$p.cu"
    tuned "$work/$p.db" "$work/gemm_$p.cu" 32,24,40,f32,f32,0,0,ADD=0
done
run 0 pack --db "$work/1.db" -o "$work/1.pack" -q
saved=$HONE_DB
unset HONE_DB
for path in "$work/2.db" "$work/1.pack:$work/2.db"; do
    HONE_PATH=$path run 0 with -- "$tests/blas_edges" nan
    out_is 32
    case $path in
    *pack*) err_has "another winner comes first in the search path" ;;
    *) err_has "; 4 answered by tuned kernels" ;;
    esac
done
HONE_DB=$saved
