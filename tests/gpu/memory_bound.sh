#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The operations that memory bounds, at the shapes of memory_bound.shapes: each
# is verified (VERIFY configurations), tuned with BUDGET trials from an empty
# database, its winner in turns with the baselines of its contract in the final;
# the table has its bytes a second beside the device's copy rate, and the ratios.
#
#     sh tests/gpu/memory_bound.sh FOLDER [OP ..]
. "$(dirname "$0")/steps.sh"
shift
BUDGET=${BUDGET:-150}
VERIFY=${VERIFY:-0}
COPY=${COPY:-4250} # GB/s, of an H200
echo "$COPY" >"$OUT/copy"
shapes=$(dirname "$0")/memory_bound.shapes
: >"$OUT/done"
sed '/^#/d; /^$/d' "$shapes" >"$scratch/shapes"
while read -r op all; do
    case " ${*:-$op} " in *" $op "*) ;; *) continue ;; esac
    [ "$VERIFY" -eq 0 ] ||
        step "verify_$op" hone verify "$op" --limit "$VERIFY" --quiet \
            >>"$OUT/steps.log" || tail -n 3 "$OUT/steps.log"
    for dims in $all; do
        which=$(echo "${op}_$dims" | tr , -)
        step "tune_$which" hone tune "$op" --dims "$dims" --budget "$BUDGET" \
            --no-seeds --quiet >>"$OUT/steps.log" || tail -n 3 "$OUT/steps.log"
        echo "$which" >>"$OUT/done"
    done
done <"$scratch/shapes"
awk 'BEGIN { printf "[" } { printf "%s\"%s\"", (NR > 1 ? "," : ""), $1 }
     END { print "]" }' "$OUT/done" >"$OUT/problems.json"
table memory_bound.sql
exit $status
