#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is wrong, in values: the first elements with their place, what they are
# and should be; --show, --dump and JSON, on the cpu device.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
# ramp.cu: y = 2 x, but for every third element; c += 1, which is right.
cat >"$work/ramp_plain.cu" <<'END'
#pragma hone op ramp_plain(n) "y = 2 x"
#pragma hone arg x: in i32[n] permutation, a: f32 constant(0.5), y: out f32[ceildiv(n, 5)][5], c: inout u8[n]
#pragma hone launch k grid(1) block(1)
#pragma hone check none
extern "C" __global__ void
k(const int *x, float a, float *y, unsigned char *c, long long n)
{
    for (long long i = 0; i < n; ++i) {
        y[i] = 2 * a * (float)i;
        ++c[i];
    }
}
END
sed -e '/check none/d; s/ramp_plain/ramp/; s/y\[i\] = .*;/y[i] = i % 3 == 2 ? 7.25f : 2 * a * (float)i;/' \
    -e '/^#pragma hone launch/i\
#pragma hone check template.ramp_plain tolerance(2)' \
    -e '/^#pragma hone op/a\
#pragma hone require n % 5 == 0' "$work/ramp_plain.cu" >"$work/ramp.cu"

run 1 verify "$work/ramp.cu" --dims 10
out_has "out of tolerance"
err_has "hone: ramp: y[0][2] = 7.25, expected 2, off by 5.25 (allowed "
err_has "hone: ramp: y[1][0] = 7.25, expected 5, off by 2.25 (allowed "
run 1 verify "$work/ramp.cu" --dims 10 --show 1
[ "$(grep -c 'y\[' "$work/err")" -eq 1 ] || fail "one element should be shown"
err_has "more of "
run 2 verify "$work/ramp.cu" --show 33
err_has "--show takes at most 32 elements"

# Every array by its name; what was there before apart from what came of it.
run 1 verify "$work/ramp.cu" --dims 10 --dump "$work/dump" --format json
json failures.0.wrong.array=y failures.0.wrong.elements.0.place='[0][2]' \
    failures.0.wrong.elements.0.index=2 failures.0.wrong.elements.0.got=7.25 \
    failures.0.wrong.elements.0.expected=2.0
err_has "the arrays of this run are in '$work/dump'"
(cd "$work/dump" && ls) >"$work/names"
printf '%s\n' a.npy c.before.npy c.npy wrong.txt x.npy y.bound.npy \
    y.expected.npy y.npy >"$work/wanted"
cmp -s "$work/names" "$work/wanted" || fail "other files: $(cat "$work/names")"
grep -q '^ramp at n=' "$work/dump/wrong.txt" || fail "wrong.txt says nothing"
# npy NAME OD-TYPE BYTES: the elements of a file.
npy() {
    tail -c +129 "$work/dump/$1.npy" | od -An -v -w"$3" -t "$2" | tr -d ' '
}
head -c 127 "$work/dump/y.npy" | grep -aq "'descr': '<f4', 'fortran_order': False, 'shape': (" ||
    fail "the header of y.npy"
[ "$(npy y f4 4 | sed -n 1,3p | tr '\n' ' ')" = "0 1 7.25 " ] || fail "y.npy"
[ "$(npy y.expected f8 8 | sed -n 1,3p | tr '\n' ' ')" = "0 1 2 " ] ||
    fail "y.expected.npy"
[ "$(npy a f4 4)" = 0.5 ] || fail "a.npy"
[ "$(npy x d4 4 | sort -n | head -n 2 | tr '\n' ' ')" = "0 1 " ] || fail "x.npy"
[ "$(npy c u1 1 | head -n 1)" -eq $(($(npy c.before u1 1 | head -n 1) + 1)) ] ||
    fail "c.npy is not what came of c.before.npy"
run 3 verify "$work/ramp.cu" --dims 10 --dump "$work/dump"
err_has "--dump: '$work/dump' is not empty"
echo text >"$work/file"
run 3 verify "$work/ramp.cu" --dims 10 --dump "$work/file"

# What kernels print is seen with --verbose, on stderr, and nowhere else.
sed '/for (/i\
    printf("n is %lld\\n", n);' "$work/ramp_plain.cu" >"$work/prints.cu"
sed -i '1i\
#include <cstdio>' "$work/prints.cu"
run 0 verify "$work/prints.cu" --dims 10 --verbose --format csv
err_has "n is 1"
! grep -q 'n is' "$work/out" || fail "a kernel's text is among the results"
run 0 verify "$work/prints.cu" --dims 10
! grep -q 'n is' "$work/out" "$work/err" || fail "a kernel's text is shown"

# An index outside: the sanitizer's sentence names the argument.
"${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q / || exit 0
sed 's/y\[i\] = /y[5 * ((n + 4) \/ 5) + 2] = /' "$work/ramp_plain.cu" >"$work/outside.cu"
run 1 verify "$work/outside.cu" --dims 10 --sanitize --format csv
out_has "AddressSanitizer: heap-buffer-overflow, WRITE of size 4, element 7 of 'y', which has 5 (outside.cu:"
