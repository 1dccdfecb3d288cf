#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compute-sanitizer over what matrix products do (sanitize_gemm.list): each case is
# one configuration at one small problem, verified first without a tool, where a
# configuration that does not apply is named, and then under each of TOOLS.
#
#     sh tests/gpu/sanitize_gemm.sh FOLDER
#
# TOOLS: memcheck racecheck; also synccheck, initcheck. CASES: names of the list
# (all). TIMEOUT: seconds of a run (60). DEVICES: GPUs (as many as there are);
# PER_DEVICE: runs on each at once (4). SECONDS_MAX: nothing is begun later (500).
# SANITIZER: the program; SANITIZER_OPTIONS: more of its options.
# FOLDER gets sanitize_gemm.md and findings.txt, the first lines of what was
# found. Exit 1: something was found, or a case does not apply or was not run; 77:
# no compute-sanitizer.
. "$(dirname "$0")/steps.sh"
TOOLS=${TOOLS:-memcheck racecheck}
CASES=${CASES:-}
TIMEOUT=${TIMEOUT:-60}
PER_DEVICE=${PER_DEVICE:-4}
SECONDS_MAX=${SECONDS_MAX:-500}
SANITIZER_OPTIONS=${SANITIZER_OPTIONS:-}
SANITIZER=${SANITIZER:-$(command -v compute-sanitizer ||
    ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)}
if [ -z "$SANITIZER" ]; then
    echo "skipped: no compute-sanitizer here"
    exit 77
fi
DEVICES=${DEVICES:-$(nvidia-smi -L 2>/dev/null | awk '{ print NR - 1 }')}
DEVICES=${DEVICES:-0}
# shellcheck disable=SC2086 # words
lanes=$(($(set -- $DEVICES && echo $#) * PER_DEVICE))
deadline=$(($(date +%s) + SECONDS_MAX))
# The double-precision reference is enough, and cuBLAS takes long to load.
HONE_CUBLAS_LIBRARY=/nonexistent/libcublas.so
HONE_CUBLASLT_LIBRARY=$HONE_CUBLAS_LIBRARY
export HONE_CUBLAS_LIBRARY HONE_CUBLASLT_LIBRARY
export HONE DEVICE DEVICES SANITIZER SANITIZER_OPTIONS TIMEOUT deadline scratch

awk -v wanted=" $CASES " '/^[^#]/ &&
    (wanted ~ /^ *$/ || index(wanted, " " $1 " "))' \
    "$(dirname "$0")/sanitize_gemm.list" >"$scratch/cases"

# one NAME TEMPLATE DIMS CONFIG TOOL: the result to NAME.TOOL. The tool "plain" is
# none, and fills the cache of cubins.
cat >"$scratch/one" <<'SCRIPT'
name=$1 template=$2 dims=$3 config=$4 tool=$5
report=$scratch/$name.$tool
if [ "$(date +%s)" -ge "$deadline" ]; then
    echo not-run >"$report"
    exit 0
fi
# shellcheck disable=SC2086 # words
set -- $DEVICES
shift $((SLOT % $#))
[ "$DEVICE" != cuda ] || export CUDA_VISIBLE_DEVICES="$1"
[ "$config" != - ] || config=
echo "${template%%/*} $dims" >"$report.shapes"
set -- "$HONE" verify "$template" --shapes "$report.shapes" --device "$DEVICE" \
    --limit 1 ${config:+--config "$config"} --trial-timeout "$TIMEOUT" --jobs 1 \
    --quiet --format json
# Barriers in shared memory are followed by their address, of each block another:
# more than the tool has room for unless it is told, which is an error to it.
options=$SANITIZER_OPTIONS
[ "$tool" != synccheck ] || options="$options --num-cuda-barriers 65536"
# hone asks the driver for the arguments of a kernel until there are none.
[ "$tool" != memcheck ] || options="$options --report-api-errors no"
# shellcheck disable=SC2086 # several words, or none
[ "$tool" = plain ] || set -- "$SANITIZER" --tool "$tool" $options \
    --target-processes all --log-file "$report-%p.log" "$@"
begin=$(date +%s)
timeout -k 5 "$TIMEOUT" "$@" >"$report.json" 2>"$report.err"
code=$?
seconds=$(($(date +%s) - begin))
n=$(sed -n 's/^ *"checked": \([0-9]*\),$/\1/p' "$report.json")
found=$(cat "$report"-*.log 2>/dev/null | awk '
    /(ERROR|RACECHECK) SUMMARY: / {
        for (i = 1; i < NF; i++) if ($i == "SUMMARY:") n += $(i + 1)
        seen = 1 }
    END { print seen ? n + 0 : "none" }')
[ "$tool" != plain ] || found=0
case $code,${n:-none},$found in
124,* | 137,*) result="timeout" ;;
*,0,*) result="does-not-apply" ;;
0,1,0) result="ok" ;;
0,1,none) result="no-report" ;;
0,1,*) result="errors:$found" ;;
1,1,0) result="wrong" ;;
*) result="exit:$code,found:$found" ;;
esac
echo "$result ${seconds}s" >"$report"
SCRIPT
each() { # each TOOL ..: every case
    while read -r name template dims config; do
        for tool in "$@"; do
            echo "$name $template $dims $config $tool"
        done
    done | xargs -P "$lanes" -L 1 --process-slot-var=SLOT sh "$scratch/one"
}
each plain <"$scratch/cases"
# What does not apply has nothing to be examined.
while read -r name rest; do
    case $(cat "$scratch/$name.plain") in
    does-not-apply* | not-run*) ;;
    *) echo "$name $rest" ;;
    esac
done <"$scratch/cases" >"$scratch/applying"
# shellcheck disable=SC2086 # several tools
each $TOOLS <"$scratch/applying"

{
    echo "| case | template | dims | configuration | plain | $(echo "$TOOLS" | sed 's/ / | /g') |"
    echo "|---|---|---|---|---|$(echo "$TOOLS" | sed 's/[a-z]* */---|/g')"
    while read -r name template dims config; do
        row="| $name | $template | $dims | $config |"
        for tool in plain $TOOLS; do
            row="$row $(cat "$scratch/$name.$tool" 2>/dev/null || echo -) |"
        done
        echo "$row"
    done <"$scratch/cases"
} >"$OUT/sanitize_gemm.md"
while read -r name rest; do
    for tool in plain $TOOLS; do
        case $(cat "$scratch/$name.$tool" 2>/dev/null) in
        ok* | '') continue ;;
        esac
        echo "== $name $rest: $tool: $(cat "$scratch/$name.$tool")"
        cat "$scratch/$name.$tool"-*.log 2>/dev/null | grep -v '^========= *$' |
            head -n 40
        head -n 12 "$scratch/$name.$tool.err"
        # Why it does not apply; what is wrong.
        sed -n 's/.*"why": "\(.*\)", "implementations".*/\1/p
            /"outcome"/p' "$scratch/$name.$tool.json" | cut -c1-600
    done
done <"$scratch/cases" | head -c 800000 >"$OUT/findings.txt"
cat "$OUT/sanitize_gemm.md"
echo
awk -F' [|] ' 'NR > 2 { for (i = 5; i <= NF; i++) { split($i, word, "[ :,]")
    if (word[1] != "|") n[word[1]]++ } }
    END { for (w in n) printf "%s %d\n", w, n[w] }' "$OUT/sanitize_gemm.md" | sort
head -n 60 "$OUT/findings.txt"
[ ! -s "$OUT/findings.txt" ]
