#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the runtime answers for problems that nobody tuned: TRAIN problems of OP
# are tuned with TRIALS trials each and end with a portfolio and its chooser. At
# TEST others, drawn beforehand: what a program would launch with that database
# (chosen), and after tuning these very problems with TRIALS trials that begin with
# what was learned (tuned), both timed by `hone run`. From the final of that
# tuning: the best of the vendors' functions, and the winner's default variant.
#
#     OP=gemm sh tests/gpu/choose.sh FOLDER
#
# SEED: of the drawn problems (3101; those tested have the next one).
# DEVICES: what tunes the lists and launches, cuda:0,1 for two (DEVICE). The list of 24
# with its portfolio took 387 s of four H200: TRAIN and TRIALS must leave some.
# SECONDS_MAX: list and tests are interrupted then (540); what was reached is judged.
# FOLDER/taught.db keeps all trials.
#
# On another card, with what this one learned: LIGHT=1 leaves FOLDER/light.db, the
# database of the list without cubins that no ranking has, small enough to be moved.
# As FOLDER/hone.db of another run it stands for the list there (nothing is tuned in
# front), TRIALS says how many each problem gets, and ALONE how many with an empty
# database, which both are compared with then.
. "$(dirname "$0")/steps.sh"
OP=${OP:-gemm}
SEED=${SEED:-3101}
TRAIN=${TRAIN:-36}
TEST=${TEST:-30}
TRIALS=${TRIALS:-100}
DEVICES=${DEVICES:-$DEVICE}
SECONDS_MAX=${SECONDS_MAX:-540}
LIGHT=${LIGHT:-}
ALONE=${ALONE:-}
begin=$(date +%s)

list() { # list SEED N: of problems, as a file
    drawn "$OP" "$1" "$2" | sed "s/^/$OP /"
}
list "$SEED" "$TRAIN" >"$scratch/train"
list $((SEED + 1)) "$TEST" >"$scratch/test"
if [ -e "$HONE_DB" ]; then
    echo "$HONE_DB is there: no list is tuned"
else
    step train timeout -s INT "$SECONDS_MAX" "$HONE" tune --shapes "$scratch/train" --budget "$TRIALS" \
        --device "$DEVICES" --format json
fi
[ -z "$LIGHT" ] || {
    cp "$HONE_DB" "$OUT/light.db"
    "$HONE" sql --db "$OUT/light.db" --write "UPDATE variant SET cubin_sha256 = NULL,
        log_sha256 = NULL WHERE NOT is_default AND variant_id NOT IN
        (SELECT variant_id FROM ranking JOIN trial USING (trial_id))"
    "$HONE" gc --db "$OUT/light.db" | tail -n 1
}
"$HONE" show models

# What `hone run` uses: each of the devices that tune, or the one.
case $DEVICES in
cuda:*) run_on=$(echo "${DEVICES#cuda:}" | tr ',' ' ') ;;
*) run_on= ;;
esac
# one LANE DEVICE DB: every so many of the tested problems.
one() {
    at=0
    n=$(echo "${run_on:-0}" | wc -w)
    while read -r _ dims; do
        at=$((at + 1))
        [ $((at % n)) -eq "$1" ] || continue
        file=$scratch/run.$at
        "$HONE" run "$OP" --dims "$dims" --db "$3" --device "$2" --format json \
            >"$file.json" 2>>"$OUT/steps.log" || {
            echo "$dims 0 failed - -" >"$file.txt"
            continue
        }
        db_ask :memory: "select '$dims ' || coalesce(j ->> 'time_ns', 0) || ' ' ||
            (j ->> 'match') || ' ' || (j ->> 'implementation') || ' ' ||
            coalesce(nullif(j ->> 'config', ''), '-')
            from (select readfile('$file.json') as j)" >"$file.txt"
    done <"$scratch/test"
}
# runs DB: time, match, implementation and configuration of each of the tested
# problems, on all devices at once.
runs() {
    lane=0
    rm -f "$scratch"/run.*
    for device in ${run_on:-$DEVICE}; do
        case $device in [0-9]*) device=cuda:$device ;; esac
        one "$lane" "$device" "$1" &
        lane=$((lane + 1))
    done
    wait
    at=1
    while [ "$at" -le "$TEST" ]; do
        cat "$scratch/run.$at.txt"
        at=$((at + 1))
    done
}
# last vendor|default DIMS: its time over the winner's, in the last ranking;
# 0: none
last() {
    case $1 in
    vendor) of="(select min(r.time_ns) from ranking r
        join trial t using (trial_id) join variant v using (variant_id)
        join template k using (template_id) where k.kind = 'vendor'
        and (r.problem_id, r.device_id, r.mode) =
            (w.problem_id, w.device_id, w.mode))" ;;
    default) of=w.default_time_ns ;;
    esac
    # The database has the codes of types (runtime/base/type.c).
    set -- "$1" "$(echo "$2" | sed 's/bf16/2/; s/f16/1/; s/f32/4/; s/f64/5/')"
    db_ask "$scratch/taught.db" "select round(coalesce($of / w.time_ns, 0), 4)
        from winner_v1 w where op = '$OP' and (dims = '$2' or dims glob '$2,*')"
}
runs "$HONE_DB" >"$OUT/chosen.txt" 2>>"$OUT/steps.log"
cp "$HONE_DB" "$scratch/taught.db"
left=$((SECONDS_MAX + begin - $(date +%s)))
[ $left -gt 0 ] || {
    echo "the list took all $SECONDS_MAX s: nothing was tested"
    exit 1
}
step test timeout -s INT $left \
    "$HONE" tune --shapes "$scratch/test" --no-portfolio --budget "$TRIALS" \
    --device "$DEVICES" --format json --db "$scratch/taught.db"
cp "$scratch/taught.db" "$OUT/taught.db"
runs "$scratch/taught.db" >"$OUT/tuned.txt" 2>>"$OUT/steps.log"
while read -r dims chosen_ns match by _; do
    # shellcheck disable=SC2046 # time, match and implementation of the tuned one
    set -- $(awk -v dims="$dims" '$1 == dims { print $2, $3, $4 }' \
        "$OUT/tuned.txt")
    [ "$2" = exact ] || continue # not reached
    echo "$dims $chosen_ns $1 $(last vendor "$dims") $(last default "$dims")" \
        "$match $by $3"
done <"$OUT/chosen.txt" >"$OUT/choose.txt"
awk '$2 == 0 { print $1 " failed"; next }
    { loss = $2 / $3; sum += log(loss); n_all++
      if (loss > worst) worst = loss
      if (loss > 1.12) far++
      library = $4 ? loss / $4 : 0; plain = $5 ? loss / $5 : 0
      if (library) { n++; gain += log(library); if (library > 1/0.97) behind++
          if (library > lost) lost = library }
      if (plain > 1.03) slower++
      printf "%-28s chosen/tuned %.3f /library %.3f /default %.3f  %s %s %s\n", \
          $1, loss, library, plain, $6, $7, $8 }
    END { if (!n_all) exit
      printf "chosen/tuned: %.4f in the geometric mean, %.3f at worst, %d of " \
          "%d above 1.12; %d slower than the default by 3 %%\n", \
          exp(sum / n_all), worst, far, n_all, slower
      if (n) printf "chosen/library: %.4f, %.3f at worst, %d of %d above " \
          "1/0.97\n", exp(gain / n), lost, behind, n }' \
    "$OUT/choose.txt" | tee "$OUT/choose.md"
[ -n "$ALONE" ] || exit "$status"

# against RUN: the times of RUN.txt over those of problems tuned alone; of a run
# that tunes (`tuned`) those that it reached.
against() {
    awk -v run="$1" 'NR == FNR { if ($3 == "exact") time[$1] = $2; next }
        time[$1] && $2 > 0 && (run != "tuned" || $3 == "exact") {
            ratio = $2 / time[$1]; sum += log(ratio); n++
            if (ratio > worst) worst = ratio }
        END { if (n) printf "%s/alone: %.4f in the geometric mean, %.3f at " \
            "worst, of %d\n", run, exp(sum / n), worst, n }' \
        "$OUT/alone.txt" "$OUT/$1.txt"
}
left=$((SECONDS_MAX + begin - $(date +%s)))
[ $left -gt 0 ] || {
    echo "all $SECONDS_MAX s are over: nothing was tuned alone"
    exit 1
}
step alone timeout -s INT $left \
    "$HONE" tune --shapes "$scratch/test" --no-portfolio --budget "$ALONE" \
    --device "$DEVICES" --format json --db "$scratch/alone.db"
runs "$scratch/alone.db" >"$OUT/alone.txt" 2>>"$OUT/steps.log"
echo "tuned: $TRIALS trials, alone: $ALONE with an empty database"
against chosen
against tuned
exit "$status"
