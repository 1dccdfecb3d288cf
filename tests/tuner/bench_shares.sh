#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Not a test: the table and figures of docs/results/shares-*. Needs the target
# bench_shares and recordings that the rule was not chosen on.
#   bench_shares.sh BUILD OUT FILE..
set -eu
build=$1
out=$2
shift 2
seeds=${SEEDS:-2 11 12}
batches=${BATCHES:-1 8}
mixes=${MIXES:-2000}
impls=${IMPLS:-100}
name=$out/shares-$(date -u +%Y-%m-%d)
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT

for batch in $batches; do
    for seed in $seeds; do
        "$build/tests/bench_shares" "$seed" "$mixes" "$impls" "$batch" "$@" |
            sed "s/^/$batch;$seed;/"
    done
done | grep -v 'policy;budget' >"$figures"
awk -F';' '
    BEGIN { printf "{\"shares\": [" }
    { printf "%s\n {\"batch\": %s, \"seed\": %s, \"policy\": \"%s\"," \
          " \"budget\": %s, \"mean\": %s, \"p90\": %s," \
          " \"within_1\": %s, \"within_5\": %s}", (NR > 1 ? "," : ""),
          $1, $2, $3, $4, $5, $6, $7, $8 }
    END { print "\n]}" }' "$figures" >"$name.json"
{
    cat <<TEXT
# How implementations of an operation share the budget of a search

| | |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| source | commit $(git describe --always --dirty=" (modified)") |
| command | \`SEEDS="$seeds" BATCHES="$batches" MIXES=$mixes IMPLS=$impls sh tests/tuner/bench_shares.sh BUILD OUT FILE..\` |
| recordings | $# files: $(for f in "$@"; do basename "$f" .json.gz; done | paste -sd ' ' -) |
| host | $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); nothing here depends on its speed |

TEXT
    cat "$(dirname "$0")/bench_shares.txt"
    for batch in $batches; do
        printf '\n## Answers come %d proposals late\n\n' $((batch - 1))
        # shellcheck disable=SC2016 # words in backquotes are Markdown's
        printf '| policy | budget | mean | over `rule`, least to most of the seeds | 90 %% | within 1 %% | within 5 %% |\n'
        printf '|---|---|---|---|---|---|---|\n'
        awk -F';' -v batch="$batch" '
            $1 == batch {
                key = $3 " | " $4
                if ($3 == "rule")
                    rule[$2, $4] = $5
                over = $5 / rule[$2, $4]
                if (!(key in n)) {
                    order[++n_keys] = key
                    least[key] = most[key] = over
                }
                ++n[key]
                mean[key] += log($5)
                p90[key] += $6
                one[key] += $7
                five[key] += $8
                least[key] = over < least[key] ? over : least[key]
                most[key] = over > most[key] ? over : most[key]
            }
            END {
                for (i = 1; i <= n_keys; ++i) {
                    k = order[i]
                    printf "| %s | %.4f | %.4f to %.4f | %.3f | %.1f %% | %.1f %% |\n",
                        k, exp(mean[k] / n[k]), least[k], most[k],
                        p90[k] / n[k], 100 * one[k] / n[k],
                        100 * five[k] / n[k]
                }
            }' "$figures"
    done
} >"$name.md"
echo "$name.md"
