#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --until on a recording in which the last gain is the hundredth configuration.
. "$(dirname "$0")/../tools/hone_test.sh"
export HONE_DB="$work/until.db"
awk 'BEGIN {
    printf "{\"device_name\": \"Test GPU\", \"kernel_name\": \"late\",\n"
    printf "\"problem_size\": [8], \"tune_params_keys\": [\"N\"],\n"
    printf "\"tune_params\": {\"N\": ["
    for (i = 1; i <= 1000; i++)
        printf "%s%d", (i > 1 ? ", " : ""), i
    printf "]}, \"objective\": \"time\", \"cache\": {\n"
    for (i = 1; i <= 1000; i++)
        printf "\"%d\": {\"N\": %d, \"time\": %s, \"compile_time\": 1," \
            " \"verification_time\": 1, \"benchmark_time\": 1," \
            " \"strategy_time\": 0, \"framework_time\": 1}%s\n", i, i,
            (i < 100 ? "8.0" : (i < 700 ? "4.0" : "3.99")), (i < 1000 ? "," : "}")
    print "}"
}' >"$work/late.json"

run 0 simulate "$work/late.json" --strategy exhaustive --repeats 2 \
    --until 1 --format json
json files.0.evaluations=400.0 files.0.best_ns=4000000.0
# A budget still counts, and so does the whole space; the score is its own.
run 0 simulate "$work/late.json" --strategy exhaustive --repeats 2 \
    --until 1 --budget 50 --format json
json files.0.evaluations=50.0
run 0 simulate "$work/late.json" --strategy exhaustive --repeats 2 \
    --until 0.1% --format json
json files.0.evaluations=400.0
run 0 simulate "$work/late.json" --strategy random --repeats 2 --score \
    --format json
grep '"mean"' "$work/out" >"$work/mean"
run 0 simulate "$work/late.json" --strategy random --repeats 2 --score \
    --until 1 --format json
grep '"mean"' "$work/out" | cmp -s - "$work/mean" ||
    fail "--until changes the score"
run 2 simulate "$work/late.json" --until none
err_has "--until takes a percentage"

tune() { # tune TRIALS REASON OPTIONS..
    trials=$1
    reason=$2
    shift 2
    run 0 tune --device "replay:$work/late.json" --strategy exhaustive "$@" \
        --format json
    json shapes.0.trials="$trials" shapes.0.stopped="$reason"
    run 0 show sessions --limit 1 --format json
    json sessions.0.stopped="$reason"
}
tune 400 unlikely --until 1
tune 50 budget --until 1 --budget 50
tune 1000 exhausted
run 2 tune --device "replay:$work/late.json" --until 100
