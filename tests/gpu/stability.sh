#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does tuning give the same answer twice? Ten independent runs of each problem
# (a seed and a database each, one cache of cubins), and a search for the best
# that is not raced: everything the ten saw as fastest, and more, then runs in
# turns in one bench. Table: how far the ten winners lie apart, and from the
# best of all.
#
#     sh tests/gpu/stability.sh FOLDER [sum|gemm_wmma ..]
#
# RUNS (10), GEMM_BUDGET (default: the whole space) and FIXED_S (seconds for
# the search of gemm/wmma that gives everybody 10 samples) make it shorter.
. "$(dirname "$0")/steps.sh"
shift

RUNS=${RUNS:-10}
FIXED_S=${FIXED_S:-60}
REDUCE=${REDUCE:-4M} # this and the next: smaller, to test the script
GEMM=${GEMM:-1024,1024,1024}
MOST=24 # configurations in a bench

name_of() { echo "$1" | tr / _; } # of a template: of its files
tunings() { # tunings TEMPLATE DIMS [OPTIONS]
    op=$(name_of "$1")
    for seed in $(seq "$RUNS"); do
        step "${op}_$seed" hone tune "$@" --seed "$seed" \
            --db "$OUT/${op}_$seed.db"
    done
}
# The winners of all runs, then what any run saw as fastest, each once.
candidates() { # candidates OP
    for name in "$1"_fixed $(seq "$RUNS" | sed "s/^/$1_/"); do
        [ ! -s "$OUT/$name.json" ] || field "$name" shapes[0].winner
    done
    for database in "$OUT/$1"_*.db; do
        db_ask "$database" "select printf('%.2f', time_ns) || ' ' || config
            from trial_v1 where outcome = 'ok' order by time_ns limit 4"
    done | sort -n | sed 's/^[^ ]* //'
}
bench() { # bench TEMPLATE DIMS
    op=$(name_of "$1")
    template=$1
    candidates "$op" | awk 'NF && !seen[$0]++' | head -n $MOST \
        >"$scratch/candidates"
    dims=$2
    set --
    while read -r config; do
        set -- "$@" --config "$config"
    done <"$scratch/candidates"
    step "${op}_bench" hone bench "$template" --dims "$dims" \
        --db "$OUT/${op}_fixed.db" "$@"
}
sum() {
    tunings sum --dims "$REDUCE"
    step sum_fixed hone tune sum --dims "$REDUCE" \
        --strategy exhaustive --samples 30 --db "$OUT/sum_fixed.db"
    bench sum "$REDUCE"
}
gemm_wmma() {
    tunings gemm/wmma --dims "$GEMM" ${GEMM_BUDGET:+--budget "$GEMM_BUDGET"}
    step gemm_wmma_fixed hone tune gemm/wmma --dims "$GEMM" --samples 10 \
        --seed 99 --budget "${FIXED_S}s" --db "$OUT/gemm_wmma_fixed.db"
    bench gemm/wmma "$GEMM"
}

[ $# -gt 0 ] || set -- sum gemm_wmma
for op in "$@"; do
    case $op in
    sum) sum ;;
    gemm_wmma) gemm_wmma ;;
    *)
        echo "stability.sh: there is no problem $op" >&2
        exit 2
        ;;
    esac
done
table stability.sql
exit $status
