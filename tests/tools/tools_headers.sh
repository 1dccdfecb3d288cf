#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An edited header is noticed, however it is included: neither the cache nor
# the database answers with the old kernel. What cannot be followed is refused
# with its place. On the cpu device, and through NVRTC where there is one;
# tests/gen/test_headers.c has all the ways to include something.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
nvrtc=no
"$HONE" doctor --require nvrtc >/dev/null 2>&1 && nvrtc=yes
good='template <class T> __device__ T step(T a, T x, T y) { return a * x + y; }'
wrong='template <class T> __device__ T step(T a, T x, T y) { return a * x - y; }'

# template LINES: $work/t/t.cu, which includes what the lines say.
template() {
    mkdir -p "$work/t/sub"
    {
        printf '%s\n' "$1"
        cat <<'CODE'
#pragma hone op saxpy(n, T in {f32} default f32) "y = a*x + y"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone launch saxpy grid(ceildiv(n, 64)) block(64) args(alpha, x, y, i64(n))
#pragma hone check cpu.saxpy tolerance(2) exact(1000)
extern "C" __global__ void saxpy(T alpha, const T *x, T *y, long long n)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = step(alpha, x[i], y[i]);
}
CODE
    } >"$work/t/t.cu"
}

# both HEADER [ARGUMENT..]: an edit of the header changes what is compiled.
both() {
    header=$1
    shift
    echo "$good" >"$header"
    run 0 verify "$work/t/t.cu" --limit 1 "$@"
    if [ $nvrtc = yes ]; then
        run 0 compile "$work/t/t.cu" --format json "$@"
        run 0 compile "$work/t/t.cu" --format json "$@"
        json compiles=0 cached=1
    fi
    echo "$wrong" >"$header"
    run 1 verify "$work/t/t.cu" --limit 1 --format csv "$@"
    out_has "wrong"
    if [ $nvrtc = yes ]; then
        run 0 compile "$work/t/t.cu" --format json "$@"
        json compiles=1 cached=0
    fi
    rm -r "$work/t" "$HONE_CACHE_DIR"
}

own=$work/t/own.cuh
template '/**/ # include \
  <own.cuh>'
both "$own"
# From the folder of the header that includes it, not from the template's.
template '#include "sub/mid.cuh"'
echo '#include "own.cuh"' >"$work/t/sub/mid.cuh"
echo '#error "the wrong one"' >"$own"
both "$work/t/sub/own.cuh"
# Two headers of one name, and one that is included by two names.
template '#include "sub/own.cuh"
#include "own.cuh"
#include "sub/../own.cuh"
#include <hone_device.cuh>'
echo '#define SUB 1' >"$work/t/sub/own.cuh"
good="#pragma once
$good" wrong="#pragma once
$wrong" both "$own"
# From the templates that came with hone, or where the user keeps some.
template '#include "hone_device.cuh"
#include <own.cuh>'
mkdir "$work/mine"
both "$work/mine/own.cuh" -I "$work/mine"
# From folders of headers: of the command line, of the environment, of the
# template. A name that a macro stands for is the compiler's there.
template '#include <lib/step.h>'
mkdir -p "$work/inc/lib" "$work/empty"
printf '#define LIMITS <cuda_fp16.h>\n#include LIMITS\n#include "own.h"\n' \
    >"$work/inc/lib/step.h"
HONE_INCLUDE_PATH=$work/empty:$work/inc
export HONE_INCLUDE_PATH
both "$work/inc/lib/own.h" --include "$work/empty"
unset HONE_INCLUDE_PATH
template '#pragma hone include "../inc"
#include <lib/step.h>'
echo "$good" >"$work/inc/lib/own.h"
run 0 verify "$work/t/t.cu" --limit 1
# One that is named only by a branch that is taken when it is there.
template '#if __has_include(<other.cuh>)
#include <other.cuh>
#else
#include "own.cuh"
#endif'
echo "$good" >"$own"
run 0 verify "$work/t/t.cu" --limit 1
echo "$wrong" >"$work/t/other.cuh"
run 1 verify "$work/t/t.cu" --limit 1

# Trials of the old kernel are no trials of the new one.
template '#include <own.cuh>'
echo "$good" >"$own"
run 0 tune "$work/t/t.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --format json
json shapes.0.resumed=0 shapes.0.outcomes.ok=1
run 0 tune "$work/t/t.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --format json
json shapes.0.resumed=1
# A comment is no other kernel.
printf '\n// %s\n%s // why\n' "what it does" "$good" >"$own"
sed -i '1s|^|// the template\n\n|' "$work/t/t.cu"
run 0 tune "$work/t/t.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --format json
json shapes.0.resumed=1
echo "$wrong" >"$own"
run 1 tune "$work/t/t.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --format json
json shapes.0.resumed=0 shapes.0.outcomes.wrong=1

# What hone does not follow it does not open either: not in the folder that it
# runs in, not where the environment points.
echo "$good" >"$work/here.cuh"
template '#include "here.cuh"'
(cd "$work" && CPATH=$work run 1 verify "$work/t/t.cu" --format csv &&
    out_has "here.cuh")
[ $nvrtc = no ] || (cd "$work" && run 1 compile "$work/t/t.cu")

# Nor does a macro in a folder of headers lead to the working folder.
printf '#define HERE "here.cuh"\n#include HERE\n' >"$work/inc/lib/here.h"
template '#include <lib/here.h>'
(cd "$work" && run 1 verify "$work/t/t.cu" --include "$work/inc" --format csv &&
    out_has "here.cuh")
[ $nvrtc = no ] || (cd "$work" &&
    run 1 compile "$work/t/t.cu" --include "$work/inc" && out_has "here.cuh")
run 3 verify "$work/t/t.cu" --include "$work/none"
err_has "the include folder '$work/none' is not a folder"

# refused LINE COLUMN WORDS: the sentence says where and how to mend it.
refused() {
    run 3 verify "$work/t/t.cu"
    err_has "$1"
    err_has "$2"
}
template '#define OWN "own.cuh"
  #include OWN'
refused "t.cu:2:12:" "write it here in quotes"
template '#include "sub/mid.cuh"'
printf '#if 0\n#include MID\n#endif\n' >"$work/t/sub/mid.cuh"
refused "sub/mid.cuh:2:10:" "write it here in quotes"
# What a macro hides from the reader is seen by the assembler, if it is one of
# its own: clang has none.
template "$good
#ifdef HONE_HOST
#define PIECE \"bin\"
asm(\".pushsection .note\\n.inc\" PIECE \" \\\"$own\\\"\\n.popsection\");
#endif"
if "${CXX:-c++}" -Wa,--MD,/dev/null -c -x c++ /dev/null -o /dev/null \
    2>/dev/null; then
    refused "assembly of the template names the file '$own'" "use #include"
fi
sed -i 's/PIECE "bin"/PIECE ""/; s/^asm.*/asm("nop");/' "$work/t/t.cu"
run 0 verify "$work/t/t.cu" --limit 1

# What NVRTC opens itself decides about its cubins, too.
if [ $nvrtc = yes ]; then
    mkdir -p "$work/cuda/sub"
    : >"$work/cuda/mma.h"
    echo '#include "sub/in.h"' >"$work/cuda/cuda_fp16.h"
    template '#include <cuda_fp16.h>'
    for text in "$good" "$wrong"; do
        echo "$text" >"$work/cuda/sub/in.h"
        for cached in 0 1; do
            HONE_CUDA_INCLUDE=$work/cuda \
                run 0 compile "$work/t/t.cu" --format json
            json cached=$cached compiles=$((1 - cached)) failed=0
        done
    done
    echo "$good" >"$work/cuda/sub/in.h"
    HONE_CUDA_INCLUDE=$work/cuda run 0 compile "$work/t/t.cu" --format json
    json cached=1
fi

# CUB, where the toolkit has it beside NVRTC.
cuda=${CUDA_HOME:-/usr/local/cuda}/include
if [ $nvrtc = yes ] && [ -e "$cuda/cuda_fp16.h" ] &&
    [ -e "$cuda/cccl/cub/block/block_reduce.cuh" ]; then
    run 0 compile "$fixtures/cub_sum.cu" --format json
    json failed=0 compiles=1
    run 3 compile "$fixtures/cub_sum.cu" --include "$cuda"
    err_has "belongs to a compiler"
fi
