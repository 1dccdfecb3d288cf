#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm, all implementations, beside cuBLAS and the best of cuBLASLt's
# heuristics, at shapes that nothing was tuned to: COUNT of them, drawn from
# SEED, of six families in turn; types and transpositions are drawn too. Each is
# tuned with BUDGET trials, from an empty database; the winner, the best of the
# finalists and the libraries run in turns in the final, which is what the table
# compares.
#
#     SEED=1 sh tests/gpu/library.sh FOLDER [DIMS ..]
#
# FROM, TO: only these of the drawn shapes, to share them between calls.
. "$(dirname "$0")/steps.sh"
shift
SEED=${SEED:-1}
COUNT=${COUNT:-40}
BUDGET=${BUDGET:-300}

# One shape a line: "DIMS FAMILY". Sizes are uniform in their logarithm.
draw() {
    awk -v seed="$SEED" -v count="$COUNT" '
    # The same with every awk: a multiplicative generator (Park and Miller).
    function rnd() { state = state * 16807 % 2147483647; return state / 2147483647 }
    function size(low, high) {
        return int(exp(log(low) + rnd() * (log(high + 1) - log(low))))
    }
    function even(n) { return n > 16 ? n - n % 16 : 16 }
    BEGIN {
        state = seed % 2147483646 + 1
        for (i = 0; i < 8; ++i) rnd()
        split("small thin long skewed unaligned square", family, " ")
        split("f16,f32 f16,f16 bf16,f32 bf16,bf16", types, " ")
        for (i = 0; i < count; ++i) {
            f = family[i % 6 + 1]
            m = even(size(512, 8192)); n = even(size(512, 8192))
            k = even(size(512, 8192))
            if (f == "small") { m = size(1, 512); n = size(1, 512); k = size(1, 1024) }
            if (f == "thin") { if (rnd() < 0.5) m = size(1, 64); else n = even(size(1, 64)) }
            if (f == "long") { m = even(size(16, 512)); n = even(size(16, 512)); k = even(size(16384, 262144)) }
            if (f == "skewed") { k = even(size(16, 256)) }
            if (f == "unaligned") { m = size(100, 8000); n = size(100, 8000) * 2 - 1; k = size(100, 8000) * 2 - 1 }
            if (f == "square") { m = n = k = even(size(256, 8192)) }
            ta = rnd() < 0.25; tb = rnd() < 0.25
            while (m * k > 2^28 || n * k > 2^28 || m * n > 2^28) { m = int(m / 2) + 1; n = int(n / 2) + 1 }
            printf "%d,%d,%d,%s,%d,%d %s\n", m, n, k, types[int(rnd() * 4) + 1], ta, tb, f
        }
    }'
}

if [ $# -gt 0 ]; then
    printf '%s given\n' "$@" >"$scratch/shapes"
else
    draw | sed -n "${FROM:-1},${TO:-$COUNT}p" >"$scratch/shapes"
fi
while read -r dims family; do
    step "library_$dims" hone tune gemm --dims "$dims" --budget "$BUDGET" \
        --no-seeds --quiet >>"$OUT/steps.log" || tail -n 3 "$OUT/steps.log"
    echo "$family" >"$OUT/library_$dims.family"
    echo "$dims" >>"$OUT/done"
done <"$scratch/shapes"
awk 'BEGIN { printf "[" } { printf "%s\"%s\"", (NR > 1 ? "," : ""), $1 }
     END { print "]" }' "$OUT/done" >"$OUT/problems.json"
table library.sql
exit $status
