# SPDX-License-Identifier: Apache-2.0
# Problems whose sizes nobody chose: DRAWS times a problem of each operation
# named in `ops` (blanks around each), drawn with `seed`, as "0 OP DIMS". The
# generator is minstd (Park and Miller 1988), the same in every awk.
#
#     awk -v seed=N -v draws=N -v ops=" sum gemm " -f draw.awk

function uniform() {
    state = 16807 * state % 2147483647
    return state / 2147483647
}
# Evenly in the exponent, of [2^low, 2^high).
function size(low, high) {
    return int(2 ^ (low + (high - low) * uniform()))
}
function power(low, high) {
    return 2 ^ int(low + (high + 1 - low) * uniform())
}
function one_of(names,    n, list) {
    n = split(names, list)
    return list[1 + int(n * uniform())]
}

# What memory bounds: arrays of 64 MB to 1 GB.
function of_n(types) {
    type = one_of(types)
    return size(24, 28) * (type ~ "f16" ? 2 : 1) "," type
}
function of_rows(    n, columns) {
    type = one_of("f32 f16")
    n = 2 ^ (24 + 3 * uniform())
    columns = size(5, 16)
    return int(n * (type == "f16" ? 2 : 1) / columns) "," columns "," type
}
function of_images() {
    return size(10, 13.5) "," size(10, 13.5) "," one_of("3 5") "," \
        one_of("f32 u8")
}

function dims(op,    n, m) {
    if (op ~ /^(vector_add|sum|dot|norm2|min_index|max_index|scan)$/)
        return of_n("f32 f16")
    if (op == "saxpy")
        return of_n("f32")
    if (op ~ /^(bias_relu|bias_gelu|transpose|row_sums|column_sums|scan_rows)$/ ||
        op ~ /^(softmax|log_softmax|layer_norm|rms_norm)$/)
        return of_rows()
    if (op == "threshold")
        return of_n("f32 f16 u8") "," one_of("0 1 2")
    if (op == "rgb_to_gray")
        return size(11, 14) "," size(11, 14)
    if (op == "matrix_add")
        return size(7, 12) "," size(7, 12) "," one_of("f32 f16") "," \
            size(2, 6)
    if (op == "transpose_square")
        return size(12, 14.3) "," one_of("f32 f16 u8")
    if (op == "histogram_u8")
        return size(25, 28) ",u32," one_of("0 1 2")
    if (op == "histogram_f32")
        return size(25, 27) "," size(4, 14) ",u32," one_of("0 1 2")
    if (op == "gather")
        return size(19, 23) "," size(18, 22) "," size(3, 7) "," \
            one_of("f32 f16")
    if (op == "embedding_bag") {
        n = size(12, 16)
        return n "," int(n * 2 ^ (2 + 4 * uniform())) "," size(4, 7.5) "," \
            size(17, 21) "," one_of("f32 f16")
    }
    if (op == "spmv_csr") {
        n = size(18, 22)
        return n "," n "," int(n * 2 ^ (2 + 3 * uniform())) "," \
            one_of("f32 f64") "," one_of("0 1 2")
    }
    if (op ~ /^(median|gaussian|convolve2d|convolve2d_separable)$/)
        return of_images()
    if (op == "stencil2d")
        return size(11, 13.5) "," size(11, 13.5) "," 1 + int(40 * uniform())
    if (op == "stencil3d")
        return size(7, 9.3) "," size(7, 9.3) "," size(7, 9.3) "," \
            1 + int(20 * uniform())
    # What arithmetic bounds.
    if (op == "gemm") {
        type = one_of("f32 f32 f64 f16")
        return size(5, 12.5) "," size(5, 12.5) "," size(5, 12.5) "," type "," \
            (type == "f16" ? "f32" : type) "," one_of("0 1") "," one_of("0 1")
    }
    if (op == "gemm_i8")
        return size(6, 12.5) "," size(6, 12.5) "," size(6, 12.5) ",0," \
            one_of("0 1")
    if (op == "gemm_f8")
        return size(6, 12.5) "," size(6, 12.5) "," size(6, 12.5) ",FAST=" \
            one_of("0 1")
    if (op == "gemm_complex") {
        n = size(3, 7)
        m = size(3, 7)
        return n "," m "," size(3, 7) ",BATCH=" int(size(22, 25) / (n * m))
    }
    if (op == "gemm_grouped")
        return size(6, 14.5) "," size(6, 12.5) "," size(6, 12.5) "," \
            size(1, 6.5) "," one_of("f16,f16 bf16,bf16 bf16,f32") "," \
            one_of("0 1")
    if (op == "gemv") {
        n = size(5, 22)
        return n "," int(size(24, 28) / n) "," one_of("f32 f16 f64") "," \
            one_of("0 1")
    }
    if (op == "nbody")
        return size(13, 18) "," one_of("0 1 2")
    n = power(5, 13)
    if (op ~ /^fft_(r2c|c2r|filter)$/)
        return n "," int(size(25, 28) / n)
    if (op == "fft") {
        n = power(4, 16)
        return n "," int(size(24, 27) / n)
    }
    if (op ~ /^(fft2d|image_pipeline)$/) {
        n = power(6, 12)
        m = power(6, 12)
        return n "," m "," 1 + int(size(23, 26) / (n * m))
    }
    if (op == "attention")
        return size(9, 13.3) "," one_of("4 8 16") "," one_of("1 2 4") ",1," \
            one_of("64 128") "," one_of("f16 bf16") "," one_of("0 1")
    return ""
}

BEGIN {
    state = 1 + seed % 2147483646
    for (d = 0; d < 8; d++)
        uniform() # small seeds begin alike
    n_ops = split(ops, list)
    for (d = 0; d < draws; d++)
        for (i = 1; i <= n_ops; i++) {
            drawn = dims(list[i])
            if (drawn != "")
                print 0, list[i], drawn
        }
}
