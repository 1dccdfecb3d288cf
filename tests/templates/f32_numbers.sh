#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What gemm/sm90_f32 packs, on the cpu device: its own pack kernel, its table of
# products and its rules for what is packed, in front of a product by plain
# multiply-adds, which needs no wgmma. Every layout, tf32 and emulated; and
# defects, which are found.
#
#   f32_numbers.sh [day]: by day one configuration of each layout, two of them as tf32 and two
#   emulated, and a smaller problem under the sanitizers
. "$(dirname "$0")/../tools/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
source=$HONE_SOURCE/templates/gemm/gemm_sm90_f32.cu
# between FROM TO: the lines from the first pattern to before the second.
between() {
    sed -n "/$1/,/$2/p" "$source" | sed '$d'
}
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cuh \
    "$HONE_SOURCE/tests/templates/f32_numbers_product.cuh" "$work"
{
    printf '#include "%s.cuh"\n' gemm gemm_epilogue hone_device hone_pack \
        gemm_sm90_f32_pack
    cat <<'END'
#pragma hone implements gemm/numbers "what gemm/sm90_f32 packs"
#pragma hone require K > 0 "nothing is packed"
END
    grep 'require T == tf32' "$source"
    grep 'let EMULATES\|let NUMBERS\|let PRODUCTS' \
        "$HONE_SOURCE/templates/gemm/gemm_sm90_f32_space.cuh"
    grep 'let PACK_\|let PACKED_\|let PITCH\|workspace packed\|workspace numbers' "$source"
    grep 'launch gemm_sm90_f32_pack' "$source"
    echo '#pragma hone launch product grid(ceildiv(M*N*BATCH, 256)) block(256)' \
        'args(A, B, packed_a, packed_b, numbers_a, numbers_b, C, alpha, beta,' \
        'i32(M), i32(N), i32(K), i32(PITCH), i32(PACK_A), i32(PACK_B), i64(LDA),' \
        'i64(STRIDE_A), i64(LDB), i64(STRIDE_B), i64(LDC), i64(STRIDE_C),' \
        'i32(BATCH), bias)'
    echo 'namespace gemm = hone::gemm;'
    grep 'constexpr unsigned kNumbers' "$source"
    between '^.. Packs A and B' '^.. Adds up the parts'
    cat "$work/f32_numbers_product.cuh"
} >"$work/numbers.cu"
layouts="0,0 0,1 1,0 1,1" emulated_layouts=$layouts limit=2 sanitized=37,70,131
if [ "${1:-night}" = day ]; then
    layouts="0,0 1,1" emulated_layouts="0,1 1,0" limit=1 sanitized=37,34,35
fi
# right DIMS
right() {
    run 0 verify "$work/numbers.cu" --device cpu --format json --dims "$1" --limit $limit
    json checked=$limit failed=0
}
for layout in $layouts; do
    right "37,70,131,tf32,f32,$layout"
done
for layout in $emulated_layouts; do
    right "37,70,131,f32,f32,$layout,EMULATED=1"
done
run 0 verify "$work/numbers.cu" --device cpu --sanitize --limit 1 \
    --dims $sanitized,f32,f32,1,0,BATCH=3,EMULATED=1 --format json
json failed=0
mkdir "$work/planted"
# planted FILE PATTERN REPLACEMENT DIMS: it is found.
planted() {
    cp "$work"/*.cuh "$work/numbers.cu" "$work/planted"
    sed "s/$2/$3/" "$work/$1" >"$work/planted/$1"
    ! cmp -s "$work/$1" "$work/planted/$1" || fail "$1 has changed: no '$2'"
    run 1 verify "$work/planted/numbers.cu" --dims "$4" --device cpu --limit 1 \
        --format json
    grep -q '"wrong"' "$work/out" || fail "planted $3: not found wrong"
}
emulated=37,70,131,f32,f32,EMULATED=1
planted numbers.cu 0x010120 0x010110 $emulated
planted numbers.cu 0x001102 0x000102 $emulated
planted gemm_sm90_f32_pack.cuh 'i < 3; i++' 'i < 2; i++' $emulated
planted gemm_sm90_f32_pack.cuh '(long long)j \* m.rows' '(long long)j' $emulated
planted gemm_sm90_f32_pack.cuh 'k \* m.pitch + r' 'k * m.pitch + r % 32' \
    37,70,131,tf32
