#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two builds of hone in turns: did a change cost anything? Throughput, what
# searches find, winners beside their baselines, the cost of a launch. A build
# is a folder with bin/, lib/, tests/ and templates/. Builds nothing; about six
# minutes on an H200 with 16 cores.
#
#     sh tests/gpu/before_after.sh BEFORE AFTER FOLDER
set -u
BEFORE=$(cd "${1:?give the build before}" && pwd) || exit 1
AFTER=$(cd "${2:?give the build after}" && pwd) || exit 1
OUT=${3:?give the folder of the results}
mkdir -p "$OUT" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# HONE_RIVALS is what builds of before called HONE_BASELINES.

# as_then WHO NAME: what a build calls it. Before rooms and contracts gemm/wmma
# was gemm_f16, gemm/sm90 gemm_sm90, sum reduce_sum, and saxpy one file.
as_then() {
    case $2 in
    gemm/wmma) then=gemm_f16 ;;
    gemm/sm90) then=gemm_sm90 ;;
    sum/stream) then=reduce_sum ;;
    saxpy/stream) then=saxpy ;;
    *) then= ;;
    esac
    if [ -n "$then" ] && [ -e "$(build "$1")/templates/$then.cu" ]; then
        echo "$then"
    else
        echo "$2"
    fi
}
build() { # build WHO: its folder
    [ "$1" = before ] && echo "$BEFORE" || echo "$AFTER"
}
run() { # run WHO NAME ARGUMENTS..: JSON in NAME.WHO.json
    who=$1
    name=$2
    root=$(build "$who")
    command=$3
    op=$(as_then "$who" "$4")
    shift 4
    HONE_TEMPLATE_PATH=$root/templates \
        HONE_BASELINES=$root/lib/libhone_baselines.so \
        HONE_RIVALS=$root/lib/libhone_rivals.so \
        timeout 120 "$root/bin/hone" "$command" "$op" "$@" --format json \
        >"$OUT/$name.$who.json" 2>"$OUT/$name.$who.log" ||
        echo "$name.$who: exit $?"
}
tune() { # tune WHO NAME ARGUMENTS..: round $round
    who=$1
    name=$2
    shift 2
    run "$who" "$name.$round" tune "$@" --db "$scratch/$who.$round.db"
}
for round in 1 2 3; do
    for who in before after; do
        cold="--strategy random --seed $round --cache-dir $scratch/$who.$round"
        warm="--seed 7 --cache-dir $scratch/$who"
        # shellcheck disable=SC2086 # lists of options
        {
            tune "$who" gemm_wmma gemm/wmma --dims 4096,4096,4096 --budget 300 $cold
            tune "$who" sum sum/stream --dims 4M --budget 300 $cold
            tune "$who" saxpy saxpy/stream --dims 1M --budget 300 $cold
            tune "$who" gemm_sm90 gemm/sm90 --dims 4096,4096,4096,f16,f16 --budget 100 $warm
            tune "$who" scan_1M scan --dims 1M --budget 80 $warm
            tune "$who" scan_256M scan --dims 256M --budget 40 $warm
        }
    done
done
for round in 1 2 3; do
    for who in before after; do
        of="--db $scratch/$who.1.db --cache-dir $scratch/$who"
        # shellcheck disable=SC2086
        {
            run "$who" "bench_gemm_sm90.$round" bench gemm/sm90 --dims 4096,4096,4096,f16,f16 $of
            run "$who" "bench_scan_1M.$round" bench scan --dims 1M $of
            run "$who" "bench_scan_256M.$round" bench scan --dims 256M $of
        }
        timeout 60 "$(build "$who")/tests/bench_dispatch" --op saxpy \
            --db "$scratch/$who.1.db" >>"$OUT/dispatch.$who.txt" 2>&1
    done
done
cat "$OUT"/dispatch.*.txt
ls "$OUT"
