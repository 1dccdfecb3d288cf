#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compute-sanitizer's four tools on the winners of all shipped templates, on
# the small shapes of hone verify. Winners come from the JSON files of hone
# tune that are given; a template that none of them has is tuned shortly.
#
#     sh tests/gpu/sanitize.sh [FILE.json ..]
#
# OUT: folder of the tools' reports. Exit 1 if a tool finds anything.
. "$(dirname "$0")/gpu_test.sh"
db_ask() { "$(dirname "$HONE")/../tests/db_ask" "$@"; }
OUT=${OUT:-$scratch/reports}
TOOLS=${TOOLS:-memcheck racecheck initcheck synccheck}
SANITIZER=${SANITIZER:-$(command -v compute-sanitizer ||
    ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)}
if [ -z "$SANITIZER" ]; then
    echo "skipped: no compute-sanitizer here"
    exit 77
fi
mkdir -p "$OUT" || exit 1

# Shapes to tune a template at that no file has a winner of.
dims_of() {
    case $1 in
    gemm_*) echo "${GEMM:-1024,1024,1024}" ;;
    fft_*) echo "${FFT:-1K,4K}" ;;
    conv1d) echo 1M,100 ;;
    row_sums_* | column_sums_*) echo 1000,1003 ;;
    *) echo 1M ;;
    esac
}
# The winners of template $1, "CONFIG" a line, each once. One that has no
# parameters is an empty line; an implementation's file is OP_NAME.cu.
winners() {
    for file in "$@"; do
        [ "$file" = "$1" ] || db_ask :memory: "select j.value ->> 'winner'
            from json_each(readfile('$file'), '\$.shapes') j
            where j.value ->> 'winner' is not null and '$1' = j.value ->> 'op'
                || iif(j.value ->> 'implementation' like '%.cu', '',
                       '_' || (j.value ->> 'implementation'))"
    done | sort -u
}
tune() { # tune TEMPLATE: a file with a winner of it
    "$HONE" tune "$1" --device "$DEVICE" --dims "$(dims_of "$1")" \
        --budget "${BUDGET:-60}" --db "$scratch/$1.db" --format json \
        >"$scratch/$1.json" 2>"$scratch/$1.log" ||
        tail -n 3 "$scratch/$1.log" >&2
    echo "$scratch/$1.json"
}
# Errors and hazards that the reports count; "no report" if there is none.
findings() {
    cat "$1"-*.log 2>/dev/null | awk '
        /ERROR SUMMARY: / { for (i = 1; i < NF; i++)
                                if ($i == "SUMMARY:") n += $(i + 1); seen = 1 }
        /RACECHECK SUMMARY: / { for (i = 1; i < NF; i++)
                                if ($i == "SUMMARY:") n += $(i + 1); seen = 1 }
        END { print seen ? n + 0 : "no report" }'
}
check() { # check TEMPLATE CONFIG N: every tool; a row of the table
    row="| $1 | $2 |"
    for tool in $TOOLS; do
        report=$OUT/$1-$3-$tool
        timeout 120 "$SANITIZER" --tool "$tool" --target-processes all \
            --log-file "$report-%p.log" \
            "$HONE" verify "$1" --device "$DEVICE" --config "$2" \
            --trial-timeout 100 >"$report.txt" 2>&1
        code=$?
        got=$(findings "$report")
        [ $code -eq 0 ] || got="$got, exit $code"
        expect "$tool of $1: $got" test "$got" = 0
        [ "$got" = 0 ] || cat "$report"*.log "$report.txt" 2>/dev/null |
            head -n 20
        row="$row $got |"
    done
    echo "$row" >>"$scratch/table"
}

{
    echo "| template | winner | $(echo "$TOOLS" | sed 's/ / | /g') |"
    echo "|---|---|$(echo "$TOOLS" | sed 's/[a-z]* */---|/g')"
} >"$scratch/table"
for path in "$HONE_SOURCE"/templates/*.cu "$HONE_SOURCE"/templates/*/*.cu; do
    template=$(basename "$path" .cu)
    winners "$template" "$@" >"$scratch/winners"
    if [ ! -s "$scratch/winners" ]; then
        winners "$template" "$(tune "$template")" >"$scratch/winners"
    fi
    expect "$template has a winner" test -s "$scratch/winners"
    n=0
    while read -r config; do
        n=$((n + 1))
        check "$template" "$config" $n </dev/null
    done <"$scratch/winners"
done
echo
cat "$scratch/table"
exit $((failures > 0))
