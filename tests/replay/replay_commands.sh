#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone simulate and hone tune --device replay:FILE, on recordings whose
# figures are known.
. "$(dirname "$0")/../tools/hone_test.sh"
rec=$here/recordings

# ---- simulate -------------------------------------------------------------

run 0 simulate "$rec/small_t4.json" --strategy exhaustive --budget 2 \
    --repeats 3 --format json
json schema_version=1 strategy=exhaustive repeats=3 seed=1 \
    files.0.op=small_t4 files.0.recording_format=T4 \
    files.0.configurations=8 files.0.valid=3 files.0.optimum_ns=1000000.0 \
    files.0.best_ns=2250000.0 files.0.evaluations=2.0
grep -q '"score"' "$work/out" && fail "no score was asked for"
grep -q '"mean"' "$work/out" && fail "no score was asked for"

# A time: no trial begins after it (0.1155 s, then 0.1195 s more).
run 0 simulate "$rec/small_t4.json" --strategy exhaustive --budget 0.1s \
    --repeats 1 --format json
json files.0.evaluations=1.0 files.0.best_ns=4250000.0
out_has '"simulated_s": 0.1155'

# Several files, gzip by content and not by name, a cache that was cut off.
gzip -c "$rec/small_cache.json" >"$work/packed"
run 0 simulate "$rec/small_t4.json" "$work/packed" "$rec/cut_cache.json" \
    --score --repeats 20 --format json
json files.1.op=axpy "files.1.device=Test GPU" "files.1.label=1024 x 8" \
    files.1.recording_format="Kernel Tuner" files.1.valid=3 files.0.score \
    files.2.recording_interrupted=true files.2.configurations=4 mean median
err_has "ends early: it has 4 trials"
cp "$work/out" "$work/first"

# The same seed gives the same, another one does not.
run 0 simulate "$rec/small_t4.json" "$work/packed" "$rec/cut_cache.json" \
    --score --repeats 20 --format json --quiet
cmp -s "$work/first" "$work/out" || fail "the same seed, another result"
err_empty
run 0 simulate "$rec/small_t4.json" --budget 3 --repeats 7 --format json
cp "$work/out" "$work/first"
run 0 simulate "$rec/small_t4.json" --budget 3 --repeats 7 --seed 2 \
    --format json
cmp -s "$work/first" "$work/out" && fail "another seed, the same result"

run 0 simulate "$rec/small_t4.json" --score --format csv
[ "$(wc -l <"$work/out")" -ge 2 ] || fail "a head line and a row"
run 0 simulate "$rec/small_t4.json" --score
out_has "median"

# Several strategies: a row for each pair, and what each has over all files.
cp "$rec/small_t4.json" "$work/transpose_of_mine_A100.json"
cp "$rec/small_t4.json" "$work/transpose_of_mine_H100.json"
run 0 simulate "$work"/transpose_of_mine_*.json "$work/packed" --score \
    --strategy random,exhaustive,random --repeats 5 --format json --jobs 1
json strategy=random,exhaustive files.0.strategy=random \
    "files.0.space=tran A100" files.1.strategy=exhaustive \
    "files.1.space=tran A100" "files.2.space=tran H100" \
    files.4.space=packed files.5.score files.0.score_budget_evaluations=1 \
    strategies.0.strategy=random strategies.1.mean strategies.1.median \
    strategies.1.worst strategies.1.mean_above_100=null
grep -q '^  "mean"' "$work/out" && fail "of which strategy is this mean?"
cp "$work/out" "$work/first"
run 0 simulate "$work"/transpose_of_mine_*.json "$work/packed" --score \
    --strategy random,exhaustive --repeats 5 --format json --jobs 7
cmp -s "$work/first" "$work/out" || fail "threads change the result"
run 0 simulate "$work"/transpose_of_mine_*.json "$work/packed" --score \
    --strategy random,exhaustive --repeats 5 --quiet
grep -q '^score  *tran  *tran  *packed  *mean' "$work/out" || fail "no titles"
grep -q '^  *A100  *H100  *all' "$work/out" || fail "no names"
grep -q '^budget  *1  *1  *[0-9]* *$' "$work/out" || fail "no budgets"
[ "$(grep -c '^random\|^exhaustive' "$work/out")" -eq 2 ] || fail "two rows"
run 0 simulate "$rec/small_t4.json" --strategy all --format csv
out_has ",latin,"
# A name is not cut within a letter.
cp "$rec/small_t4.json" "$work/$(printf 'abc\303\251fghij_k.json')"
run 0 simulate "$work"/abc*.json --budget 8 --format json
json files.0.space=abc
# One strategy keeps its figures at the top.
run 0 simulate "$rec/small_t4.json" --score --strategy random --format json
json strategy=random mean median worst worst_above_100=null

# A budget that a strategy is told does not change its score.
run 0 simulate "$work/packed" --score --repeats 4 --budget 2 --format json
json files.0.evaluations=2.0 mean
grep -o '"mean": .*' "$work/out" >"$work/first"
run 0 simulate "$work/packed" --score --repeats 4 --format json
grep -o '"mean": .*' "$work/out" | cmp -s - "$work/first" ||
    fail "--budget changes the score"

run 2 simulate
run 2 simulate "$rec/small_t4.json" --strategy magic
err_has "there is no search strategy 'magic'; there are: "
run 2 simulate "$rec/small_t4.json" --strategy random,,latin
run 2 tune --device "replay:$rec/small_t4.json" --strategy random,latin
err_has "no search strategy 'random,latin'"
# A batch: as many trials, and answers that come too late to be of use.
run 0 simulate "$rec/small_t4.json" --batch 8 --budget 5 --format json
json batch=8 files.0.evaluations=5.0
run 2 simulate "$rec/small_t4.json" --batch 1025
err_has "a batch has at most 1024"
run 2 simulate "$rec/small_t4.json" --budget never
run 2 simulate "$rec/small_t4.json" --repeats 0

# ---- tune -----------------------------------------------------------------

tune_json() { # tune_json DB SEED: whole run, JSON without what time it took
    run 0 tune --device "replay:$rec/small_t4.json" --db "$1" --seed "$2" \
        --format json
    grep -v '"seconds"\|"db"' "$work/out" | sed 's/"seconds":[^,}]*//g
        s/"db":"[^"]*"//g' >"$work/tuned"
}
tune_json "$work/a.db" 5
json schema_version=1 interrupted=false shapes.0.op=small_t4 \
    shapes.0.winner=block=64,layout=row shapes.0.time_ns=1000000.0 \
    shapes.0.trials=8 shapes.0.valid=8 shapes.0.raw=8 shapes.0.compiled=6 \
    shapes.0.outcomes.ok=3 shapes.0.outcomes.compile=1 \
    shapes.0.outcomes.launch=1 shapes.0.outcomes.timeout=1 \
    shapes.0.outcomes.wrong=1 shapes.0.outcomes.constraint=1 \
    shapes.0.arch=replay "shapes.0.device=replay of small_t4.json" \
    shapes.0.mode=hot shapes.0.ranking.1.config=block=32,layout=col \
    shapes.0.ranking.2.time_ns=4250000.0 shapes.0.simulated_s \
    shapes.0.recording_format=T4
cp "$work/tuned" "$work/first"
tune_json "$work/b.db" 5
cmp -s "$work/first" "$work/tuned" || fail "the same seed, another result"

# What is stored: every trial, under a device that is no GPU and no CPU.
run 0 show trials --db "$work/a.db" --format json
json trials.0.config=block=64,layout=row trials.0.time_ns=1000000.0 \
    trials.0.strategy=auto trials.0.seed=5 trials.7.outcome \
    "trials.0.device_name=replay of small_t4.json"
run 0 show devices --db "$work/a.db" --format json
json devices.0.kind=replay devices.0.arch=replay
grep -q '"device_id": *2' "$work/out" && fail "one recording is one device"
run 0 show winners --db "$work/a.db" --format json
json winners.0.config=block=64,layout=row winners.0.time_ns=1000000.0
run 0 show sessions --db "$work/a.db" --format json
json sessions.0.status=done sessions.0.n_trials=8

# Winner orders are the same in both databases, and after a second run.
order() {
    run 0 show trials --db "$1" --format csv --limit 3
    cut -d, -f7- "$work/out" | sed 's/,[^,]*$//'
}
order "$work/a.db" >"$work/order_a"
order "$work/b.db" >"$work/order_b"
cmp -s "$work/order_a" "$work/order_b" || fail "another order"

# A budget, another recording into the same database, names that select.
run 0 tune --device "replay:$work/packed" axpy --budget 2 \
    --strategy exhaustive --db "$work/a.db" --format json
json shapes.0.op=axpy shapes.0.trials=2 shapes.0.dims.0=1024 \
    shapes.0.winner=BLOCK=32,FAST=true "shapes.0.device=replay of Test GPU"
run 0 show devices --db "$work/a.db" --format json
json devices.1.kind=replay
run 3 tune --device "replay:$work/packed" gemm --db "$work/a.db"
err_has "has no recording of that operation; it has: axpy"
run 2 tune --device "replay:$work/packed" axpy --dims 5 --db "$work/a.db"
err_has "--dims and --shapes have no meaning"
run 2 tune --device replay: --db "$work/a.db"
err_has "replay:FILE"

# Replays are no recordings of anything.
run 3 simulate "$work/a.db"
err_has "there is no trial in this database"

# ---- our own databases ----------------------------------------------------

# Three problems, one of which nobody solved.
"$(dirname "$HONE")/../tests/make_db" "$work/known.db"
run 1 simulate "$work/known.db" --budget 10 --format json --quiet
json files.0.op=gemm files.0.recording_format=hone \
    files.0.optimum_ns=1500.0 files.0.valid=2 files.2.op=saxpy
run 0 tune --device "replay:$work/known.db" gemm --db "$work/known.db" \
    --format json
json shapes.0.winner=BLOCK=256 shapes.0.time_ns=1500.0 shapes.0.mode=cold
run 3 tune --device "replay:$work/known.db" gemm --mode hot \
    --db "$work/known.db"
err_has "of that operation and mode"
# The real device keeps its rows.
run 0 show winners --db "$work/known.db" --op gemm --format json
json "winners.0.device_name=Test GPU" \
    "winners.1.device_name=replay of Test GPU"
