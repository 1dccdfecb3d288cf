#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm/sm90 beside cuBLAS and cuBLASLt, and what a short search of it is worth:
# each problem is tuned with SMALL and, in a database of its own, with LARGE
# trials; then one bench times both winners, the default and the baselines in
# turns. Needs compute capability 9.0.
#
#     sh tests/gpu/hopper.sh FOLDER [DIMS ..]
#
# OP, DEVICE: another template and device. EXTRA: one more configuration.
. "$(dirname "$0")/steps.sh"
shift
OP=${OP:-gemm/sm90}
SMALL=${SMALL:-150}
LARGE=${LARGE:-600}
[ $# -gt 0 ] || set -- 4096,4096,4096,f16,f16 8192,8192,8192,f16,f16 \
    4096,4096,4096,bf16,bf16 8192,8192,8192,bf16,bf16 \
    4096,4096,4096,f16,f16,0,1 4096,4096,4096,bf16,bf16,1,0 \
    4096,4096,4096 4097,4097,4097 12345,321,555 511,513,1023 6144,77,768 \
    16,4096,4096 64,64,65536 96,96,100000 512,512,16384

all=''
for dims in "$@"; do
    step "small_$dims" hone tune "$OP" --dims "$dims" --budget "$SMALL" \
        --db "$OUT/small.db"
    step "large_$dims" hone tune "$OP" --dims "$dims" --budget "$LARGE" \
        --seed 2 --no-seeds --db "$OUT/large.db"
    config=$(field "small_$dims" shapes[0].winner)
    [ -n "$config" ] || continue
    step "bench_$dims" hone bench "$OP" --dims "$dims" \
        --db "$OUT/large.db" --config "$config" ${EXTRA:+--config "$EXTRA"}
    all="$all${all:+,}\"$dims\""
done
echo "[$all]" >"$OUT/problems.json"
table hopper.sql
exit $status
