#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What tuned problems teach about others: TRAIN problems of OP are tuned with 150
# trials each, and end with a portfolio and its chooser. At TEST others: what the
# program would launch untuned, 40 and 150 trials that begin with what was
# learned, 150 that begin with nothing, and LONG, each against the fastest of
# these. Times are those of each run's own series after a rest.
#
#     OP=gemm sh tests/gpu/learn.sh FOLDER
#
# TAUGHT: a database of tuned problems to begin with; none is tuned for it then.
# SEED: of the drawn problems (2401; those tested have the next one).
# SECONDS_MAX: no problem is begun later (520).
. "$(dirname "$0")/steps.sh"
OP=${OP:-gemm}
TAUGHT=${TAUGHT:-}
SEED=${SEED:-2401}
TRAIN=${TRAIN:-24}
TEST=${TEST:-18}
LONG=${LONG:-800}
SECONDS_MAX=${SECONDS_MAX:-520}
begin=$(date +%s)

if [ -n "$TAUGHT" ]; then
    cp "$TAUGHT" "$HONE_DB"
else
    drawn "$OP" "$SEED" "$TRAIN" | sed "s/^/$OP /" >"$scratch/train"
    step train "$HONE" tune --shapes "$scratch/train" --budget 150 \
        --between 0 --device "$DEVICE" --format json
fi
"$HONE" show models

time_of() { # time_of NAME: of the first shape, or of a run
    db_ask :memory: "select round(coalesce(readfile('$OUT/$1.json') ->>
        '\$.shapes[0].time_ns', readfile('$OUT/$1.json') ->> '\$.time_ns'))"
}
: >"$OUT/learn.txt"
drawn "$OP" $((SEED + 1)) "$TEST" |
    while read -r dims; do
        [ $(($(date +%s) - begin)) -le "$SECONDS_MAX" ] || break
        cp "$HONE_DB" "$scratch/taught.db"
        rm -f "$scratch"/empty.db*
        step run hone run "$OP" --dims "$dims"
        step g40 hone tune "$OP" --dims "$dims" --budget 40 -q \
            --db "$scratch/taught.db"
        step g150 hone tune "$OP" --dims "$dims" --budget 150 -q \
            --db "$scratch/taught.db"
        step c150 hone tune "$OP" --dims "$dims" --budget 150 --no-seeds -q \
            --db "$scratch/empty.db"
        step long hone tune "$OP" --dims "$dims" --budget "$LONG" --no-seeds \
            -q --db "$scratch/empty.db"
        echo "$dims $(time_of run) $(time_of g40) $(time_of g150) \
$(time_of c150) $(time_of long)" >>"$OUT/learn.txt"
    done >"$OUT/steps.log"
awk 'BEGIN { split("untuned 40_taught 150_taught 150_empty long", name) }
    { best = $3; for (i = 3; i <= NF; i++) if ($i < best) best = $i
      line = $1
      for (i = 2; i <= NF; i++) {
          ratio = $i / best; sum[i] += log(ratio)
          if (ratio > worst[i]) worst[i] = ratio
          line = line sprintf("  %s %.3f", name[i - 1], ratio)
      }
      print line }
    END { for (i = 2; NR && i <= 6; i++)
        printf "%s: %.4f in the geometric mean, %.3f at worst, %d problems\n", \
            name[i - 1], exp(sum[i] / NR), worst[i], NR }' "$OUT/learn.txt" |
    tee "$OUT/learn.md"
exit "$status"
