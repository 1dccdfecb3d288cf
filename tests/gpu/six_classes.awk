# SPDX-License-Identifier: Apache-2.0
# N matrix products whose sizes nobody chose, drawn with SEED, of six classes in
# turns: small, thin, long along K, skewed, plain, unaligned. One "M,N,K" a line.
# The generator is minstd (Park and Miller 1988), the same in every awk.
#
#     awk -v seed=2401 -v n=24 -f six_classes.awk

function uniform() {
    state = 16807 * state % 2147483647
    return state / 2147483647
}
# Evenly in the exponent, of [2^low, 2^high).
function size(low, high) { return int(2 ^ (low + (high - low) * uniform())) }
function aligned(x) {
    x = int((x + 7) / 8) * 8
    return x < 8 ? 8 : x
}

BEGIN {
    state = seed
    for (i = 0; i < 8; i++)
        uniform()
    for (i = 0; i < n; i++) {
        class = i % 6
        if (class == 0) { m = size(5, 10); k = size(5, 10); w = size(5, 10) }
        if (class == 1) { m = size(0, 7.5); w = size(9, 14); k = size(9, 14) }
        if (class == 2) { m = size(4, 9); w = size(4, 9); k = size(12, 17) }
        if (class == 3) { m = size(8, 14); w = size(7, 12); k = size(5, 9) }
        if (class == 4) {
            m = size(9, 12.5); w = size(9, 12.5); k = size(9, 12.5)
        }
        if (class == 5) { m = size(9, 12); w = size(9, 12); k = size(8, 12) }
        if (class != 5 && uniform() < 0.75) {
            m = class == 1 ? m : aligned(m)
            w = aligned(w)
            k = aligned(k)
        }
        if (uniform() < 0.5 && class == 1) { t = m; m = w; w = t }
        print m "," w "," k
    }
}
