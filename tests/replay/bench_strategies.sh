#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All search strategies on recorded spaces: scores, with configurations asked
# for one at a time and 16 at a time, curves, and what is left of the best one
# on a kernel or device that it was not chosen on. Writes OUT.md, OUT.csv (the
# curves), OUT.svg and two files OUT*.json.
#
#   sh tests/replay/bench_strategies.sh FOLDER OUT
#
# FOLDER: recordings, KERNEL_.._DEVICE.json.gz. BUILD: a release build (default
# build). REPEATS, SEED, STRATEGIES: of hone simulate (100, 1, all).
set -eu
[ $# -eq 2 ] || {
    echo "usage: bench_strategies.sh FOLDER OUT" >&2
    exit 2
}
folder=$1
out=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
hone=${BUILD:-$root/build}/bin/hone
repeats=${REPEATS:-100}
seed=${SEED:-1}
strategies=${STRATEGIES:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# simulate JSON OPTIONS..: without the folder's name, which is this machine's.
simulate() {
    json=$1
    shift
    "$hone" simulate "$folder"/*.gz --strategy "$strategies" --score \
        --repeats "$repeats" --seed "$seed" --format json "$@" >"$work/json"
    sed 's|"file": "[^"]*/|"file": "|g' "$work/json" >"$json"
}
began=$(date +%s)
simulate "$out.json" --svg "$out.svg"
simulate "$out-batch16.json" --batch 16
seconds=$(($(date +%s) - began))

# scores JSON: lines of "file|space|strategy|score|budget".
scores() {
    sed -n 's/^ *{"file": "\([^"]*\)".*"space": "\([^"]*\)", "strategy": "\([^"]*\)".*"score": \([^,]*\), "score_budget_evaluations": \([0-9]*\),.*/\1|\2|\3|\4|\5/p' "$1"
}
scores "$out.json" >"$work/one"
scores "$out-batch16.json" >"$work/sixteen"
[ -s "$work/one" ] || {
    echo "$out.json has no scores" >&2
    exit 1
}

# The curves: "space,strategy,evaluations,mean,median".
sed 's|[{}]|\n|g' "$out.json" | awk '
    function list(key) {
        match($0, "\"" key "\": \\[[^]]*")
        return substr($0, RSTART + length(key) + 5,
                      RLENGTH - length(key) - 5)
    }
    /^"at": / { n = split(list("at"), at, ", ") }
    /^"space": .*"median": \[/ {
        split($0, part, "\"")
        match($0, /"strategy": "[^"]*/)
        strategy = substr($0, RSTART + 13, RLENGTH - 13)
        split(list("mean"), mean, ", ")
        split(list("median"), median, ", ")
        for (i = 1; i <= n; ++i)
            printf "%s,%s,%s,%.6f,%.6f\n", part[4], strategy, at[i],
                mean[i], median[i]
    }' >"$work/curves"
{
    echo "space,strategy,evaluations,mean,median"
    cat "$work/curves"
} >"$out.csv"

score_table() {
    awk -F'|' '
    function median(n, i, k, t) {
        for (i = 2; i <= n; ++i)
            for (k = i; k > 1 && v[k - 1] > v[k]; --k) {
                t = v[k]; v[k] = v[k - 1]; v[k - 1] = t
            }
        return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
    }
    function figures(strategy, above, i, n, sum) {
        for (i = 1; i <= spaces; ++i)
            if (budget[space[i]] > above) {
                v[++n] = score[strategy, space[i]]
                sum += v[n]
            }
        if (!n) {
            printf " - | - | - |"
            return
        }
        printf " %.3f | %.3f |", sum / n, median(n)
        printf " %.3f |", v[1]
    }
    !($2 in budget) { space[++spaces] = $2; budget[$2] = $5 }
    !($3 in seen) { name[++names] = $3; seen[$3] = 1 }
    { score[$3, $2] = $4 }
    END {
        printf "| strategy |"
        for (i = 1; i <= spaces; ++i) printf " %s |", space[i]
        print " mean | median | worst | mean >100 | median >100 | worst >100 |"
        printf "|---|"
        for (i = 1; i <= spaces + 6; ++i) printf "---|"
        printf "\n| *budget* |"
        for (i = 1; i <= spaces; ++i) printf " %d |", budget[space[i]]
        print " | | | | | |"
        for (k = 1; k <= names; ++k) {
            printf "| %s |", name[k]
            for (i = 1; i <= spaces; ++i)
                printf " %.3f |", score[name[k], space[i]]
            figures(name[k], 0)
            figures(name[k], 100)
            print ""
        }
    }' "$1"
}

# curve_table SPACE: mean, then median.
curve_table() {
    awk -F, -v space="$1" '
    $1 == space {
        if (!($2 in seen)) { name[++names] = $2; seen[$2] = 1 }
        if (!($3 in marks)) { mark[++n] = $3; marks[$3] = 1 }
        mean[$2, $3] = $4
        median[$2, $3] = $5
    }
    END {
        printf "| strategy |"
        for (i = 1; i <= n; ++i) printf " %d |", mark[i]
        for (i = 1; i <= n; ++i) printf " %d, median |", mark[i]
        printf "\n|---|"
        for (i = 1; i <= 2 * n; ++i) printf "---|"
        print ""
        for (k = 1; k <= names; ++k) {
            printf "| %s |", name[k]
            for (i = 1; i <= n; ++i) printf " %.3f |", mean[name[k], mark[i]]
            for (i = 1; i <= n; ++i) printf " %.3f |", median[name[k], mark[i]]
            print ""
        }
    }' "$work/curves"
}

# The strategy that is best on all but one kernel (the first word of a short
# name) or device (the rest), on the one left out; and auto, if there is one.
left_out_table() {
    awk -F'|' '
    {
        split($2, word, " ")
        part["kernel " word[1], $2] = 1
        part["device " substr($2, length(word[1]) + 2), $2] = 1
        parts["kernel " word[1]] = 1
        parts["device " substr($2, length(word[1]) + 2)] = 1
        score[$3, $2] = $4
        spaces[$2] = 1
        names[$3] = 1
    }
    function mean(strategy, which, inside, s, n, sum) {
        for (s in spaces)
            if (((which, s) in part) == inside) {
                sum += score[strategy, s]
                ++n
            }
        return n ? sum / n : 0
    }
    function best(which, inside, i, found) {
        for (i in names)
            if (found == "" || mean(i, which, inside) > mean(found, which, inside))
                found = i
        return found
    }
    END {
        for (p in parts) {
            there = best(p, 0)
            here = best(p, 1)
            printf "| %s | %s | %.3f | %.3f | %s, %.3f |", p, there,
                mean(there, p, 0), mean(there, p, 1), here, mean(here, p, 1)
            if ("auto" in names)
                printf " %.3f | %.3f |\n", mean("auto", p, 0), mean("auto", p, 1)
            else
                print " - | - |"
        }
    }' "$work/one" | sort
}

report() {
    commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
    git -C "$root" diff --quiet HEAD 2>/dev/null ||
        commit="$commit, modified"
    cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    cat <<EOF
# Search strategies on recorded spaces, $(date -u +%F)

| | |
|---|---|
| source | commit $commit |
| command | \`sh tests/replay/bench_strategies.sh FOLDER OUT\` with REPEATS=$repeats SEED=$seed STRATEGIES=$strategies |
| spaces | $(cut -d'|' -f1 "$work/one" | uniq | wc -l) files: $(cut -d'|' -f1 "$work/one" | uniq | sed 's/\.json\.gz$//' | tr '\n' ' ' | sed 's/ $//; s/ /, /g') |
| host | $(nproc) virtual cores, $cpu; $seconds s for both runs |

![curves]($(basename "$out").svg)

## Score

0 is random search, 1 the optimum at once; the method is that of Willemsen et al.
(2024), see \`man hone\`. The budget is what random search needs to come 95 % of the
way from the median to the optimum, in evaluations. ">100": without the spaces whose
budget is 100 evaluations or fewer. Each configuration is answered before the next
is asked for:

EOF
    score_table "$work/one"
    printf '\n16 are asked for before the first answer, as a compile farm does:\n\n'
    score_table "$work/sixteen"
    cat <<'EOF'

Published scores on such spaces, with tuned hyper-parameters: genetic algorithm 0.42
to 0.52, simulated annealing 0.06, dual annealing -0.23, particle swarm -0.33,
differential evolution -0.42.

## Left out

What a choice of strategy is worth on a kernel or a device that it was not made on:
the strategy with the best mean score on all other spaces, its score there and on
those left out, the best one on those, and `auto` on the others and on those.

| left out | best on the others | there | on those left out | best on those | auto, others | auto, left out |
|---|---|---|---|---|---|---|
EOF
    left_out_table
    cat <<'EOF'

## Fraction of the optimum

The optimum's time over the best time found after so many evaluations, failed ones
included; mean and median over the runs, then the mean over the spaces.

EOF
    curve_table all
    cat <<'EOF'

Published, as means over 17 other spaces and 50 runs (recomputed from the results of
Schoonhoven et al.):

| strategy | 25 | 50 | 100 | 200 | 400 |
|---|---|---|---|---|---|
| dual annealing | .813 | .896 | .938 | .965 | .979 |
| greedy iterated local search | .652 | .834 | .927 | .965 | .983 |
| genetic algorithm | .762 | .833 | .912 | .955 | .975 |
| SMAC (GP, LCB) | .747 | .836 | .885 | .913 | .950 |
| random | .761 | .811 | .858 | .892 | .921 |

Per space:
EOF
    cut -d, -f1 "$work/curves" | awk '!seen[$0]++ && $0 != "all"' |
        while read -r space; do
            printf '\n### %s\n\n' "$space"
            curve_table "$space"
        done
}
report >"$out.md"
cat "$out.md"
