#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products that nobody chose (six_classes.awk; f16 and bf16, transposed or not, by
# turns, C only written), by one implementation alone with BUDGET trials each and an
# empty database, beside cuBLAS and the fastest of cuBLASLt's heuristics.
#
#     SEED=7 sh tests/gpu/unseen.sh FOLDER
#
# SEED (20261126), COUNT (24), BUDGET (150), IMPLEMENTATION (gemm/sm90); SECONDS_MAX
# (600): the tuning is interrupted then, and the table has what there is.
. "$(dirname "$0")/steps.sh"
BUDGET=${BUDGET:-150}
IMPLEMENTATION=${IMPLEMENTATION:-gemm/sm90}

drawn gemm "${SEED:-20261126}" "${COUNT:-24}" | awk '{
    t = NR % 2 ? "f16" : "bf16"
    print "gemm " $1 "," t "," t "," int(NR / 3) % 2 "," int(NR / 2) % 2 ",ADD=0"
}' >"$OUT/unseen.shapes"
step unseen timeout -s INT "${SECONDS_MAX:-600}" "$HONE" tune "$IMPLEMENTATION" \
    --shapes "$OUT/unseen.shapes" --budget "$BUDGET" --no-portfolio --quiet \
    --device "$DEVICE" --format json
table unseen.sql
exit $status
