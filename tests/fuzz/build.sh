#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER: the fuzz targets with libFuzzer, AddressSanitizer and UBSan,
# in a build of their own. Exit 77: there is no clang, or it has no libFuzzer.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
mkdir -p "$folder"
clang=$(command -v clang || command -v clang-14 || true)
[ -n "$clang" ] || {
    echo "there is no clang"
    exit 77
}
echo 'int LLVMFuzzerTestOneInput(const char *a, unsigned long n)
{ return (a != 0 && n > 9) * 0; }' >"$folder/empty.c"
"$clang" -fsanitize=fuzzer,address,undefined -o "$folder/empty" \
    "$folder/empty.c" 2>"$folder/log" || {
    echo "$clang has no libFuzzer: $(head -n 1 "$folder/log")"
    exit 77
}
{
    cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$clang" \
        -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS='-g1 -O1' -DHONE_FUZZ=ON \
        -DHONE_BUILD_TOOLS=OFF -DHONE_BUILD_TESTS=ON \
        -DHONE_SANITIZE=fuzzer-no-link,address,undefined &&
        cmake --build "$folder" --target fuzzers -- -j "${FUZZ_JOBS:-2}"
} >"$folder/log" 2>&1 || {
    tail -n 40 "$folder/log"
    exit 1
}
