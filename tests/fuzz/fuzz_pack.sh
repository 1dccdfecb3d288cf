#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pack reader under libFuzzer with AddressSanitizer and UBSan, for so many
# seconds (a minute); skipped where clang or its fuzzer is missing. A folder keeps
# what it learned: sh tests/fuzz/fuzz_pack.sh 20000 FOLDER
set -eu
seconds=${1:-60}
tests=$(dirname "${HONE:?}")/../tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=${2:-$work/corpus}
clang=$(command -v clang || command -v clang-14 || true)
[ -n "$clang" ] || {
    echo "there is no clang"
    exit 77
}
echo 'int LLVMFuzzerTestOneInput(const char *a, unsigned long n)
{ return (a != 0 && n > 9) * 0; }' >"$work/empty.c"
"$clang" -fsanitize=fuzzer,address,undefined -o "$work/empty" "$work/empty.c" \
    2>"$work/log" || {
    echo "$clang has no libFuzzer: $(head -n 1 "$work/log")"
    exit 77
}
cd "${HONE_SOURCE:?}"
# The rooms that the reader is in; all of the objects at once, on two cores.
CLANG=$clang
export CLANG HONE_SOURCE
find runtime/base runtime/expr runtime/launch runtime/choose runtime/store -name '*.c' \
    >"$work/sources"
echo tests/fuzz/fuzz_pack.c >>"$work/sources"
# shellcheck disable=SC2016 # the inner shell's
xargs -n 8 -P 2 sh -c 'cd "$0" && for source; do
    "$CLANG" -c -g -O1 -std=c11 -D_POSIX_C_SOURCE=200809L -I"$HONE_SOURCE" \
        -fsanitize=fuzzer-no-link,address,undefined \
        -fno-sanitize-recover=undefined \
        -o "$(basename "$source" .c).o" "$HONE_SOURCE/$source" || exit 255
done' "$work" <"$work/sources"
"$clang" -fsanitize=fuzzer,address,undefined -o "$work/fuzz_pack" \
    "$work"/*.o -lsqlite3 -lzstd -lmd -lm -lpthread -ldl
mkdir -p "$corpus"
"$tests/make_seed" "$work/seed.db" "$corpus/seed.pack"
# Some seconds more than it runs: what hangs is a finding, too.
"$work/fuzz_pack" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
    -max_len=20000 -artifact_prefix="$work/" "$corpus" >"$work/log" 2>&1 || {
    tail -n 60 "$work/log"
    cp "$work"/crash-* "$work"/timeout-* "$work"/oom-* "${TMPDIR:-/tmp}" \
        2>/dev/null || true
    exit 1
}
tail -n 2 "$work/log"
