#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Standard headers in kernels: every one that people write works on the cpu
# device and through NVRTC, alone and together, or both devices say in one
# sentence what to use instead.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
nvrtc=no
"$HONE" doctor --require nvrtc >/dev/null 2>&1 && nvrtc=yes

# one NAME EXPRESSION: a header, and a float that it alone brings.
ones() {
    cat <<'ONES'
algorithm std::max(std::min(x[0], 2.0f), 1.0f)
array std::array<float, 2>{1.0f, 2.0f}[1]
cassert (assert(n > 0), 1.0f)
cfloat FLT_MAX * float(DBL_EPSILON)
climits float(INT_MAX) + CHAR_BIT
cmath std::sqrt(std::abs(x[0])) + (std::isnan(x[0]) ? INFINITY : float(M_PI))
cstddef float(sizeof(std::size_t) + sizeof(std::ptrdiff_t))
cstdint float(std::uint8_t(257)) + float(int64_t(3)) + float(INT32_MAX)
cstdio float(sizeof(std::printf("")))
cstdlib float(std::abs(-3))
cstring (std::memcpy(x, x + 1, 4), x[0])
cuda/std/cstdint float(cuda::std::uint16_t(65537))
cuda_runtime.h float(sizeof(float4))
initializer_list float(std::initializer_list<int>{1, 2}.size())
limits std::numeric_limits<float>::max() + float(std::numeric_limits<int>::min())
type_traits std::is_same_v<std::conditional_t<true, int, float>, int> ? 1.0f : 2.0f
utility std::move(std::pair{1.0f, 2}.first)
assert.h (assert(n > 0), 1.0f)
float.h FLT_MIN
limits.h float(UINT_MAX)
math.h sqrtf(fabsf(x[0])) + INFINITY
stddef.h float(sizeof(size_t))
stdint.h float(uint32_t(3)) + float(UINT64_MAX)
stdio.h float(sizeof(printf("")))
stdlib.h float(abs(-3))
string.h (memset(x, 0, 4), x[0])
ONES
}

# template: reads `NAME EXPRESSION` lines; each is a value of HEADER.
template() {
    cat >"$work/ones"
    printf '#pragma hone op k(n) "x"\n#pragma hone arg x: inout f32[n]\n'
    awk '{ printf "%sh%d", NR == 1 ? "#pragma hone param HEADER in {" : ", ", NR }
         END { print "}" }' "$work/ones"
    printf '#pragma hone launch k grid(1) block(1)\n#pragma hone check none\n'
    awk '{ printf "#pragma hone %s HEADER == h%d\n#include <%s>\n", NR == 1 ? "if" : "elif", NR, $1 }
         END { print "#pragma hone endif" }' "$work/ones"
    printf 'extern "C" __global__ void k(float *x, long long n)\n{\n'
    awk '{ h = $1; sub(/^[^ ]* ?/, ""); printf "#pragma hone %s HEADER == h%d\n    x[0] = %s;\n", NR == 1 ? "if" : "elif", NR, $0 }
         END { print "#pragma hone endif\n}" }' "$work/ones"
}

# Each alone through NVRTC.
ones | template >"$work/good.cu"
n=$(wc -l <"$work/ones")
[ $nvrtc = no ] || {
    run 0 compile "$work/good.cu" --format json
    json failed=0 "compiles=$n"
}
# All together, on both.
{
    ones | sed 's/\([^ ]*\) .*/#include <\1>/'
    printf '#pragma hone op k(n) "x"\n#pragma hone arg x: inout f32[n]\n'
    printf '#pragma hone launch k grid(1) block(1)\n#pragma hone check none\n'
    printf 'extern "C" __global__ void k(float *x, long long n)\n{\n'
    ones | sed 's/^[^ ]* \(.*\)/    x[0] += \1;/'
    printf '}\n'
} >"$work/all.cu"
run 0 verify "$work/all.cu"
[ $nvrtc = no ] || run 0 compile "$work/all.cu"

# What has no meaning in a kernel is answered with what has.
cat >"$work/bad" <<'BAD'
iostream printf
vector <array>
functional <cuda/std/..>
thread launch
chrono clock64()
BAD
sed 's/ .*/ 1.0f/' "$work/bad" | template >"$work/bad.cu"
n=$(wc -l <"$work/bad")
sentences() {
    run 1 "$@" --format csv
    while read -r name words; do
        grep -F "<$name> is not for kernels" "$work/out" | grep -qF "$words" ||
            fail "no sentence about $name, with $words"
    done <"$work/bad"
}
sentences verify "$work/bad.cu"
[ $nvrtc = no ] || sentences compile "$work/bad.cu"
# CUDA's own libraries ask for a line of the template.
echo 'cub/cub.cuh 1.0f' | template >"$work/cub.cu"
run 1 verify "$work/cub.cu" --format csv
out_has "say so with the line #pragma hone device cuda"
# What others wrote is given what there is, and refused nothing.
mkdir "$work/lib"
printf '#include <cstdint>\n#ifdef HONE_HOST\n#include <vector>\n#endif\n' \
    >"$work/lib/lib.h"
echo 'lib.h float(uint8_t(1))' | template >"$work/lib.cu"
run 0 verify "$work/lib.cu" --include "$work/lib"
[ $nvrtc = no ] || run 0 compile "$work/lib.cu" --include "$work/lib"
