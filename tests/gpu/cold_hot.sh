#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a program pays for hone: the first launch, with 100,000 winners in a pack
# and in a database, in processes that have a CUDA context and nothing else; and
# every launch, with 10,000 shapes cached, by 1, 8 and 32 threads that have a
# stream each. Builds nothing; two minutes on an H200.
#
#     sh tests/gpu/cold_hot.sh FOLDER
set -u
OUT=${1:?give the folder of the results}
HONE=${HONE:-build/bin/hone}
tests=$(dirname "$HONE")/../tests
mkdir -p "$OUT" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
timeout 120 "$HONE" tune saxpy/stream --dims 1048576 --budget 6 \
    --db "$scratch/one.db" -q >"$OUT/tune.log" 2>&1 || fail "tune"
cp "$scratch/one.db" "$scratch/many.db"
"$tests/bench_cold" fill "$scratch/many.db" saxpy 100000 || fail "fill"
"$HONE" pack --db "$scratch/many.db" -o "$scratch/many.pack" -q \
    >"$OUT/pack.log" 2>&1 || fail "pack"
(cd "$scratch" && wc -c many.db many.pack)
# Exact, and a neighbour: one more than the last.
for file in many.pack many.db; do
    for dim in 1050000 1048577 5000000; do
        "$tests/bench_cold" run "$scratch/$file" saxpy $dim 20 |
            sed "s|$scratch/||" || fail "$file"
    done
done
for threads in 1 8 32; do
    timeout 100 "$tests/bench_dispatch" --db "$scratch/one.db" --op saxpy \
        --shapes 10000 --rounds $((threads == 1 ? 200 : 60)) \
        --threads $threads || fail "$threads threads"
done
