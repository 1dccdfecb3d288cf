#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A compiler's message quotes the template's own line, with its caret and its
# line breaks, whatever else is called like the template, and so does the cache.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
mkdir "$work/sub" "$work/sub/in"
cat >"$work/sub/t.cu" <<'CU'
#include "in/t.cu"
#pragma hone op k(n) "x"
#pragma hone arg x: inout f32[n]
#pragma hone param N in {2}
#pragma hone launch k grid(1) block(32)
#pragma hone check none
extern "C" __global__ void k(float *x, long long n)
{
#pragma hone for I in 1..N
    const float mine@{I} = missing_name(x, in_header, @{I});
#pragma hone endfor
}
CU
echo 'constexpr int in_header = 1; // line 1 of the header' >"$work/sub/in/t.cu"
for i in 1 2 3 4 5 6 7 8 9 10 11; do
    echo "line $i of another file"
done >"$work/t.cu"
cd "$work"

# As people see it: below the row, the line with its number and its caret.
quoted() {
    out_has "t.cu:10:"
    out_has "    const float mine@{I} = missing_name(x, in_header, @{I});"
    grep -qE '^ .*\^' "$work/out" || fail "there is no caret"
    ! grep -qE 'another file|of the header|hone-unit' "$work/out" ||
        fail "the text of another file"
}
run 1 verify sub/t.cu
quoted
# From the cache too, and from elsewhere; JSON has the line breaks.
cd sub
run 1 verify t.cu
quoted
run 1 verify t.cu --format json
out_has '\n   10 |     const float mine@{I} = missing_name(x,'
# A mistake in the first lines is the template's as well.
printf '#include "none.cuh"\n' | cat - t.cu >first.cu
run 1 verify first.cu
out_has "first.cu:1:10"
! grep -q hone-unit "$work/out" || fail "the name of a file that nobody wrote"
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || exit 0
run 1 compile t.cu
out_has "t.cu(10): error"
out_has "    const float mine1 = missing_name(x, in_header, 1);"
