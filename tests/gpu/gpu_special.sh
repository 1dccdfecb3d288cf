#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constant memory, workspaces zeroed for each run, cooperative launches,
# clusters and launches that start early: verified and timed by the tuner, launched by the runtime, each way
# alone; and what is said where they cannot be. Prints a table.
. "$(dirname "$0")/gpu_test.sh"
template=$HONE_SOURCE/tests/gpu/special.cu

of() { # of CONFIG WHAT: of its trials, each once
    ask "select group_concat(v) from (select distinct $2 as v from trial_v1
         where config = '$1,ACC=f32' order by 1)"
}
is() { # is CONFIG OUTCOME [WORDS]: WORDS are in its message
    got=$(of "$1" outcome)
    said=$(of "$1" message)
    echo "| $1 | $got | $(of "$1" "cast(time_ns as integer)") | $said |"
    expect "$1 is $2" test "$got" = "$2"
    case $said in
    *"${3:-}"*) ;;
    *) expect "$1: $3" false ;;
    esac
}

if [ "$DEVICE" = cuda ]; then
    "$(dirname "$HONE")/../tests/gpu_special"
    code=$?
    [ $code -ne 77 ] || exit 77
    expect "the runtime on streams and in graphs" test $code -eq 0
fi

new_db
"$HONE" tune "$template" --device "$DEVICE" --dims 100003,37 \
    --strategy exhaustive --trial-timeout 5 --quiet >"$scratch/tuned"
expect "the run finishes" test $? -eq 0
echo '| variant | outcome | ns | why |'
echo '|---|---|---|---|'
is WAY=plain,CLUSTER=1 ok
is WAY=constant_memory,CLUSTER=1 ok
is WAY=zeroed,CLUSTER=1 ok
is WAY=early,CLUSTER=1 ok
if [ "$DEVICE" = cuda ]; then
    is WAY=together,CLUSTER=1 ok
    for size in 2 8 16; do
        is WAY=clustered,CLUSTER=$size ok
    done
    is WAY=too_wide,CLUSTER=1 limits "run at the same time on this device"
fi

# More taps than the array in the code holds.
new_db
"$HONE" tune "$template" --device "$DEVICE" --dims 100003,1025 \
    --strategy exhaustive --trial-timeout 5 --quiet >"$scratch/tuned"
is WAY=constant_memory,CLUSTER=1 limits "holds 4096 bytes, and 4100 are"

# Through the runtime: the only way is the winner.
for way in constant_memory zeroed early together clustered; do
    case $DEVICE,$way in cuda,* | *,constant_memory | *,zeroed | *,early) ;;
    *) continue ;;
    esac
    awk -v way="$way" '/let BLOCKS/ { print "#pragma hone require WAY == " way }
        { print }' "$template" >"$scratch/special.cu"
    new_db
    "$HONE" tune "$scratch/special.cu" --device "$DEVICE" --dims 50021,61 \
        --strategy exhaustive --trial-timeout 5 --quiet >"$scratch/tuned"
    "$HONE" run "$scratch/special.cu" --device "$DEVICE" --dims 50021,61 \
        --format json >"$scratch/run" 2>&1
    expect "the runtime launches $way: right results" \
        grep -q '"correct": true' "$scratch/run"
done
exit $((failures > 0))
