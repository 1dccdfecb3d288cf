#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What it costs to build the spaces in t1/, beside Kernel Tuner's own solver if
# that can be imported, in turns. Writes OUT.md and OUT.json, or prints the
# table without OUT.
#
#   sh tests/gen/bench_space.sh [OUT]
#
# BUILD: a release build (default build). BASELINE_PYTHON: a Python that has the
# package kernel_tuner (default python3). TURNS, ROUNDS: of both, and of hone in
# each turn.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
python=${BASELINE_PYTHON:-python3}
turns=${TURNS:-5}
rounds=${ROUNDS:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
listed="dedispersion convolution gemm hotspot hotspot_blocks"
files=""
for name in $listed; do
    files="$files tests/gen/t1/$name.json"
done

baseline=""
i=0
while [ "$i" -lt "$turns" ]; do
    # shellcheck disable=SC2086 # a list of words
    "$build/tests/bench_space" --rounds "$rounds" $files \
        tests/gen/t1/prl_8x8.json >"$work/hone.$i"
    # shellcheck disable=SC2086
    if "$python" -W ignore tests/gen/baseline_spaces.py 1 $files \
        >"$work/baseline.$i" 2>"$work/baseline.err"; then
        baseline=yes
    else
        baseline=$(tail -n 1 "$work/baseline.$i")
        [ -n "$baseline" ] || baseline="$python: $(tail -n 1 "$work/baseline.err")"
        rm "$work/baseline.$i"
        baseline="not timed: $baseline"
    fi
    i=$((i + 1))
done

# Figures of the turns, one a line: file key value.
flatten() {
    awk '
        match($0, /"tests\/gen\/t1\/[a-z0-9_]*/) {
            file = substr($0, RSTART + 14, RLENGTH - 14)
        }
        match($0, /"(raw|valid)": [0-9]+, "valid": [0-9]+/) {
            split(substr($0, RSTART, RLENGTH), part, /[:,] */)
            print file, "raw", part[2]
            print file, "valid", part[4]
        }
        match($0, /"[a-z_]+": \{"median": [0-9.e+-]+, "spread": [0-9.e+-]+/) {
            split(substr($0, RSTART, RLENGTH), part, /[":,{} ]+/)
            print (part[2] == "all_files_ms" ? "all" : file), part[2], part[4]
        }' "$@"
}
flatten "$work"/hone.* >"$work/figures"

# value FILE KEY: the median over the turns; spread: half the distance of the
# quartiles.
sorted() {
    awk -v f="$1" -v k="$2" '$1 == f && $2 == k { print $3 }' \
        "$work/figures" | sort -g
}
value() { sorted "$1" "$2" | awk '{ v[NR] = $1 } END { print v[int(NR / 2) + 1] }'; }
spread() {
    sorted "$1" "$2" | awk '{ v[NR] = $1 }
        END { print (v[int(NR * 3 / 4) + 1] - v[int(NR / 4) + 1]) / 2 }'
}
if [ "$baseline" = yes ]; then
    # {"version": .., "files": {PATH: {"valid": N, "seconds": [S]}, ..}}
    cat "$work"/baseline.* | tr '{' '\n' | awk '
        /t1\// { match($0, /t1\/[a-z0-9_]*/)
                 file = substr($0, RSTART + 3, RLENGTH - 3) }
        /"seconds"/ {
            match($0, /"valid": [0-9]+/)
            print name, "baseline_valid", substr($0, RSTART + 9, RLENGTH - 9)
            match($0, /\[[0-9.e-]+/)
            print name, "baseline_ms", 1000*substr($0, RSTART + 1, RLENGTH - 1)
        }
        { name = file }' >>"$work/figures"
    for name in $listed; do
        [ "$(value "$name" valid)" = "$(value "$name" baseline_valid)" ] || {
            echo "$name: the two do not count the same" >&2
            exit 1
        }
    done
    version=$(sed 's/.*"version": "\([^"]*\)".*/\1/' "$work/baseline.0")
fi

table() {
    echo "| space | raw | valid | read | build | list | all | spread | Kernel Tuner | ratio |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
    for name in $listed prl_8x8; do
        theirs=- ratio=-
        if [ "$baseline" = yes ] && [ "$name" != prl_8x8 ]; then
            theirs=$(value "$name" baseline_ms)
            ratio=$(echo "$theirs" | awk -v a="$(value "$name" all_ms)" \
                '{ printf "%.0f", $1/a }')
            theirs=$(echo "$theirs" | awk '{ printf "%.1f", $1 }')
        fi
        list=$(value "$name" list_ms | awk '{ printf "%.3f", $1 }')
        [ "$name" != prl_8x8 ] || list=-
        printf '| %s | %s | %s | %.3f | %.3f | %s | %.3f | %.3f | %s | %s |\n' \
            "$name" "$(value "$name" raw)" "$(value "$name" valid)" \
            "$(value "$name" read_ms)" "$(value "$name" build_ms)" "$list" \
            "$(value "$name" all_ms)" "$(spread "$name" all_ms)" \
            "$theirs" "$ratio"
    done
    printf '| the first five together | | | | | | %.3f | %.3f | | |\n' \
        "$(value all all_files_ms)" "$(spread all all_files_ms)"
    echo
    echo "| space | get, ns | find, ns |"
    echo "|---|---|---|"
    for name in $listed prl_8x8; do
        printf '| %s | %.0f | %.0f |\n' "$name" \
            "$(value "$name" get_ns)" "$(value "$name" find_ns)"
    done
}

report() {
    commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
    git diff --quiet HEAD 2>/dev/null || commit="$commit, modified"
    cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    echo "# Building search spaces, $(date -u +%F)"
    echo
    echo "| | |"
    echo "|---|---|"
    echo "| source | commit $commit |"
    echo "| command | \`sh tests/gen/bench_space.sh\` with TURNS=$turns ROUNDS=$rounds |"
    echo "| host | $(nproc) virtual cores, $cpu; one is used |"
    if [ "$baseline" = yes ]; then
        echo "| baseline | Kernel Tuner $version on $("$python" --version), its default solver, in the same turns |"
    else
        echo "| baseline | Kernel Tuner: $baseline |"
    fi
    echo
    echo "Milliseconds: medians over the turns of the medians over the rounds; spread"
    echo "is half the distance of the quartiles. read: JSON and expressions; build: the"
    echo "space, after which it can be counted, ranked and searched; list: every"
    echo "configuration as the numbers of its values, in memory allocated for it; all: the three"
    echo "together, which is what is compared with reading and constructing in Kernel"
    echo "Tuner."
    echo
    table
}

if [ $# -eq 0 ]; then
    report
    exit 0
fi
report >"$1.md"
{
    echo '{"hone": ['
    i=0
    while [ "$i" -lt "$turns" ]; do
        [ "$i" -eq 0 ] || echo ","
        cat "$work/hone.$i"
        i=$((i + 1))
    done
    echo '], "kernel_tuner": ['
    i=0
    while [ "$baseline" = yes ] && [ "$i" -lt "$turns" ]; do
        [ "$i" -eq 0 ] || echo ","
        cat "$work/baseline.$i"
        i=$((i + 1))
    done
    echo ']}'
} >"$1.json"
cat "$1.md"
