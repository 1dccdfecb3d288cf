#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The default variant of rows gives each length of row a kind of its own
# (normalise/rows_limits.cuh): right at lengths of every kind, on both sides of each
# limit, and where rows of x and y are cut differently.
. "$(dirname "$0")/../tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/kinds.db
export HONE_CACHE_DIR HONE_DB
ask() { "$HONE" sql "$1" --format csv | tail -n 1; }
# at OP TYPE LENGTHS..: a trial each, which is the default variant's.
n=0
at() {
    op=$1 type=$2
    shift 2
    for columns; do
        # More rows than a block takes.
        rows=$((columns > 2048 ? 3 : 77))
        echo "$op $rows,$columns,$type"
        n=$((n + 1))
    done >>"$work/shapes"
}
at softmax f32 1 3 64 65 128 129 256 257 512 513 1024 1025 4096 4097 8192 8193 \
    16384 16385 60000
at layer_norm f16 64 65 128 129 512 513 1024 1025 2048 2049 8192 8193 16384 \
    16385 32768 32769
at rms_norm f32 129 1500 5000
at log_softmax bf16 33 2100 40000
# Of rows that are too long for shared memory, and of such as no pack of 16 bytes fits.
at layer_norm f32 70001
echo "softmax 5,300,f16,304,300" >>"$work/shapes"
n=$((n + 1))
run 0 tune --shapes "$work/shapes" --device cpu --no-portfolio --budget 1 -q
[ "$(ask "select count(*) from trial_v1 where outcome = 'ok' and is_default
    and template_name <> 'plain'")" -eq $n ] ||
    fail "of $n default variants these: $(ask "select group_concat(label || ' ' ||
        outcome, ', ') from trial_v1 where outcome <> 'ok' or not is_default
        or template_name = 'plain'")"
