#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two devices beside one: PROBLEMS problems with the same variants each (a search
# without memory, seeds and models), first with an empty cubin cache on all devices, which
# fills it, then with it on one and on all. Says how much faster all are than one (aim:
# 1.9 with two), whether the winners are the same within noise, and where devices and
# compile processes lost time.
#
#     sh tests/gpu/multi.sh FOLDER
#
# ONE, ALL: what is compared (cuda:0 and cuda:0,1). BUDGET: trials of a problem (30).
# PROBLEMS: of the list below the first (24). SECONDS_MAX: the last run, with an empty
# cache on one device, is left out if more time has gone by then (110).
. "$(dirname "$0")/steps.sh"
ONE=${ONE:-cuda:0}
ALL=${ALL:-cuda:0,1}
BUDGET=${BUDGET:-30}
PROBLEMS=${PROBLEMS:-24}
SECONDS_MAX=${SECONDS_MAX:-110}
begin=$(date +%s)

head -n "$PROBLEMS" >"$scratch/shapes.txt" <<'END'
saxpy 1048576
sum 1048576
transpose 1024,1024
softmax 1024,1024
saxpy 4194304
sum 4194304
transpose 2048,2048
softmax 2048,2048
saxpy 16777216
sum 16777216
transpose 4096,4096
softmax 4096,4096
saxpy 3000017
sum 3000017
transpose 1000,3000
softmax 1000,3000
saxpy 33554432
sum 33554432
transpose 8192,4096
softmax 8192,4096
saxpy 10000019
sum 10000019
transpose 5000,2000
softmax 512,32768
END

tune() { # tune NAME DEVICES CACHE
    rm -f "$scratch/$1.db"*
    HONE_CACHE_DIR=$3 HONE_DB=$scratch/$1.db step "$1" "$HONE" tune \
        --shapes "$scratch/shapes.txt" --no-portfolio --budget "$BUDGET" \
        --strategy random --seed 1 --no-seeds --device "$2" --format json
}
tune cold_all "$ALL" "$scratch/cubins"
tune warm_one "$ONE" "$scratch/cubins"
tune warm_all "$ALL" "$scratch/cubins"
if [ $(($(date +%s) - begin)) -le "$SECONDS_MAX" ]; then
    tune cold_one "$ONE" "$scratch/empty"
else
    echo "cold_one: left out, $(($(date +%s) - begin)) s have gone"
fi

seconds() { cat "$OUT/$1.s"; }
ratio() { # ratio ONE ALL: of their seconds
    awk "BEGIN { printf \"%.2f\", $(seconds "$1") / $(seconds "$2") }"
}
{
    echo
    echo "| run | s | trials | trials/s | faster than one |"
    echo "|---|---|---|---|---|"
    for run in warm_one warm_all cold_one cold_all; do
        [ -f "$OUT/$run.s" ] || continue
        trials=$(db_ask :memory: "select sum(value ->> 'trials') from
            json_each(readfile('$OUT/$run.json'), '\$.shapes')")
        case $run in
        warm_all) faster=$(ratio warm_one warm_all) ;;
        cold_all) faster=$([ ! -f "$OUT/cold_one.s" ] || ratio cold_one cold_all) ;;
        *) faster= ;;
        esac
        echo "| $run | $(seconds $run) | $trials | $(awk \
            "BEGIN { printf \"%.1f\", $trials / $(seconds $run) }") | $faster |"
    done
    echo
    # A winner is the same where the text is, or the times differ by less than 2 %.
    db_ask :memory: "
        with a as (select key k, value v from
                   json_each(readfile('$OUT/warm_one.json'), '\$.shapes')),
             b as (select key k, value v from
                   json_each(readfile('$OUT/warm_all.json'), '\$.shapes')),
             r as (select a.v ->> 'label' label, a.v ->> 'op' op,
                   a.v ->> 'winner' is b.v ->> 'winner' same,
                   (b.v ->> 'time_ns') / (a.v ->> 'time_ns') ratio
                   from a join b using (k))
        select 'winners: ' || sum(same) || ' of ' || count(*) ||
            ' the same, ' || sum(same or abs(ratio - 1) < 0.02) ||
            ' the same or within 2 %; times on all / on one from ' ||
            round(min(ratio), 3) || ' to ' || round(max(ratio), 3) from r"
    echo
    echo "Where time went:"
    for run in warm_all cold_all; do
        echo "$run:"
        sed -n -e 's/^hone: \(cuda:[0-9]*: [0-9]* problems.*\)/- \1/p' \
            -e 's/^hone: \(cpu:[0-9]*: [0-9]* problems.*\)/- \1/p' \
            -e 's/^hone: \(compile processes.*\)/- \1/p' "$OUT/$run.log"
    done
    echo "warm_one: $(db_ask :memory: "select 'set-up ' ||
        round(sum(value ->> 'setup_s'), 1) || ' s, trials ' ||
        round(sum(value ->> 'trials_s'), 1) || ' s (at variants ' ||
        round(sum(value ->> 'device_busy_s'), 1) || ' s), finals ' ||
        round(sum(value ->> 'final_s'), 1) || ' s' from
        json_each(readfile('$OUT/warm_one.json'), '\$.shapes')")"
} | tee "$OUT/multi.md"
exit "$status"
