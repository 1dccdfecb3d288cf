#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What earlier problems and more trials are worth to a search: COUNT problems of an
# operation that nobody chose are tuned together with 150 trials each (taught), as
# many others one by one: with an empty database (e150: 150 trials each), and with a
# copy of the taught one (t40). Their winners are then timed in turns, on one card; where
# a library won, its fastest algorithm in that run counts.
#
#     sh tests/gpu/taught.sh FOLDER OP [RUN ..]
#
# RUN: e or t and the trials of each (e2000 e150 t40 t150: the first is what the
# others are compared with). OP: gemm, or an operation that draw.awk draws.
# IMPLEMENTATION (OP), SEED: of the taught ones, the judged ones have the next
# (20261203), COUNT (24), DEVICES (as many GPUs as there are): problem i is always on
# the i-th of them in turn, which has its share of the cores. SECONDS_MAX (500).
# What FOLDER has already of the same problems is not run again, so that a long run can
# have a call of its own (of one RUN nothing is compared).
. "$(dirname "$0")/steps.sh"
OP=${2:?name an operation}
shift 2
[ $# -gt 0 ] || set -- e2000 e150 t40 t150
IMPLEMENTATION=${IMPLEMENTATION:-$OP}
SEED=${SEED:-20261203}
COUNT=${COUNT:-24}
if [ "$DEVICE" = cpu ]; then
    DEVICES=cpu
else
    DEVICES=${DEVICES:-$(nvidia-smi -L 2>/dev/null | awk '{ print NR - 1 }')}
    DEVICES=${DEVICES:-0}
fi
# shellcheck disable=SC2086 # words
n_devices=$(set -- $DEVICES && echo $#)
cores=$(($(nproc) / n_devices))
[ "$cores" -gt 0 ] || cores=1
deadline=$(($(date +%s) + ${SECONDS_MAX:-500}))

# problems SEED: a line each, as hone tune --shapes reads them.
problems() {
    drawn "$OP" "$1" "$COUNT" | if [ "$OP" = gemm ]; then
        awk '{
            t = NR % 2 ? "f16" : "bf16"
            print "gemm " $1 "," t "," t "," int(NR / 3) % 2 "," int(NR / 2) % 2 ",ADD=0"
        }'
    else
        sed "s/^/$OP /"
    fi
}
problems "$SEED" >"$scratch/taught.shapes"
problems $((SEED + 1)) >"$scratch/judged.shapes"
for list in taught.shapes judged.shapes; do
    if [ -e "$OUT/$list" ] && ! cmp -s "$OUT/$list" "$scratch/$list"; then
        echo "$OUT has runs of other problems: name an empty folder" >&2
        exit 2
    fi
    cp "$scratch/$list" "$OUT/$list"
done

# on LANE COMMAND..: with what is left of the time, on its cores.
on() {
    first=$(($1 * cores))
    shift
    left=$((deadline - $(date +%s)))
    [ "$left" -gt 3 ] || return 1
    taskset -c "$first-$((first + cores - 1))" timeout -s INT "$left" "$HONE" "$@" \
        --format json
}
# winner FILE: IMPLEMENTATION:CONFIG; none of a search that its time interrupted.
winner() {
    [ ! -s "$1" ] || db_ask :memory: "select (value ->> 'implementation') || ':' ||
        (value ->> 'winner') from json_each(readfile('$1'), '\$.shapes')
        where value ->> 'winner' <> '' and value ->> 'stopped' <> 'interrupted'"
}
# lane LANE DEVICE RUN TRIALS
lane() {
    i=$(($1 + 1))
    while [ "$i" -le "$COUNT" ]; do
        dims=$(sed -n "${i}s/^[^ ]* //p" "$OUT/judged.shapes")
        file=$OUT/$3.$i
        i=$((i + n_devices))
        [ -z "$(winner "$file.json")" ] || continue
        case $3 in t*) cp "$OUT/taught.db" "$scratch/$1.db" ;; esac
        on "$1" tune "$IMPLEMENTATION" --dims "$dims" --budget "$4" --quiet \
            --device "$2" --db "$scratch/$1.db" >"$file.json" 2>"$file.log"
        rm -f "$scratch/$1.db"*
    done
}
# turns LANE DEVICE RUN..: the winners of all runs of each problem.
turns() {
    of=$1
    device=$2
    shift 2
    runs=$*
    i=$((of + 1))
    while [ "$i" -le "$COUNT" ]; do
        set --
        for run in $runs; do
            config=$(winner "$OUT/$run.$i.json")
            case $config in
            '' | *:ALGORITHM=*) ;; # libraries have rows without being asked for
            *) set -- "$@" --config "$config" ;;
            esac
        done
        dims=$(sed -n "${i}s/^[^ ]* //p" "$OUT/judged.shapes")
        [ $# -eq 0 ] || on "$of" bench "$IMPLEMENTATION" --dims "$dims" --device "$device" \
            --db "$scratch/none.$i.db" "$@" >"$OUT/turns.$i.json" 2>"$OUT/turns.$i.log"
        i=$((i + n_devices))
    done
}
# each lane RUN TRIALS, each turns RUN ..: on all devices at once.
each() {
    what=$1
    shift
    at=0
    for device in $DEVICES; do
        [ "$device" = cpu ] || device=cuda:$device
        case $what in
        lane) lane "$at" "$device" "$@" & ;;
        *) turns "$at" "$device" "$@" & ;;
        esac
        at=$((at + 1))
    done
    wait
}

case " $*" in *" t"*)
    of=all
    [ "$DEVICE" != cpu ] || of=cpu
    step taught "$HONE" tune "$IMPLEMENTATION" \
        --shapes "$OUT/taught.shapes" --budget "${TAUGHT:-150}" --no-portfolio \
        --quiet --device $of --db "$OUT/taught.db" --format json || exit 1
    ;;
esac
for run in "$@"; do
    start=$(now)
    each lane "$run" "${run#?}"
    echo "$run: $(since "$start") s"
done
[ $# -lt 2 ] || each turns "$@"

# A line for each run of each problem, and of each run the geometric mean. Where
# nothing ran in turns (libraries won all), of its final.
in_turns() { # in_turns RUN I
    config=$(winner "$OUT/$1.$2.json")
    case $config in
    *:ALGORITHM=*) which="value ->> 'config' = ''" ;;
    *) which="(value ->> 'implementation') || ':' || (value ->> 'config') = '$config'" ;;
    esac
    db_ask :memory: "select '$1 $2 ' || min(value ->> 'time_ns') from
        json_each(readfile('$OUT/turns.$2.json'), '\$.rows')
        where value ->> 'time_ns' > 0 and $which"
}
in_final() {
    db_ask :memory: "select '$1 $2 ' || (value ->> 'time_ns') from
        json_each(readfile('$OUT/$1.$2.json'), '\$.shapes')
        where value ->> 'time_ns' > 0 and value ->> 'stopped' <> 'interrupted'"
}
for run in "$@"; do
    i=1
    while [ "$i" -le "$COUNT" ]; do
        if [ -s "$OUT/turns.$i.json" ] && [ -s "$OUT/$run.$i.json" ]; then
            in_turns "$run" "$i"
        elif [ -s "$OUT/$run.$i.json" ]; then
            in_final "$run" "$i"
        fi
        i=$((i + 1))
    done
done >"$OUT/times.txt"
awk -v reference="$1" '
    { time[$1, $2] = $3; runs[$1]; if ($2 > most) most = $2 }
    END {
        print "| run | problems | mean of its time over that of " reference " | most |"
        print "|---|---|---|---|"
        for (run in runs) {
            n = sum = worst = 0
            for (i = 1; i <= most; ++i)
                if (time[run, i] && time[reference, i]) {
                    ratio = time[run, i] / time[reference, i]
                    sum += log(ratio)
                    if (ratio > worst) worst = ratio
                    ++n
                }
            if (n) printf "| %s | %d | %.4f | %.3f |\n", run, n, exp(sum / n), worst
        }
    }' "$OUT/times.txt" | tee "$OUT/taught.md"
exit "$status"
