#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the runtime answers for problems that nobody tuned: TRAIN problems of OP
# are tuned with TRIALS trials each and end with a portfolio and its chooser. At
# TEST others, drawn beforehand: what a program would launch with that database
# (chosen), and after tuning this very problem with TRIALS trials that begin with
# what was learned (tuned), both timed by `hone run`. From the final of that
# tuning: the best of the vendors' functions, and the winner's default variant.
#
#     OP=gemm sh tests/gpu/choose.sh FOLDER
#
# SEED: of the drawn problems (3101; those tested have the next one).
# SECONDS_MAX: no problem is begun later (560).
. "$(dirname "$0")/steps.sh"
here=$(dirname "$0")
OP=${OP:-gemm}
SEED=${SEED:-3101}
TRAIN=${TRAIN:-36}
TEST=${TEST:-30}
TRIALS=${TRIALS:-100}
SECONDS_MAX=${SECONDS_MAX:-560}
begin=$(date +%s)

draw() { # draw SEED N: one "M,N,K" a line
    if [ "$OP" = gemm ]; then
        awk -v seed="$1" -v n="$2" -f "$here/six_classes.awk"
    else
        awk -v seed="$1" -v draws="$2" -v ops=" $OP " -f "$here/draw.awk" |
            awk -v op="$OP" '$2 == op { print $3 }'
    fi
}
draw "$SEED" "$TRAIN" | sed "s/^/$OP /" >"$scratch/train"
step train "$HONE" tune --shapes "$scratch/train" --budget "$TRIALS" \
    --device "$DEVICE" --format json
"$HONE" show models

at() { # at NAME PATH
    db_ask :memory: "select readfile('$OUT/$1.json') ->> '\$.$2'"
}
# last vendor|default: its time over the winner's, in the last ranking; 0: none
last() {
    case $1 in
    vendor) of="(select min(r.time_ns) from ranking r
        join trial t using (trial_id) join variant v using (variant_id)
        join template k using (template_id) where k.kind = 'vendor'
        and (r.problem_id, r.device_id, r.mode) =
            (w.problem_id, w.device_id, w.mode))" ;;
    default) of=w.default_time_ns ;;
    esac
    db_ask "$scratch/taught.db" "select round(coalesce($of / w.time_ns, 0), 4)
        from winner_v1 w order by session_id desc limit 1"
}
: >"$OUT/choose.txt"
draw $((SEED + 1)) "$TEST" |
    while read -r dims; do
        [ $(($(date +%s) - begin)) -le "$SECONDS_MAX" ] || break
        cp "$HONE_DB" "$scratch/taught.db"
        step chosen hone run "$OP" --dims "$dims"
        step tune hone tune "$OP" --dims "$dims" --budget "$TRIALS" -q \
            --db "$scratch/taught.db"
        step tuned hone run "$OP" --dims "$dims" --db "$scratch/taught.db"
        echo "$dims $(at chosen time_ns) $(at tuned time_ns) \
$(last vendor) $(last default) $(at chosen match) \
$(at chosen implementation) $(at tuned implementation)" >>"$OUT/choose.txt"
    done >"$OUT/steps.log"
awk '{ loss = $2 / $3; sum += log(loss); if (loss > worst) worst = loss
      if (loss > 1.12) far++
      library = $4 ? loss / $4 : 0; plain = $5 ? loss / $5 : 0
      if (library) { n++; gain += log(library); if (library > 1/0.97) behind++
          if (library > lost) lost = library }
      if (plain > 1.03) slower++
      printf "%-28s chosen/tuned %.3f /library %.3f /default %.3f  %s %s %s\n", \
          $1, loss, library, plain, $6, $7, $8 }
    END { if (!NR) exit
      printf "chosen/tuned: %.4f in the geometric mean, %.3f at worst, %d of " \
          "%d above 1.12; %d slower than the default by 3 %%\n", \
          exp(sum / NR), worst, far, NR, slower
      if (n) printf "chosen/library: %.4f, %.3f at worst, %d of %d above " \
          "1/0.97\n", exp(gain / n), lost, behind, n }' \
    "$OUT/choose.txt" | tee "$OUT/choose.md"
exit "$status"
