#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone import of other tuners' files: what becomes of them, again, exact round
# trips; every prefix of every format and what is not right: a sentence with the
# place, and nothing stored.
#
# HONE_TEST_EVERY, of sanitized programs by day (tools/check): every so many of the places
# where files end and calls fail, and a smaller file to interrupt.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
rec=$here/../replay/recordings
cd "$work"
every=${HONE_TEST_EVERY:-1} n_bad=0
ask() { "$tests/db_ask" "$@"; }
is() { # is DB SQL ANSWER
    [ "$(ask "$1" "$2")" = "$3" ] || fail "$2 is $(ask "$1" "$2")"
}

# ---- Kernel Tuner and T4 --------------------------------------------------------
recorded() { # recorded FILE FORMAT OP
    rm -f one.db* two.db*
    run 0 import "$1" --db one.db
    run 0 import "$1" --db one.db --format json
    json sessions=0 trials=0 winners=0
    run 0 export "$3" --format "$2" --db one.db -o one.json -q
    run 0 import one.json --db two.db
    run 0 export "$3" --format "$2" --db two.db -o two.json -q
    cmp -s one.json two.json || fail "$1: another file"
    # Its version is the hash of what it says; a T4 file says no device.
    version=
    [ "$2" = t4 ] || version="driver_version,"
    what="select config, outcome, time_ns, samples_ns, started_at, device_name,
        $version compile_time_ns, device_time_ns from trial_v1 order by 1"
    is two.db "$what" "$(ask one.db "$what")"
    what="select config, name, unit, value from counter_v1 order by 1, 2"
    is two.db "$what" "$(ask one.db "$what")"
    is one.db "select group_concat(distinct device_kind) from trial_v1" replay
}
# Trials of hone, whose times are doubles of nanoseconds: the same again.
"$tests/make_db" known.db
run 0 sql --write "UPDATE trial SET time_ns = 1.1 + trial_id / 3.0 WHERE outcome = 'ok'" --db known.db
for format in kernel-tuner t4; do
    rm -f back.db*
    run 0 export gemm --format $format --db known.db -o gemm.json -q
    run 0 import gemm.json --db back.db
    what="select config, outcome, time_ns from trial_v1 where op = 'gemm'
        and outcome = 'ok' order by 1"
    is back.db "$what" "$(ask known.db "$what")"
    recorded "$PWD/gemm.json" $format gemm
done
recorded "$rec/small_cache.json" kernel-tuner axpy
is one.db "select device_name from winner_v1" "replay of Test GPU"
is one.db "select dims from winner_v1" "1024,8"
# As the replay of the file has it.
run 0 tune --device "replay:$rec/small_cache.json" --db replay.db -q
is one.db "select config || time_ns || device_name || driver_version from winner_v1" \
    "$(ask replay.db "select config || time_ns || device_name || driver_version from winner_v1")"
recorded "$rec/small_t4.json" t4 small_t4
run 0 import "$rec/cut_cache.json" --db cut.db
err_has "ends early: an interrupted run"
run 0 import "$rec/all_failed_t4.json" --db failed.db
out_has "winners: 0"
run 3 run axpy --dims 1024,8 --device cpu --db one.db
# Two recordings of one kernel are of two devices: neither is stale, nor makes
# what is tuned here stale, and gc keeps both.
sed 's/Test GPU/Other GPU/' "$rec/small_cache.json" >other_cache.json
run 0 import "$rec/small_cache.json" --db gpus.db
run 0 import other_cache.json --db gpus.db
run 0 import other_cache.json --db later.db
# As a version wrote it that gave such a template a time.
run 0 sql --write "UPDATE template SET last_put_unix_ns = 9000000000000000000" --db later.db
run 0 merge later.db --db gpus.db
run 0 show winners --db gpus.db
out_has "replay of Other GPU"
! grep -q stale out || fail "a recording is stale: $(cat out)"
run 0 show stale --db gpus.db
! grep -q edited out || fail "a recording was edited: $(cat out)"
run 0 gc --db gpus.db --format json
json templates=0 trials=0 places=0
is gpus.db "select group_concat(device_name) from (select device_name from winner_v1
    order by 1)" "replay of Other GPU,replay of Test GPU"
"$tests/make_db" tuned.db
run 0 sql --write "UPDATE template SET op = 'axpy', name = 'axpy' WHERE op = 'saxpy'" --db tuned.db
run 0 merge gpus.db --db tuned.db
run 0 gc --db tuned.db --format json
json templates=0 trials=0 places=0
# Numbers that need all their digits, a counter, newer failures.
cat >odd.json <<'END'
{"device_name": "G", "kernel_name": "k", "problem_size": 7, "tune_params_keys": ["A", "B"],
"tune_params": {"A": [1, 2, 3], "B": ["x", 0.5, true]}, "objective": "time", "cache": {
"1,x": {"A": 1, "B": "x", "time": 61.045247999999994, "times": [0.1, 61.014751999999994, 1e-05],
"compile_time": 87.82599400728941, "verification_time": 291.749270982109, "benchmark_time": 2.5,
"GFLOP/s": 2526.3194127960937, "timestamp": "2023-02-13 20:25:58.916914+01:00"},
"2,0.5": {"A": 2, "B": 0.5, "time": 0.30000000000000004, "timestamp": "2023-02-13 19:26:58.000001+00:00"},
"3,True": {"A": 3, "B": true, "__error__": "CompilationFailedConfig"}}}
END
recorded "$PWD/odd.json" kernel-tuner k
for number in 61.045247999999994 "0.1," 61.014751999999994 0.00001 87.82599400728941 \
    291.749270982109 2526.3194127960937 0.3000000000000000 \
    "2023-02-13 19:25:58.916914+00:00" '"3,True"' '"CompilationFailedConfig"'; do
    grep -qF -e "$number" one.json || fail "no $number: $(cat one.json)"
done
is one.db "select outcome from trial_v1 where config = 'A=3,B=true'" compile

# Values keep their spelling, of which the keys are made that Kernel Tuner looks
# for; the same number by another spelling is the same value.
cat >spelled.json <<'END'
{"device_name": "G", "kernel_name": "k", "problem_size": 7, "tune_params_keys": ["F", "N"],
"tune_params": {"F": [0.1, 1.0, 1e-05, 2.5], "N": [1, 16]}, "objective": "time", "cache": {
"0.1,1": {"F": 0.1, "N": 1, "time": 1.5}, "1.0,16": {"F": 1.0, "N": 16, "time": 2.5},
"1e-05,16": {"F": 0.00001, "N": 16.0, "time": 3.5}}}
END
recorded "$PWD/spelled.json" kernel-tuner k
for key in '"F": [1e-05, 0.1, 1.0]' '"N": [1, 16]' '"0.1,1": {"F": 0.1, "N": 1,' '"1.0,16": {"F": 1.0,' '"1e-05,16": {'; do
    grep -qF -e "$key" one.json || fail "no $key: $(cat one.json)"
done
is one.db "select group_concat(config, ' ') from (select config from trial_v1 order by 1)" \
    "F=0.1,N=1 F=1.0,N=16 F=1e-05,N=16"

# ---- Triton, TunableOp, inductor ----------------------------------------------------
run 0 import "$fixtures/exchange/add_kernel.autotune.json" --db triton.db
is triton.db "select op || ' ' || dims || ' ' || config || ' ' || time_ns from winner_v1" \
    "add_kernel 98432 BLOCK_SIZE=1024,FAST=false,num_warps=8,num_ctas=1,num_stages=3 4095.99994271994"
is triton.db "select group_concat(outcome) from trial_v1" ok,ok,launch
is triton.db "select label from trial_v1 limit 1" "98432 torch.float32 torch.float32 True"
run 0 import "$fixtures/exchange/tunableop_results0.csv" --db torch.db
out_has "left_out: 1"
is torch.db "select time_ns || dims from winner_v1 where config = 'solution=Gemm_Hipblaslt_1219'" \
    "1262000.025088,4096,64"
is torch.db "select count(*) from winner_v1 where device_name glob
    'replay of TunableOp with PT_VERSION 2.6.0*gfx942*'" 3
# What the key of a problem says in words is kept: these are five of them, one
# tuned twice.
cat >words.csv <<'END'
Validator,PT_VERSION,2.9.0
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN,tn_64_32_16_ld_16_16_64_rw_1_bias_None,Default,0.5
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN,tn_64_32_16_ld_16_16_64_rw_1_bias_BFloat16,Default,0.75
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN,tn_64_32_16_ld_16_16_64_rw_1_bias_BFloat16,Gemm_Hipblaslt_7,0.7
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN,tn_64_32_16_ld_16_16_64_rw_0_bias_BFloat16,Default,0.8
GemmStridedBatchedTunableOp_float_NT,nt_64_32_16_B_4_ld_64_32_64,Default,0.25
GemmStridedBatchedTunableOp_float_NT,nt_64_32_16_new_4_ld_64_32_64,Default,0.25
END
run 0 import words.csv --db words.db
is words.db "select group_concat(op || ' ' || dims || ' ' || time_ns, ';') from
    (select op, dims, time_ns from winner_v1 order by 1, 2)" \
    "GemmStridedBatchedTunableOp_float_NT 64,32,16,4,64,32,64 250000.0;\
GemmStridedBatchedTunableOp_float_NT_new 64,32,16,4,64,32,64 250000.0;\
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN_bias_BFloat16 64,32,16,16,16,64,0 800000.0;\
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN_bias_BFloat16 64,32,16,16,16,64,1 700000.0;\
ScaledGemmTunableOp_Float8_e4m3fn_BFloat16_TN_bias_None 64,32,16,16,16,64,1 500000.0"
run 3 import "$fixtures/exchange/ckz.best_config" --db none.db
err_has "without a time of the kernel"
for file in "$fixtures"/exchange/*.json "$fixtures"/exchange/*.csv; do
    run 0 import "$file" --db twice.db
    run 0 import "$file" --db twice.db --format json
    json trials=0 sessions=0 winners=0
done

# ---- what is not right ----------------------------------------------------------------
rm known.db*
"$tests/make_db" known.db
run 0 export saxpy --db known.db -o good.csv -q
run 0 export saxpy --db known.db -o good.jsonl -q
: >empty
bad() { # bad FILE WORDS..: neither a new database nor one that is there changes
    file=$1
    cp known.db there.db
    run 3 import "$file" --db there.db
    err_lines 1
    out_empty
    for word in "$@"; do
        err_has "$word"
    done
    n_bad=$((n_bad + 1))
    if [ $((n_bad % every)) -eq 0 ]; then
        run 3 import "$file" --db none.db
        [ ! -e none.db ] || fail "a database of nothing"
    fi
    is there.db "select count(*) from trial" 7
}
line() { # line N SED FILE: good.jsonl or good.csv with its line N changed
    sed "$1$2" "$3" >"bad.${3##*.}"
    cmp -s "bad.${3##*.}" "$3" && fail "$2 changes nothing"
    bad_file=bad.${3##*.}
}
edit() { # edit N SED WORDS..
    line "$1" "$2" good.jsonl
    shift 2
    bad "$bad_file" "$@"
}
edit 2 's/"outcome":"ok"/"outcome":"good"/' "bad.jsonl:2: 'outcome' cannot be 'good': it has to be one of ok|constraint"
edit 2 's/"time_ns":[0-9.]*/"time_ns":NaN/' "bad.jsonl:2: 'time_ns' cannot be"
edit 2 's/"time_ns":[0-9.]*/"time_ns":-1/' "has to be a number above 0"
edit 2 's/"time_ns":[0-9.]*,//' "'time_ns' is missing, and the outcome is ok"
edit 2 's/"time_ns":[0-9.]*/"time_ns":1e999/' "bad.jsonl:2: 'time_ns' cannot be"
edit 2 's/"sm_count":[0-9]*/"sm_count":99999999999999999999/' "has to be a whole number above 0"
edit 2 's/"sm_count":[0-9]*/"sm_count":1.5/' "'sm_count' cannot be '1.5'"
edit 2 's/"sm_count":[0-9]*/"sm_count":"1"/' "'sm_count' has to be a number"
for dims in ',,' '1,,2' '1,' ',1' 99999999999999999999 '1,99999999999999999999'; do
    edit 2 's/"dims":"[0-9,]*"/"dims":"'"$dims"'"/' "'dims' cannot be '$dims': it has to be whole numbers with commas"
done
edit 2 's/"op":"saxpy"/"op":7/' "'op' has to be a text"
edit 2 's/"op":"saxpy"/"op":null/' "'op' is missing"
edit 2 's/"mode":/"mood":/' "there is no member 'mood'"
edit 2 's/"mode":"cold"/"mode":"cold","mode":"hot"/' "'mode' is there twice"
edit 2 's/trials.1/trials\/2/' "'format' is not hone-trials/1"
edit 2 's/}$//' "bad.jsonl:2: column"
edit 2 's/"seed":1/"seed":2/' "says other things of its session"
edit 2 's/"registers":32/"registers":33/;3s/BLOCK=256/BLOCK=128/;3s/"started_unix_ns":1/"started_unix_ns":2/' \
    "says other things of its variant"
sed 2p good.jsonl >bad.jsonl
bad bad.jsonl "bad.jsonl:3: this trial is in the file twice"
line 3 's/,[^,]*$//' good.csv
bad bad.csv "bad.csv:3: this row has"
line 1 's/,dims,/,dimensions,/' good.csv
bad bad.csv "bad.csv:1: there is no column 'dimensions'"
line 1 's/,label,/,dims,/' good.csv
bad bad.csv "bad.csv:1: column 'dims' is there twice"
line 2 's/,cold,/,"cold"x,/' good.csv
bad bad.csv "bad.csv:2: there is more behind the quote"
line 2 's/,cold,/,co"ld,/' good.csv
bad bad.csv "bad.csv:2: a quote inside a field"
line 2 's/,wrong,/,,/' good.csv
bad bad.csv "bad.csv:2: 'outcome' is missing"
head -1 good.csv >bad.csv
bad bad.csv "there is no trial in it"
bad known.db "is a database; hone merge takes those"
bad empty "has none of the formats that are read: JSON Lines, CSV, Kernel Tuner cache"
bad missing.csv "cannot open 'missing.csv'"
echo '{"winner": 1}' >bad.json
bad bad.json "has none of the formats"
sed 's/"time": 8.0/"time": -8.0/' "$rec/small_cache.json" >bad.json
bad bad.json "the time must be positive"
# What says how all the rest is meant comes first.
cat >bad.json <<'END'
{"schema_version": "1.0.0", "results": [{"configuration": {"A": 1}, "invalidity": "correct",
"measurements": [{"name": "time", "value": 5.0, "unit": "ms"}]}], "metadata": {"timeunit": "microseconds"}}
END
bad bad.json '"metadata" must stand before "results"'
sed 's/, "unit": "ms"//' bad.json >late.json
run 0 import late.json --db late_unit.db
is late_unit.db "select time_ns from trial_v1" 5000.0
sed 's/microseconds/ms/' bad.json >late.json
rm late_unit.db*
run 0 import late.json --db late_unit.db
is late_unit.db "select time_ns from trial_v1" 5000000.0
echo '{"configs_timings": [[{"kwargs": {"B": 1}, "num_warps": 4}, [1.5, 1.4, 1.6]]], "key": [98432]}' >bad.json
bad bad.json '"key" must stand before "configs_timings"'
sed 's/"BLOCK_SIZE": 128/"BLOCK_SIZE": "1,2"/' "$fixtures/exchange/add_kernel.autotune.json" >bad.json
bad bad.json "cannot be kept (a comma"
for text in 'a\\"b' 'a\\\\b'; do # which views take apart as JSON
    sed "s/\"BLOCK_SIZE\": 128/\"BLOCK_SIZE\": \"$text\"/" "$fixtures/exchange/add_kernel.autotune.json" >bad.json
    bad bad.json "cannot be kept"
    edit 2 "s/BLOCK=[0-9]*/BLOCK=$text/" "bad.jsonl:2: 'config' cannot be"
done
# Of an earlier import, they are parameters like others.
cp known.db quoted.db
run 0 sql --write 'update variant set config = config || '"',S=a\"b,T=c\\d'" --db quoted.db
run 0 show parameters --db quoted.db --format csv
out_has 'S,"a""b"'
out_has 'T,c\d'
sed 's/0.033/fast/' "$fixtures/exchange/tunableop_results0.csv" >bad.csv
bad bad.csv "bad.csv:7: the fourth column has to be a time"
# The format is told by the content, whatever the name says.
cp good.csv really.jsonl
run 0 import really.jsonl --db new.db
out_has "kind: CSV"
run 2 import good.csv --db new.db -o lines.txt
err_has "--output is for what a T1 file becomes"
run 2 import

# A database that appears while the rows are read is another's: a failure leaves
# it as it is, and a success comes on top of it.
n_many=$((20000 / every))
many() { # many FILE: so many trials that their import can be stopped on its way
    head -1 "$1" | awk '{ for (i = 1; i <= '$n_many'; ++i) {
        line = $0; sub(/"started_unix_ns":[0-9]*/, "\"started_unix_ns\":" i, line); print line } }'
}
# shellcheck disable=SC2317 # wait_until calls it
has_begun() { [ -n "$(find . -maxdepth 1 -name 'late.db*')" ]; }
meanwhile() { # meanwhile CODE FILE: good.csv comes while FILE is on its way
    rm -f late.db*
    code=0
    "$HONE" import "$2" --db late.db >"$work/out" 2>"$work/err" </dev/null &
    importer=$!
    wait_until "the import has begun" has_begun
    kill -STOP "$importer" || true
    "$HONE" import good.csv --db late.db >/dev/null || fail "the other import"
    kill -CONT "$importer" || true
    wait "$importer" || code=$?
    [ "$code" -eq "$1" ] || fail "a late import of $2: $code"
    run 0 check --db late.db
}
run 0 export gemm --db known.db -o gemm.jsonl -q
many gemm.jsonl >many.jsonl
meanwhile 0 many.jsonl
is late.db "select count(*) from trial_v1 where op = 'saxpy'" 4
is late.db "select count(*) from trial_v1" $((n_many + 4))
[ -z "$(find . -name '*.import-*')" ] || fail "left beside: $(ls late.db*)"
echo '{' >>many.jsonl
meanwhile 3 many.jsonl
is late.db "select count(*) from trial_v1" 4
[ -z "$(find . -name '*.import-*')" ] || fail "left beside: $(ls late.db*)"
run 0 import good.csv --db new/folder/fresh.db
[ "$(ls new/folder)" = fresh.db ] || fail "left beside: $(ls new/folder)"
run 3 import bad.csv --db new/folder/none.db
[ "$(ls new/folder)" = fresh.db ] || fail "left beside: $(ls new/folder)"

# A disk that is full from some moment on, or fails: the file that is not whole
# gets no name, also where what fails is the last step, out of SQLite's log.
shim=$tests/libfailing_calls.so
import_failing() { # import_failing CALL AT: from the AT-th CALL on all fail; sets code
    rm -f full.db*
    head -c 4096 /dev/zero >count
    code=0
    env FAIL_COUNT="$work/count" FAIL_NAME="$1" FAIL_AT="$2" FAIL_FOR=1000000 LD_PRELOAD="$shim" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0:detect_leaks=0" \
        "$HONE" import good.jsonl --db full.db >out 2>err </dev/null || code=$?
    command="hone import with failures of $1 from the $2-th on"
}
n_failed=0
for call in pwrite64 pwrite write fsync fdatasync; do
    import_failing $call 0
    [ "$code" -eq 0 ] || fail "nothing was to fail"
    total=$(od -An -td8 -N8 count | tr -d ' ')
    at=1
    while [ "$at" -le "$total" ]; do
        import_failing $call "$at"
        case $code in
        0) is full.db "select count(*) from trial" 4 ;;
        3 | 4)
            n_failed=$((n_failed + 1))
            err_lines 1
            err_has "full.db'"
            [ -z "$(find . -name 'full.db*')" ] || fail "left: $(ls full.db*)"
            ;;
        *) fail "exit $code" ;;
        esac
        # All of the last ones, in which the file is completed.
        at=$((at + (total - at > 6 / every ? total / 4 + 1 : 1)))
    done
done
[ "$n_failed" -ge $((every > 1 ? 5 : 10)) ] || fail "only $n_failed failures"

# Every prefix of every format: what is cut off is refused or, between two rows,
# a smaller file; nothing of a refused one is stored.
run 0 space "$fixtures/mini.cu" --count
run 0 export "$fixtures/mini.cu" --format t1 -o t1.json -q
for file in good.csv good.jsonl odd.json "$rec/small_t4.json" t1.json \
    "$fixtures/exchange/add_kernel.autotune.json" "$fixtures/exchange/tunableop_results0.csv"; do
    size=$(wc -c <"$file")
    step=$((size * every / 23 + 1))
    at=0
    while [ "$at" -lt "$size" ]; do
        head -c "$at" "$file" >./cut
        rm -f cut.db*
        code=0
        "$HONE" import cut --db cut.db >out 2>err </dev/null || code=$?
        case $code in
        0) ;;
        3)
            [ -s err ] || fail "$file cut at $at: no sentence"
            [ ! -e cut.db ] || fail "$file cut at $at: a database"
            ;;
        *) fail "$file cut at $at: exit $code" ;;
        esac
        at=$((at + step))
    done
done
