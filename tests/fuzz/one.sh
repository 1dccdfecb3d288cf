#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one.sh SECONDS FOLDER TARGET: a target that fuzz.sh has built, for so long. The
# last line is what was done: target, executions, seconds. FUZZ_SEED: of its random
# numbers (others each time), FUZZ_TIMEOUT: seconds for an input (20).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
seconds=$1
folder=$2
target=$3
corpus=$folder/corpus/$target
found=$folder/found/$target
mkdir -p "$corpus" "$found"
seeds=$here/corpus/$target
case $target in
template) seeds="$seeds $source/templates $source/tests/gen/golden $source/tests/tools/fixtures" ;;
t1) seeds="$seeds $source/tests/gen/t1" ;;
plan) seeds="$seeds $source/tests/gen/golden" ;;
recording) seeds="$seeds $source/tests/replay/recordings" ;;
pack)
    rm -f "$folder/seed.db"*
    "$folder/build/tests/make_seed" "$folder/seed.db" "$corpus/seed.pack"
    ;;
esac
words=
[ ! -f "$here/words/$target" ] || words=-dict=$here/words/$target
failed=0
begun=$(date +%s)
# What hangs is a finding, and so is what takes memory.
# shellcheck disable=SC2086 # lists of words
"$folder/build/tests/fuzz_$target" -max_total_time="$seconds" \
    -timeout="${FUZZ_TIMEOUT:-20}" -seed="${FUZZ_SEED:-0}" \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=20000 $words \
    -print_final_stats=1 -artifact_prefix="$found/" \
    "$corpus" $seeds >"$folder/log.$target" 2>&1 || {
    failed=1
    echo "$target FAILED, see $found:"
    grep -aE 'ERROR|SUMMARY|runtime error|does not hold|^    #' \
        "$folder/log.$target" | head -n 30
}
n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log.$target")
echo "$target ${n:-?} executions $(($(date +%s) - begun)) s"
exit "$failed"
