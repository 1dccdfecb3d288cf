#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products of as many multiply-adds, from nearly square ones to a matrix times a
# vector, in f32 beside cuBLAS: M x N from 2048 x 512 to 1048576 x 1. Each is tuned,
# and its winner and the libraries are timed in turns.
#
#     sh tests/gpu/skewed_products.sh FOLDER [M,N ..]
#
# OP (gemm): all implementations compete, the libraries too; gemm/simt: only it.
# DEPTH (1024): K; BUDGET (80) trials for each search.
. "$(dirname "$0")/steps.sh"
shift

OP=${OP:-gemm}
DEPTH=${DEPTH:-1024}
BUDGET=${BUDGET:-80}
[ $# -gt 0 ] || set -- 2048,512 8192,128 32768,32 131072,8 524288,2 1048576,1

all=''
for shape in "$@"; do
    step "skewed_$shape" hone tune "$OP" --dims "$shape,$DEPTH,f32" \
        --budget "$BUDGET" --db "$OUT/skewed.db" || continue
    all="$all${all:+,}\"$shape\""
done
echo "[$all]" >"$OUT/problems.json"
table skewed_products.sql
exit $status
