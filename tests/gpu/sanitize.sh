#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compute-sanitizer's four tools on winners, each on the small shapes that
# hone verify takes: those in the JSON files of hone tune that are given, or
# one of each implementation that ships and is no reference, tuned shortly.
#
#     sh tests/gpu/sanitize.sh [FILE.json ..]
#
# OUT: folder of the tools' reports; PARALLEL: so many at a time; SECONDS_MAX:
# what would begin later is not run, which the table says. Exit 1 if a tool
# finds anything or was not run.
. "$(dirname "$0")/gpu_test.sh"
db_ask() { "$(dirname "$HONE")/../tests/db_ask" "$@"; }
OUT=${OUT:-$scratch/reports}
TOOLS=${TOOLS:-memcheck racecheck initcheck synccheck}
PARALLEL=${PARALLEL:-$(nproc)}
SANITIZER=${SANITIZER:-$(command -v compute-sanitizer ||
    ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)}
if [ -z "$SANITIZER" ]; then
    echo "skipped: no compute-sanitizer here"
    exit 77
fi
mkdir -p "$OUT" || exit 1

# What ships: OP or OP/NAME, of each file that is one's own.
shipped() {
    for path in "$HONE_SOURCE"/templates/*.cu "$HONE_SOURCE"/templates/*/*.cu; do
        sed -n 's/^#pragma hone implements \([^ ]*\) reference.*/-/p
                s/^#pragma hone implements \([^ ]*\).*/\1/p
                s/^#pragma hone check none.*/-/p
                s/^#pragma hone op \([a-z0-9_]*\).*/\1/p' "$path" | sort | head -n 1
    done | sed '/^-$/d'
}
# A shape to tune at: the first of the contract, smaller.
dims_of() {
    "$HONE" list "${1%%/*}" --arch sm_90 --format json >"$scratch/list.json"
    db_ask :memory: "select readfile('$scratch/list.json') ->>
        '\$.operations[0].shapes[0]'" | sed 's/[0-9]\{6,\}/100003/g
        s/8192/1024/g'
}
tune_shipped() {
    for name in $(shipped); do
        dims=$(dims_of "$name")
        file=$scratch/$(echo "$name" | tr / _).json
        "$HONE" tune "$name" --device "$DEVICE" --dims "${dims:-1M}" \
            --budget "${BUDGET:-60}" --quiet --format json >"$file" ||
            expect "$name is tuned" false >&2
        echo "$file"
    done
}
# "N NAME DIMS CONFIG" of every winner in these files, each once; "-" for no
# parameters.
winners() {
    for file in "$@"; do
        db_ask :memory: "select (value ->> 'op') || iif(value ->>
                'implementation' like '%.cu', '', '/' ||
                (value ->> 'implementation')) || ' ' ||
            (select group_concat(value) from json_each(j.value, '\$.dims'))
            || ' ' || iif(value ->> 'winner' = '', '-', value ->> 'winner')
            from json_each(readfile('$file'), '\$.shapes') j
            where value ->> 'winner' is not null
            and value ->> 'winner' not like 'ALGORITHM=%'" # a library's
    done
}

# one N NAME DIMS CONFIG TOOL: "N TOOL COUNT"; the reports stay in OUT.
deadline=$(($(date +%s) + ${SECONDS_MAX:-1000000}))
cat >"$scratch/one" <<'SCRIPT'
left=$((deadline - $(date +%s)))
if [ "$left" -lt 0 ]; then
    echo "$1 $5 not-run"
    exit 0
fi
[ "$left" -lt 180 ] || left=180
report=$OUT/$(echo "$2" | tr / _)-$1-$5
config=$4
[ "$config" != - ] || config=
# Barriers in shared memory are followed by their address, of each block another:
# more than the tool has room for unless it is told, which is an error to it.
options=
[ "$5" != synccheck ] || options="--num-cuda-barriers 65536"
# shellcheck disable=SC2086 # several words, or none
timeout $((left + 20)) "$SANITIZER" --tool "$5" $options --target-processes all \
    --log-file "$report-%p.log" "$HONE" verify "$2" --device "$DEVICE" \
    --dims "$3" ${config:+--config "$config"} --limit 1 --trial-timeout 150 >"$report.txt" 2>&1
code=$?
found=$(cat "$report"-*.log 2>/dev/null | awk '
    /(ERROR|RACECHECK) SUMMARY: / {
        for (i = 1; i < NF; i++) if ($i == "SUMMARY:") n += $(i + 1)
        seen = 1 }
    END { print seen ? n + 0 : "none" }')
if grep -q 'nothing was verified' "$report.txt"; then
    found=no-shape # its grid or arrays are too large for small problems
elif [ $code -ne 0 ]; then
    found="$found,exit$code"
fi
echo "$1 $5 $found"
SCRIPT

# shellcheck disable=SC2046 # names of files without blanks
[ $# -gt 0 ] || set -- $(tune_shipped)
winners "$@" | sort -u | awk '{ print NR, $0 }' >"$scratch/winners"
expect "there are winners" test -s "$scratch/winners"
export OUT SANITIZER HONE DEVICE HONE_TEMPLATE_PATH deadline
while read -r n name dims config; do
    for tool in $TOOLS; do
        printf '%s %s %s %s %s\n' "$n" "$name" "$dims" "$config" "$tool"
    done
done <"$scratch/winners" |
    xargs -P "$PARALLEL" -L 1 sh "$scratch/one" >"$scratch/found"

{
    echo "| template | problem's dimensions | winner | $(echo "$TOOLS" | sed 's/ / | /g') |"
    echo "|---|---|---|$(echo "$TOOLS" | sed 's/[a-z]* */---|/g')"
    while read -r n name dims config; do
        row="| $name | $dims | $config |"
        for tool in $TOOLS; do
            row="$row $(awk -v n="$n" -v t="$tool" '$1 == n && $2 == t {
                print $3 }' "$scratch/found") |"
        done
        echo "$row"
    done <"$scratch/winners"
} >"$OUT/table.md"
while read -r n tool found; do
    [ "$found" = 0 ] && continue
    expect "$tool of $(sed -n "${n}p" "$scratch/winners"): $found" false
    cat "$OUT"/*-"$n"-"$tool"-*.log "$OUT"/*-"$n"-"$tool".txt 2>/dev/null |
        head -n 12
done <"$scratch/found"
cat "$OUT/table.md"
exit $((failures > 0))
