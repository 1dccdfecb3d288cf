#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The bounds of a check, on the cpu device: tolerance, abs, rel and norm, for
# all arrays and for one; magnitudes by a template; and bounds that judge
# nothing, which are refused. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/bounds.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY
sed -e 's/op bounded(/op bounded_plain(/' -e 's/{true}/{false}/' \
    -e 's/hone check .*/hone check none/' \
    "$fixtures/bounded.cu" >"$work/bounded_plain.cu"
cp "$fixtures/bounded_terms.cu" "$work"
sed 's/op bounded_terms/op negative_terms/; s/{1}/{-1}/' \
    "$fixtures/bounded_terms.cu" >"$work/negative_terms.cu"

# check CODE CLAUSES: what verify gives with these clauses.
check() {
    sed "s/template.bounded_plain/& $2/" "$fixtures/bounded.cu" \
        >"$work/bounded.cu"
    run "$1" verify "$work/bounded.cu"
}
zero='for zero abs(1e-20)'
check 1 "tolerance(2) $zero"
out_has "are out of tolerance, the worst"
out_has "template.bounded_plain of 'y', reals"
check 0 "tolerance(2) magnitude template.bounded_terms $zero"
check 1 "tolerance(0.125) magnitude template.bounded_terms $zero"
check 0 "abs(1e-6)"
check 1 "rel(1e-6) $zero"
check 0 "rel(1e-6) abs(1e-6) $zero"
check 0 "for y norm(8) $zero"
check 1 "for y norm(0.015625) $zero"
out_has "the 2-norm of the error is"
# Each of two bounds counts.
check 1 "tolerance(2) for y norm(8) $zero"

# What judges nothing is no check, and the message says what would be one.
check 1 "abs(1e-6) for zero tolerance(4) abs(0)"
out_has "1 of 1 elements differ where the bound is 0 or no number (first: \
element 0; template.bounded_plain of 'zero', reals); give one in the check, as \
abs(E) or by magnitude template.NAME"
check 1 "tolerance(2) magnitude template.negative_terms"
out_has "1 of 1 elements differ where the bound is 0 or no number"
check 1 "tolerance(1e8) $zero"
out_has "the bound is so large that zeros would pass at 61 of 61 elements \
(template.bounded_plain of 'y', reals): lower the numbers of the check, or add \
exact(E)"
check 1 "for y norm(1e8) $zero"
out_has "the bound is so large that zeros would pass at"
check 0 "tolerance(1e8) exact(4) for zero exact(0) abs(1e-20)"

# Mistakes.
check 3 "tolerance(n - 2000) $zero"
err_has "bounded.cu:8: tolerance of this check is -1999 here, and must not be \
negative"
check 3 "tolerance(2) magnitude template.nowhere"
err_has "bounded.cu:8: template.nowhere: there is no template 'nowhere'"

# Infinity is right where it is expected, and its negative is wrong.
infinite() { # infinite NAME CHECK VALUE
    cat >"$work/$1.cu" <<TEMPLATE
#pragma hone op $1(n)
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone launch k args(x, y, i64(n))
#pragma hone check $2
extern "C" __global__ void k(const float *x, float *y, long long n)
{
    for (long long i = 0; i < n; ++i)
        y[i] = i % 3 ? x[i] : $3;
}
TEMPLATE
}
infinite endless_plain none "1/(0*x[i]*x[i])"
infinite endless "template.endless_plain tolerance(2)" "1/(0*x[i]*x[i])"
run 0 verify "$work/endless.cu"
infinite endless "template.endless_plain tolerance(2)" "-1/(0*x[i]*x[i])"
run 1 verify "$work/endless.cu"
out_has "1 of 1 elements differ"
infinite endless "template.endless_plain tolerance(2)" "x[i]"
run 1 verify "$work/endless.cu"
