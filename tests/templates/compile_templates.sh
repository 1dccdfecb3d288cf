#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every shipped template: it parses, its space is neither empty nor beyond
# use, its default is valid for small and odd shapes, and a sample of its
# variants compiles for sm_90. Without NVRTC the compiling is skipped.
#   compile_templates.sh VARIANTS_PER_TEMPLATE [EVERY]
# EVERY: every so many of the other shapes and types are compiled; 1 (default): and
# the references
set -u
sample=$1
every=${2:-1}
few=$(((sample + 2) / 3))

templates="$HONE_SOURCE/templates"
cache=$(mktemp -d) || exit 1
trap 'rm -rf "$cache"' EXIT
export XDG_CACHE_HOME="$cache"
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

[ -x "$HONE" ] || { echo "skipped: the hone program is not built"; exit 77; }

# space TEMPLATE DIMS LEAST MOST
space() {
    n=$("$HONE" space "$templates/$1.cu" --dims "$2" --count) || {
        fail "space of $1 at $2"
        return
    }
    n=$(printf '%s' "$n" | tr -dc '0-9')
    if [ "${n:-0}" -lt "$3" ] || [ "${n:-0}" -gt "$4" ]; then
        fail "$1 at $2 has ${n:-no} variants, expected $3 to $4"
    fi
}

space saxpy_stream 1000 100 2000
space saxpy_stream 1000,f64 100 2000
space saxpy_plain 1 1 1
space saxpy_plain 1000,f64 1 1
space gemm/gemm_wmma 1,1,1 200 10000
space gemm/gemm_wmma 3000,517,777,bf16,f32,1,1 200 10000
space gemm/gemm_wmma 4096,4096,4096,f16,f16,0,1 200 10000
space gemm/gemm_wmma 16,16,24,,,,,,,48,3,,,16 200 10000
space gemm/gemm_mma 1,1,1 200 10000
space gemm/gemm_mma 16,4096,4096,bf16,bf16 200 10000
space gemm/gemm_mma 3000,517,777,bf16,f32,1,1 200 10000
space gemm/gemm_mma 4096,4096,4096,f16,f16,0,1 200 10000
space gemm/gemm_mma 16,16,24,,,,,,,48,3,,,16 200 10000
space gemm/gemm_mma 1,1,1,tf32 200 10000
space gemm/gemm_mma 16,4096,4096,tf32,f32,0,1 200 10000
space gemm/gemm_mma 3000,517,777,tf32,f32,1,0 200 10000
space gemm/gemm_mma 4096,4096,4096,tf32 200 10000
space gemm/gemm_simt 1,1,1,f32 300 20000
space gemm/gemm_simt 4096,4096,4096,f32 300 40000
space gemm/gemm_simt 16,4096,4096,f32 300 40000
space gemm/gemm_simt 64,64,65536,f32 300 40000
space gemm/gemm_simt 3000,517,777,f64,f64,1,1 300 40000
space gemm/gemm_simt 61,37,50,f16,f32,0,1 300 40000
space gemm/gemm_i8_simt 1,1,1 100 10000
space gemm/gemm_i8_simt 4096,4096,4096 100 10000
space gemm/gemm_i8_simt 3000,517,777,1,1 100 10000
space gemm/gemm_i8_mma 1,1,1 100 10000
space gemm/gemm_i8_mma 4096,4096,4096 100 10000
space gemm/gemm_i8_mma 3000,517,777,1,1 100 10000
space gemm/gemm_i8_plain 1,1,1 1 1
space gemm/gemm_f8_plain 1,1,1 1 1
space gemm/gemm_f8_sm90 1,1,1 300 40000
space gemm/gemm_f8_sm90 4096,4096,4096 300 40000
space gemm/gemm_f8_sm90 8192,8192,8192,FAST=1 300 40000
space gemm/gemm_f8_sm90 16,4096,4096,FAST=1 300 40000
space gemm/gemm_f8_sm90 64,64,65536,FAST=1 300 40000
space gemm/gemm_f8_sm90 3000,517,777,e5m2,e4m3,f32,1,0,BATCH=3,SCALES=2,ADD=1 300 40000
space gemm/gemm_plain 1,1,1 1 1
space gemm/gemm_plain 3000,517,777,bf16,bf16,1,1 1 1
space gemm/gemm_sm90 1,1,1 300 40000
space gemm/gemm_sm90 16,4096,4096 300 40000
space gemm/gemm_sm90 4097,1,77,bf16,bf16,1,1 300 40000
space gemm/gemm_sm90 12345,321,555 300 40000
space gemm/gemm_sm90 8192,50257,768,bf16,bf16,0,1 300 40000
space gemm/gemm_sm90 200,96,264,bf16,bf16,0,0,,,291,3,,,97 300 40000
space gemm/gemm_sm90 64,64,65536 300 40000
space gemm/gemm_sm90 8192,3072,768,bf16,bf16,0,1,ADD=0,EPILOGUE=36 300 40000
space gemm/gemm_sm90 512,512,16384,f16,f16 300 40000
space gemm/gemm_sm90 3000,520,776 300 40000
space gemm/gemm_sm90 8192,8192,64,bf16,bf16,0,1 300 40000
space gemm/gemm_sm90 4096,4096,4096,f16,f32,1,0 300 40000
space gemm/gemm_sm90 8192,8192,8192,bf16,f32,1,1 300 40000
space gemm/gemm_grouped_plain 1000,517,333,7 1 1
space gemm/gemm_grouped_sm90 1,1,1,1 100 20000
space gemm/gemm_grouped_sm90 32768,4096,4096,64,bf16,bf16,1 100 20000
space gemm/gemm_grouped_sm90 256,4096,4096,64 100 20000
space gemm/gemm_grouped_sm90 1000,517,333,7,f16,f16 100 20000
space gemm/gemm_grouped_mma 1,1,1,1 100 10000
space gemm/gemm_grouped_mma 32768,4096,4096,64,bf16,bf16,1 100 10000
space gemm/gemm_grouped_mma 256,4096,4096,64 100 10000
space gemm/gemm_grouped_mma 1000,517,333,7,f16,f16 100 10000
space gemm/gemm_sm90_f32 1,1,1,tf32 300 40000
space gemm/gemm_sm90_f32 16,4096,4096,tf32,f32,0,1 300 40000
space gemm/gemm_sm90_f32 4097,1,77,tf32,f32,1,0 300 40000
space gemm/gemm_sm90_f32 3000,517,777,tf32,f32,1,1 300 40000
space gemm/gemm_sm90_f32 64,64,65536,f32,f32,EMULATED=1 300 40000
space gemm/gemm_sm90_f32 8192,8192,8192,tf32,f32,0,1 300 40000
space gemm/gemm_sm90_f32 4096,4096,4096,f32,f32,1,0,EMULATED=1 300 40000
space gemm/gemm_sm90_f32 200,96,264,f32,f32,0,0,,,291,3,,,97,EMULATED=1 300 40000
space gemm/gemm_sm90_thin 24,8190,4094,f16,f16,ADD=0 100 10000
space gemm/gemm_sm90_thin 3001,40,777,f16,f32,1,1 20 10000
space gemm/gemm_sm90_thin 1,33,33,bf16,bf16,0,1 1 10000
space gemm/gemm_sm90_across 33,4096,11008,tf32,f32,ADD=0 100 10000
space gemm/gemm_sm90_across 4096,40,4096,tf32,f32,1,1 100 10000
space gemm/gemm_sm90_across 1,4,1,tf32 1 10000
space gemm/gemm_sm90_across 16384,16384,16384,tf32,f32,1,0 50 10000
space gemm/gemm_small 64,64,64,f32,f32,BATCH=1000 100 40000
space gemm/gemm_small 33,33,33,f64,f64,1,1,BATCH=100 50 40000
space gemm/gemm_small 4,4,4,f16,f16,BATCH=100 50 40000
space gemm/gemm_dots 3,3,1000000,bf16,bf16,0,1 100 10000
space gemm/gemm_dots 16,1,1025,f64,f64,1,0 50 10000
space gemm/gemm_dots 1,1,4096,f16,f16,BATCH=10000 50 10000
space gemm/gemm_complex_tiles 61,37,53,2,1,BATCH=2000 50 40000
space gemm/gemm_complex_plain 61,37,53,2,1,BATCH=2000 1 1
space gemv/gemv_rows 1,1 1 40000
space gemv/gemv_rows 16,16777213,f16 300 40000
space gemv/gemv_columns 16384,16384,bf16,1 300 40000
space gemv/gemv_plain 1,1 1 1
space conv1d 1,1 300 10000
space conv1d 8388608,3 300 10000
space conv1d 8388608,31 300 10000
space conv1d 8388608,512 300 10000
space conv1d 8388608,4096 300 10000
for size in 16 64 256 1024 4096 8192; do
    space fft/fft_registers "$size" 300 40000
    space fft/fft_registers "$size,100,2" 300 40000
    space fft/fft_plain "$size,100,2" 1 1
    space fft/fft_filter_registers "$size,100" 300 40000
    space fft/fft_filter_plain "$size,100" 1 1
done

# refused TEMPLATE DIMS WORDS
refused() {
    if "$HONE" space "$templates/$1.cu" --dims "$2" --count \
        > /dev/null 2> "$cache/err"; then
        fail "$1 at $2 has variants"
    fi
    grep -q "$3" "$cache/err" || fail "$1 at $2: $(cat "$cache/err")"
}

refused gemm/gemm_simt 16,16,16,f32,f32,EPILOGUE=4 "a bias or an activation follows"
refused gemm/gemm_small 16,16,16,f32,f32,EPILOGUE=2 "a bias or an activation follows"
refused gemm/gemm_columns 16,8,16,f32,f32,EPILOGUE=32 "a bias or an activation follows"
refused gemm/gemm_dots 16,8,2000,f32,f32,EPILOGUE=2 "a bias or an activation follows"
refused gemm/gemm_dots 17,8,2000 "many rows or columns"
refused gemm/gemm_dots 16,8,1000 "sums so short"
refused gemm/gemm_sm90_thin 16,4096,4096 "rows of the large factor are aligned"
refused gemm/gemm_sm90_thin 16,4095,31 "are aligned, or few"
refused gemm/gemm_sm90_thin 300,4095,4095 "many rows and columns"
refused gemm/gemm_sm90_thin 16,4095,4095,BATCH=2 "batches"
refused gemm/gemm_sm90_across 16,64,64,tf32,f32,0,1 "lies along K"
refused gemm/gemm_sm90_across 16,65,64,tf32 "are not aligned"
refused gemm/gemm_sm90_across 16,64,64,f32 "only where the caller says so"
refused gemm/gemm_sm90 16,16,16,f32 "these tensor cores take f16 and bf16"
refused gemm/gemm_sm90_f32 16,16,16,f32 "only where the caller says so"
refused gemm/gemm_sm90_f32 16,16,16,f16 "only where the caller says so"
refused gemm/gemm_plain 16,16,16,tf32,f32,EMULATED=1 "only products of f32 are emulated"
refused gemm/gemm_sm90 16,16,16,f16,bf16 "C is of the type of A and B"
refused gemm/gemm_sm90 16,16,16,f16,f32,2 "TRANS_A is one of a few numbers, 0 or 1"
refused gemm/gemm_f8_plain 16,16,16,f16 "the dimension TA is an element type"
refused gemm/gemm_f8_plain 16,16,24,,,,,,16 "LDA is less than a row of A"
refused gemm/gemm_f8_sm90 16,16,0 "nothing is multiplied"
refused gemm/gemm_plain 16,16,16,f16,bf16 "C is of the type of A and B"
refused gemm/gemm_simt 16,16,16,f64 "C is of the type of A and B"
refused gemm/gemm_mma 16,16,16,f32 "these tensor cores take f16, bf16 and tf32"
refused gemm/gemm_grouped_sm90 16,16,16,2,f16,bf16 "C is of the type of A and B"
refused gemm/gemm_grouped_sm90 16,16,0,2 "nothing is multiplied"
refused gemm/gemm_grouped_mma 2G,16,16,2 "an offset is an i32"
refused gemm/gemm_wmma 16,16,24,,,,,16 "LDA is less than a row of A"
refused gemm/gemm_wmma 16,16,24,,,,1,,16 "LDB is less than a row of B"
refused gemm/gemm_wmma 16,16,24,,,,,,,8 "LDC is less than a row of C"
refused gemm/gemm_wmma 16,16,24,,,,,,,40,3,,,16 "the matrices of C overlap"
for size in 1000 8 131072; do
    refused fft/fft_registers "$size" "n is one of a few numbers, 16 or 32 or .* or 65536"
    refused fft/fft_filter_plain "$size" "n is one of a few numbers, 16 or .* or 8192"
done
refused fft/fft_plain 16,3,1,2,30 "transforms overlap"
refused fft/fft_registers 16384 "as many elements take more than one block"
refused fft/fft_plain 64,1,3 "direction is one of a few numbers, 1 or 2"

# fft/, beyond one block
for size in 16384 32768 65536; do
    space fft/fft_two_passes "$size" 20 20000
    space fft/fft_two_passes "$size,1000" 100 20000
    space fft/fft_two_passes "$size,61,2,61,1" 20 20000
    space fft/fft_cluster "$size" 20 20000
    [ "$size" -gt 16384 ] || space fft/fft_ahead "$size" 10 20000
    space fft/fft_plain "$size,100,2" 1 1
done
space fft/fft_registers 1024,1000,1,1000,1 300 40000
transforms="fft/fft_plain fft/fft_registers fft/fft_filter_plain fft/fft_filter_registers
    fft/fft2d_plain fft/fft2d_strips fft/fft2d_magnitude
    fft/image_pipeline_plain fft/image_pipeline_strips fft/image_pipeline_magnitude"
transforms="$transforms fft/fft_c2r_halves"
for op in fft_r2c fft_c2r; do
    for size in 32 64 1024 16384; do
        space "fft/${op}_registers" "$size" 100 20000
        space "fft/${op}_plain" "$size,100" 1 1
    done
    refused "fft/${op}_plain" 16 "n is one of a few numbers"
    transforms="$transforms fft/${op}_plain fft/${op}_registers fft/${op}_magnitude"
done
for size in 64,64 1024,1024,64 4096,4096,4 64,4096,1,2; do
    space fft/fft2d_strips "$size" 20 20000
done
for size in 64,64 1024,1024,64 4096,4096,4,2048 64,4096,1,61; do
    space fft/image_pipeline_strips "$size" 20 20000
    space fft/image_pipeline_plain "$size" 1 1
done
refused fft/image_pipeline_plain 64,128,1,65 "a circle of that radius leaves the spectrum"

# reduction/
for type in f32 f64 f16 bf16; do
    for op in sum dot norm2 min_index max_index; do
        space "reduction/${op}_stream" "1,$type" 60 1000
        space "reduction/${op}_stream" "10000019,$type" 300 10000
        space "reduction/${op}_plain" "1,$type" 1 1
    done
    for op in row_sums column_sums; do
        space "reduction/${op}_stream" "1,1,$type" 100 10000
        space "reduction/${op}_stream" "4096,4096,$type" 300 10000
        space "reduction/${op}_stream" "33333,7,$type,9" 100 10000
        space "reduction/${op}_plain" "33333,7,$type,9" 1 1
    done
done
reduction=
for op in sum dot norm2 min_index max_index row_sums column_sums; do
    reduction="$reduction reduction/${op}_plain reduction/${op}_stream"
done

# sparse/
space sparse/gather_rows 1,1,1 50 20000
space sparse/gather_rows 100000,1000,64 300 20000
space sparse/gather_rows 1000,1000,4096,i8,i64 300 20000
space sparse/gather_plain 1000,1000,37,f64 1 1
space sparse/spmv_csr_lanes 1,1,1 300 20000
space sparse/spmv_csr_lanes 1000000,1000000,27000000 300 20000
space sparse/spmv_csr_lanes 1000,1000,1000000,f64,1,i64 300 20000
space sparse/spmv_csr_blocks 1,1,1 300 20000
space sparse/spmv_csr_blocks 1000000,1000000,27000000 300 20000
space sparse/embedding_bag_rows 1,1,1,1 50 20000
space sparse/embedding_bag_rows 1000,30000,64,100000 300 20000
space sparse/embedding_bag_rows 1000,100000,1000,1000,bf16,1 300 20000
space sparse/scatter_add_atomic 1000,1000,64 300 20000
space sparse/scatter_add_runs 1000,1000,64,f32,1 300 20000
space sparse/spmv_csr_plain 77,33,55,f64,2,i64 1 1
space sparse/embedding_bag_plain 77,33,55,9 1 1
space sparse/scatter_add_plain 77,33,55 1 1
sparse="sparse/gather_plain sparse/gather_rows sparse/spmv_csr_plain
    sparse/spmv_csr_lanes sparse/spmv_csr_blocks sparse/spmv_csr_data
    sparse/embedding_bag_plain sparse/embedding_bag_rows
    sparse/scatter_add_plain sparse/scatter_add_atomic sparse/scatter_add_data"

# scan/
space scan/scan_tiles 1 300 10000
space scan/scan_tiles 1000003,i32 300 10000
space scan/scan_tiles 1048576,i64 300 10000
space scan/scan_tiles 16777216,f16 300 10000
space scan/scan_tiles 268435456,bf16 300 10000
space scan/scan_plain 1000003,i64 1 1
space scan/scan_rows_groups 1,1 300 10000
space scan/scan_rows_groups 100000,37,bf16 100 10000
space scan/scan_rows_groups 1000,4096,f16 300 10000
space scan/scan_rows_groups 1,100000000,i64 300 10000
space scan/scan_rows_plain 1000,4096,i64 1 1
scans="scan/scan_plain scan/scan_tiles scan/scan_rows_plain scan/scan_rows_groups"

# histogram/
space histogram/histogram_u8_copies 1 300 10000
space histogram/histogram_u8_copies 1000003,i64,1 300 10000
space histogram/histogram_u8_copies 268435456,u32,2 300 10000
space histogram/histogram_u8_plain 1000003,i64,1 1 1
space histogram/histogram_f32_copies 1,1 300 10000
space histogram/histogram_f32_copies 1000003,1000,i64,1 300 10000
space histogram/histogram_f32_copies 268435456,100000,u32,2 300 10000
space histogram/histogram_f32_plain 1000003,1000,i64,1 1 1
histograms="histogram/histogram_u8_plain histogram/histogram_u8_copies
    histogram/histogram_f32_plain histogram/histogram_f32_copies"

# elementwise/
space elementwise/vector_add_stream 1 100 4000
space elementwise/vector_add_stream 1000003,f16 100 4000
space elementwise/vector_add_plain 1000003,bf16 1 1
space elementwise/matrix_add_stream 1,1 100 60000
space elementwise/matrix_add_stream 256,256,f32,1000 100 60000
space elementwise/matrix_add_stream 37,129,f64,3,131,133,129 100 60000
space elementwise/threshold_stream 1000003,u8,2 100 4000
space elementwise/bias_relu_stream 1,1,bf16 100 60000
space elementwise/bias_gelu_stream 4096,4096,f16,1 100 60000
space elementwise/rgb_to_gray_stream 1080,1920 100 60000
space elementwise/rgb_to_gray_stream 1,1 100 60000
elementwise=""
for t in vector_add matrix_add threshold bias_relu bias_gelu rgb_to_gray; do
    elementwise="$elementwise elementwise/${t}_plain elementwise/${t}_stream"
done

# normalise/
normalise="normalise/log_softmax_magnitude normalise/layer_norm_magnitude"
for op in softmax log_softmax; do
    space normalise/${op}_rows 1,1 300 40000
    space normalise/${op}_rows 1000,1000,f16 300 40000
    space normalise/${op}_rows 4096,8192,f32,8200,8192 300 40000
    space normalise/${op}_rows 64,131072,bf16 300 40000
    space normalise/${op}_rows 3,1000003 30 40000
    space normalise/${op}_plain 1000,1000,f16 1 1
    normalise="$normalise normalise/${op}_plain normalise/${op}_rows"
done
for op in layer_norm rms_norm; do
    space normalise/${op}_rows 1,1 300 40000
    space normalise/${op}_rows 1000,1000,f16,1 300 40000
    space normalise/${op}_rows 4096,8192,f32,0,8200,8192 300 40000
    space normalise/${op}_rows 64,131072,bf16 300 40000
    space normalise/${op}_rows 3,1000003 30 40000
    space normalise/${op}_plain 1000,1000,f16,1 1 1
    normalise="$normalise normalise/${op}_plain normalise/${op}_rows"
done

# image/
for t in convolve2d_separable gaussian; do
    space image/${t}_plain 3,2,5,u8,2 1 1
    space image/${t}_march 1,1 300 20000
    space image/${t}_march 2160,3841,5,u8 300 20000
    space image/${t}_march 4096,4096,3,u8,2 300 20000
    space image/${t}_march 4096,4096,15,f16,0 300 20000
done
space image/gaussian_tensor 1,1,15,u8 30 2000
space image/gaussian_tensor 4096,4096,5,u8,2 30 2000
space image/convolve2d_plain 3,2,5,u8,2 1 1
space image/convolve2d_direct 1,1 300 20000
space image/convolve2d_direct 2160,3841,5,u8 300 20000
space image/convolve2d_direct 4096,4096,15,f16,0 300 20000
space image/median_plain 3,2,5,u8,2 1 1
space image/median_network 1,1 300 20000
space image/median_network 2160,3840 300 20000
space image/median_network 4096,4095,5,f32,0 300 20000
image="image/convolve2d_plain image/convolve2d_direct
    image/median_plain image/median_network
    image/convolve2d_separable_plain image/convolve2d_separable_march
    image/gaussian_plain image/gaussian_march"

# stencil/
space stencil/stencil2d_strips 1,1 300 10000
space stencil/stencil2d_strips 8192,8192,8 300 40000
space stencil/stencil2d_strips 1001,1003,8,f64 300 20000
space stencil/stencil2d_plain 1001,1003,8 1 1
space stencil/stencil3d_planes 1,1,1 300 10000
space stencil/stencil3d_planes 512,512,512,8 300 20000
space stencil/stencil3d_planes 101,103,105,3,f64 300 20000
space stencil/stencil3d_plain 101,103,105,3,f64 1 1
stencils="stencil/stencil2d_plain stencil/stencil2d_strips
    stencil/stencil3d_plain stencil/stencil3d_planes"

# nbody/
space nbody/nbody_tiles 1 100 2000
space nbody/nbody_tiles 65536 1000 20000
space nbody/nbody_tiles 1000003,2,1 1000 5000
space nbody/nbody_plain 1000 1 1
bodies="nbody/nbody_plain nbody/nbody_tiles"

# attention/
space attention/attention_mma 1 50 2000
space attention/attention_mma 8192,16,1,2 100 2000
space attention/attention_mma 1,8,4,16,128,f16,0,0,8192 100 2000
space attention/attention_mma 1009,2,3,3,64,bf16,1,1,1511 100 2000
space attention/attention_simt 61,2,3,2 50 1000
space attention/attention_plain 61,2,3,2 1 1
attention="attention/attention_plain attention/attention_mma attention/attention_simt"

# pipeline/
space pipeline/host_axpb_chunks 1 1 20
space pipeline/host_axpb_chunks 100003,1 10 100
space pipeline/host_axpb_chunks 1000000000 50 200
space pipeline/host_axpb_plain 1 1 1
pipeline="pipeline/host_axpb_chunks pipeline/host_axpb_plain"

# transpose/
space transpose/transpose_tiles 1,1,u8 100 20000
space transpose/transpose_tiles 1000,1000,f64 100 20000
space transpose/transpose_square_tiles 1 20 20000
space transpose/transpose_square_tiles 4096,f16 100 20000
space transpose/transpose_square_tiles 8191,u8 100 20000
transpose="transpose/transpose_plain transpose/transpose_tiles
    transpose/transpose_square_plain transpose/transpose_square_tiles"

all="saxpy_plain saxpy_stream gemm/gemm_plain gemm/gemm_sm90 gemm/gemm_wmma gemm/gemm_mma gemm/gemm_simt
    gemm/gemm_i8_plain gemm/gemm_i8_simt gemm/gemm_i8_mma
    gemm/gemm_grouped_plain gemm/gemm_grouped_sm90 gemm/gemm_grouped_mma conv1d
    gemm/gemm_f8_plain gemm/gemm_f8_sm90
    $transforms
    $reduction $sparse $scans $elementwise $normalise $image $histograms $stencils $bodies $attention $pipeline
    $transpose"
# The source of a variant has its parameters and kernels, and no pragma of
# ours where the compiler would see it.
for t in $all; do
    "$HONE" expand "$templates/$t.cu" > "$cache/expanded" ||
        fail "expand $t"
    grep -q "__global__" "$cache/expanded" || fail "$t expands to no kernel"
done

if "$HONE" compile "$templates/saxpy_stream.cu" --arch sm_90 --limit 1 \
    > /dev/null 2> "$cache/err"; then
    :
elif [ $? -eq 4 ]; then
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: no NVRTC on this machine: $(head -1 "$cache/err")"
    exit 77
else
    fail "compile saxpy: $(cat "$cache/err")"
fi

# elsewhere TEMPLATE: by day a reference that operations.sh compiles for another
# architecture: what it says depends on none.
elsewhere() {
    op=${1##*/}
    [ "$every" -gt 1 ] && [ "$op" != "${op%_plain}" ] &&
        grep -Eq "^-?${op%_plain}(/plain)? " "$HONE_SOURCE/tests/templates/operations.list"
}
for t in $all; do
    ! elsewhere "$t" || continue
    json=$("$HONE" compile "$templates/$t.cu" --arch sm_90 --limit "$sample" \
        --format json 2> "$cache/err") || fail "compile $t: $(cat "$cache/err")"
    case $json in
    *'"failed": 0'* | *'"failed":0'*) ;;
    *) fail "compile $t: $json" ;;
    esac
done
n_lines=0
# compiles TEMPLATE ARCH DIMS: every so many of these. They are in an order in which
# every second one has all types and layouts of some template.
compiles() {
    n_lines=$((n_lines + 1))
    [ $((n_lines % every)) -eq 0 ] || return 0
    "$HONE" compile "$templates/$1.cu" --dims "$3" --arch "$2" \
        --limit "$few" > /dev/null 2> "$cache/err" ||
        fail "compile $1 for $2 at $3: $(cat "$cache/err")"
}
# What is compiled in belongs to the problem: other sizes are other variants.
for size in 16 64 8192,1,2; do
    compiles fft/fft_registers sm_90 "$size"
done
# tf32 and emulated f32, which callers ask for.
for dims in 64,64,64,tf32,f32,0,1 4096,24,4096,tf32,f32,1,0 \
    96,96,100000,f32,f32,1,1,EMULATED=1 16,4096,4096,f32,f32,EMULATED=1; do
    compiles gemm/gemm_sm90_f32 sm_90 "$dims"
done
for form in 0,0 0,1 1,1 1,0; do
    compiles gemm/gemm_mma sm_80 "301,203,640,tf32,f32,$form"
done
for t in fft_two_passes fft_cluster fft_ahead; do
    compiles fft/$t sm_90 16384,61
done
compiles sparse/scatter_add_runs sm_90 77,33,8,f32,1
compiles image/gaussian_tensor sm_80 77,131,15,u8
# Types and transpositions are compiled in as well.
for t in gemm_wmma gemm_mma; do
    for form in f16,f16,0,1 f16,f32,1,0 bf16,f32,0,0 bf16,bf16,1,1; do
        compiles gemm/$t sm_80 "64,64,64,$form"
    done
done
for form in f32,f32,0,1 f64,f64,1,1 f32,f32,1,0; do
    compiles gemm/gemm_simt sm_75 "64,64,640,$form"
done
for dims in 16,4096,4096 96,96,100000; do
    for form in e4m3,e5m2,f32,1,0,SCALES=2 e5m2,e4m3,f16,FAST=1,SCALES=2,ADD=1 \
        e5m2,e5m2,bf16,SCALES=0; do
        compiles gemm/gemm_f8_sm90 sm_90 "$dims,$form"
    done
done
# What only some layouts and shapes reach: rows across K on either side, tiles
# that are transposed, parts of K, narrow tiles.
for dims in 4096,24,4096,bf16,f32,1,1 16,4096,4096,f16,f16 \
    96,96,100000,bf16,bf16,1,0; do
    compiles gemm/gemm_sm90 sm_90 "$dims"
done
# The same of groups, and rows that are packed.
for t in gemm_grouped_sm90 gemm_grouped_mma; do
    for dims in 32768,4096,4096,64,bf16,bf16,1 3001,517,333,17,bf16,f32 \
        256,1024,4096,64,f16,f32; do
        compiles gemm/$t sm_90 "$dims"
    done
done
exit "$failures"
