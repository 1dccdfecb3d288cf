# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Common to the scripts that measure: sourced, with the folder of the results
# as argument. They build nothing, never fail because a number is bad, and
# end with a table that is made from the JSON files in the folder.
HONE=${HONE:-build/bin/hone}
HONE_SOURCE=${HONE_SOURCE:-.}
DEVICE=${DEVICE:-cuda} # cpu: to test a script
OUT=${1:?give the folder of the results}
mkdir -p "$OUT" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
HONE_CACHE_DIR=${HONE_TEST_CACHE:-$scratch/cache}
HONE_DB=$OUT/hone.db
HONE_TEMPLATE_PATH=${HONE_TEMPLATE_PATH:-$(cd "$HONE_SOURCE/templates" && pwd)}
export HONE_DB HONE_CACHE_DIR HONE_TEMPLATE_PATH
# shellcheck disable=SC2034 # what a script exits with: 1 if a step failed
status=0

now() { date +%s.%N; }
since() { # since START: seconds
    awk "BEGIN { printf \"%.2f\", $(now) - $1 }"
}
# step NAME COMMAND..: run it, keep stdout in NAME.json, messages in NAME.log
# and the seconds it took, the start of the process included, in NAME.s.
step() {
    name=$1
    shift
    start=$(now)
    "$@" >"$OUT/$name.json" 2>"$OUT/$name.log"
    code=$?
    since "$start" >"$OUT/$name.s"
    # shellcheck disable=SC2034
    [ $code -eq 0 ] || status=1
    echo "$name: exit $code, $(cat "$OUT/$name.s") s"
    [ $code -eq 0 ] || tail -n 3 "$OUT/$name.log"
    return $code
}
hone() { # on the chosen device
    command=$1
    shift
    "$HONE" "$command" "$@" --device "$DEVICE" --format json
}
db_ask() { "$(dirname "$HONE")/../tests/db_ask" "$@"; }
field() { # field NAME PATH: of NAME.json
    db_ask :memory: "select readfile('$OUT/$1.json') ->> '\$.$2'"
}
# drawn OP SEED N: problems that nobody chose, one "M,N,K" a line.
drawn() {
    here=$(dirname "$0")
    if [ "$1" = gemm ]; then
        awk -v seed="$2" -v n="$3" -f "$here/six_classes.awk"
    else
        awk -v seed="$2" -v draws="$3" -v ops=" $1 " -f "$here/draw.awk" |
            awk -v op="$1" '$2 == op { print $3 }'
    fi
}
# table SCRIPT ..: the tables that SQL scripts beside this one, one behind the
# other, make of the JSON files; also kept in the folder.
table() {
    (cd "$(dirname "$0")" && cat "$@") >"$scratch/table.sql"
    ask=$(cd "$(dirname "$HONE")/../tests" && pwd)/db_ask
    echo
    (cd "$OUT" && "$ask" :memory: "@$scratch/table.sql") |
        tee "$OUT/${1%.sql}.md"
}

# The steps of a ladder: a template with STEP in 1 to 6. FIRST: what step 1 is
# tuned and timed at, if its DIMS are others.
# ladder_tune TEMPLATE DIMS [FIRST]: once for every STEP, the other parameters
# free.
ladder_tune() {
    for s in 1 2 3 4 5 6; do
        dims=$2
        [ $s -gt 1 ] || dims=${3:-$2}
        mkdir "$scratch/$s"
        sed "s/^#pragma hone param STEP in .*/#pragma hone param STEP in {$s}/" \
            "$1" >"$scratch/$s/${1##*/}"
        step "ladder_$s" hone tune "$scratch/$s/${1##*/}" --dims "$dims" \
            --budget "$BUDGET" --db "$scratch/ladder_$s.db"
    done
}
# ladder_bench TEMPLATE DIMS [FIRST]: their winners in turns, that of step 1 alone
# where it has other DIMS.
ladder_bench() {
    ladder=$1
    dims=$2
    first=${3:-}
    set --
    for s in 1 2 3 4 5 6; do
        winner=$(field "ladder_$s" shapes[0].winner)
        if [ -n "$winner" ] && [ $s -eq 1 ] && [ -n "$first" ]; then
            step ladder_first hone bench "$ladder" --dims "$first" \
                --db "$OUT/ladder.db" --config "$winner"
        elif [ -n "$winner" ]; then
            set -- "$@" --config "$winner"
        fi
    done
    step ladder_bench hone bench "$ladder" --dims "$dims" \
        --db "$OUT/ladder.db" "$@"
}
