#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Configurations per second from nothing to a winner, each run with a cold
# cache and an empty database: compiled, verified, raced, decided. Also the
# compilers alone, and runs whose cubins are there already, which show what
# the GPU's side can do.
#
#     sh tests/gpu/throughput.sh FOLDER
. "$(dirname "$0")/steps.sh"

GEMM=${GEMM:-4096,4096,4096} # this and the next: smaller, to test the script
BUDGET=${BUDGET:-300}
GEMM_BUDGET=${GEMM_BUDGET:-1000}

# cold NAME ARGUMENTS..: a tuning run that finds nothing.
cold() {
    name=$1
    shift
    step "$name" hone tune "$@" --db "$scratch/$name.db" \
        --cache-dir "$scratch/$name"
}
warm() { # warm NAME COLD ARGUMENTS..: one that finds the cubins of COLD
    name=$1
    of=$2
    shift 2
    step "$name" hone tune "$@" --db "$scratch/$name.db" \
        --cache-dir "$scratch/$of"
}

step compile_gemm "$HONE" compile gemm/wmma --arch sm_90 --dims "$GEMM" \
    --limit "$GEMM_BUDGET" --cache-dir "$scratch/compile" --format json
cold tune_gemm gemm/wmma --dims "$GEMM" --budget "$GEMM_BUDGET"
warm warm_gemm tune_gemm gemm/wmma --dims "$GEMM" --budget "$GEMM_BUDGET"
rm -rf "$scratch/tune_gemm" "$scratch/compile"
step compile_saxpy "$HONE" compile saxpy --arch sm_90 --dims 1M \
    --limit "$BUDGET" --cache-dir "$scratch/compile" --format json
cold tune_saxpy saxpy --dims 1M --budget "$BUDGET"
cold tune_reduce sum --dims 4M --budget "$BUDGET"
warm warm_reduce tune_reduce sum --dims 4M --budget "$BUDGET"
cold whole_reduce sum --dims 4M
table throughput.sql
exit $status
