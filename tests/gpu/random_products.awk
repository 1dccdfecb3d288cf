# SPDX-License-Identifier: Apache-2.0
# N matrix products that nobody chose, drawn with SEED, as lines for --shapes:
# mostly `gemm` in every type, layout and epilogue, with rows and matrices apart
# by anything, some of `gemm_grouped`, `gemm_f8` and `gemm_i8`. LARGEST bounds
# sizes (3000), LONGEST K where C is small (100000). The generator is minstd
# (Park and Miller 1988), the same in every awk.
#
#     awk -v seed=1 -v n=2000 -f random_products.awk

function uniform() {
    state = 16807 * state % 2147483647
    return state / 2147483647
}
# Evenly in the exponent, of [2^low, 2^high); evenly, of low .. high.
function size(low, high) {
    return least(int(2 ^ (low + (high - low) * uniform())), largest)
}
function least(a, b) { return a < b ? a : b }
function from(low, high) { return low + int((high + 1 - low) * uniform()) }
function one_of(names,    count, list) {
    count = split(names, list)
    return list[1 + int(count * uniform())]
}
# Beside a multiple of what tiles are made of.
function beside() {
    return least(one_of("8 16 64 64 128") * from(1, 8) + from(-1, 1), largest)
}

# m, n and k of one of eight kinds.
function sizes(    kind, t) {
    kind = from(0, 7)
    if (kind == 0) { m = size(0, 4); n = size(0, 4); k = size(0, 6) }
    if (kind == 1) { m = size(0, 8); n = size(0, 8); k = size(0, 8) }
    if (kind == 2) { m = size(4, 10); n = size(4, 10); k = size(3, 10) }
    if (kind == 3) { m = size(8, 11.6); n = size(8, 11.6); k = size(5, 11.6) }
    if (kind == 4) { m = size(0, 4); n = size(5, 11.6); k = size(3, 11.6) }
    if (kind == 5) {
        m = size(0, 6)
        n = size(0, 6)
        k = int(longest ^ (0.6 + 0.4 * uniform()))
    }
    if (kind == 6) { m = beside(); n = beside(); k = beside() }
    if (kind == 7) {
        m = least(8 * size(0, 7), largest)
        n = least(8 * size(0, 7), largest)
        k = least(8 * size(0, 7), largest)
    }
    if (uniform() < 0.5) { t = m; m = n; n = t }
}

# From one row to the next: as short as can be, or with a gap of any kind.
function apart(row,    kind) {
    kind = from(0, 4)
    if (kind < 2)
        return row
    if (kind == 2)
        return row + from(1, 9)
    if (kind == 3)
        return int((row + 7) / 8) * 8 + 8 * from(0, 2)
    return row + 2 * from(1, 20)
}
# From one matrix to the next, which has so many elements; 0: the same again.
function step(elements,    kind) {
    kind = from(0, 5)
    if (kind == 0)
        return 0
    if (kind < 3)
        return elements
    if (kind < 5)
        return elements + from(1, 33)
    return int((elements + 7) / 8) * 8
}

function batches() {
    return uniform() < 0.65 || m * n * k > 3e7 ? 1 : from(2, 5)
}

function gemm(    type, out, emulated, epilogue, ta, tb, lda, ldb, ldc, batch, c) {
    type = one_of("f16 f16 f16 f16 bf16 bf16 bf16 tf32 tf32 f32 f32 f32")
    type = uniform() < 0.03 ? "f64" : type
    out = type == "tf32" ? "f32" : type
    out = type ~ /16$/ && uniform() < 0.5 ? "f32" : out
    emulated = type == "f32" && uniform() < 0.5
    epilogue = uniform() < 0.55 ? 0 : one_of("2 4 6 32 36")
    if (type == "f64" || (type == "f32" && !emulated))
        epilogue = 0 # the reference alone has them
    ta = from(0, 1)
    tb = from(0, 1)
    lda = apart(ta ? m : k)
    ldb = apart(tb ? k : n)
    ldc = apart(n)
    batch = batches()
    c = m * ldc + (uniform() < 0.5 ? 0 : from(1, 33))
    if (batch > 1 && uniform() < 0.3) { # side by side in the rows of one
        c = n + from(0, 3)
        ldc = apart(batch * c)
    }
    return m "," n "," k "," type "," out "," ta "," tb "," lda "," ldb "," \
        ldc "," batch "," step((ta ? k : m) * lda) "," \
        step((tb ? n : k) * ldb) "," c "," from(0, 1) "," epilogue "," emulated
}

function gemm_i8(    ta, tb, lda, ldb, ldc, batch) {
    ta = from(0, 1)
    tb = from(0, 1)
    lda = apart(ta ? m : k)
    ldb = apart(tb ? k : n)
    ldc = apart(n)
    batch = batches()
    return m "," n "," k "," ta "," tb "," lda "," ldb "," ldc "," batch "," \
        step((ta ? k : m) * lda) "," step((tb ? n : k) * ldb) "," \
        m * ldc + from(0, 9)
}

function gemm_f8(    ta, tb) {
    ta = from(0, 1)
    tb = from(0, 1)
    return m "," n "," k "," one_of("e4m3 e4m3 e5m2") "," \
        one_of("e4m3 e4m3 e5m2") "," one_of("bf16 f16 f32") "," ta "," tb "," \
        apart(ta ? m : k) "," apart(tb ? k : n) "," apart(n) "," batches() \
        "," from(0, 2) "," from(0, 1) "," from(0, 1)
}

function gemm_grouped(    groups) {
    groups = from(1, 9)
    return m "," n "," least(k, largest) "," groups "," \
        one_of("f16,f16 f16,f32 bf16,bf16 bf16,f32") "," from(0, 1)
}

BEGIN {
    count = n # which a product has, too
    largest = largest ? largest : 3000
    longest = longest ? longest : 100000
    state = 1 + seed % 2147483646
    for (d = 0; d < 8; d++)
        uniform() # small seeds begin alike
    for (d = 0; d < count; d++) {
        which = uniform()
        sizes()
        if (which < 0.84)
            print "gemm", gemm()
        else if (which < 0.90)
            print "gemm_grouped", gemm_grouped()
        else if (which < 0.96)
            print "gemm_f8", gemm_f8()
        else
            print "gemm_i8", gemm_i8()
    }
}
