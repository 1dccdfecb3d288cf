#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone export and import of trials: the same rows and the same bytes again, in
# any database, all or nothing; search spaces as T1 and back.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
cd "$work"
ask() { "$tests/db_ask" "$@"; }
rows() { # rows DB: all but numbers of rows, artifacts and sessions without a trial
    for view in trial_v1 session_v1 counter_v1; do
        trials=
        [ "$view" = session_v1 ] && trials="where n_trials > 0"
        columns=$(ask "$1" "select group_concat(name)
            from (select name from pragma_table_info('$view')
                where name not glob '*_id' and name not in
                    ('cubin_sha256', 'log_sha256', 'n_trials'))")
        ask "$1" "select $columns from $view $trials order by
            $(echo "$columns" | tr ',' '\n' | grep -n . | cut -d: -f1 |
            tr '\n' ',' | sed 's/,$//')"
    done
}
same_rows() {
    rows "$1" >one.txt
    rows "$2" >two.txt
    diff one.txt two.txt >diff.txt || {
        head -20 diff.txt
        fail "$1 and $2 have other rows"
    }
}

# Trials of all kinds: texts with quotes, commas, line feeds, what is not ASCII
# and bytes that are no text at all; times that need 17 digits; infinity; what is not known; a counter.
"$tests/make_db" known.db
run 0 sql --write "UPDATE trial SET message = 'a, \"b\"' || char(10) || 'ü' ||
    CAST(x'ff80e2' AS TEXT), error_ratio
    = 9e999 WHERE trial_id = 1" --db known.db
run 0 sql --write "UPDATE trial SET time_ns = 0.1 + 0.2, samples_ns = '[1.5,null,2e+06]',
    n_samples = 3, launches_per_sample = 7, spread_ns = 1e-7 WHERE trial_id = 2" --db known.db
run 0 sql --write "UPDATE trial SET message = '', time_ns = 123456789.12345679,
    sm_clock_mhz = 1980, power_mw = 700000, temperature_c = -3, throttle_reasons = 4
    WHERE trial_id = 3" --db known.db
run 0 sql --write "INSERT INTO counter VALUES (3, 'k<1, 2>', 'dram', '%', 0.1)" --db known.db
run 0 sql --write "UPDATE session SET seed = -1 WHERE session_id = 1" --db known.db
for format in jsonl csv; do
    run 0 export saxpy --db known.db -o "a.$format"
    out_empty
    err_has "a.$format: 4 trials"
    run 0 export gemm --db known.db -o "g.$format" -q
    err_empty
    rm -f new.db*
    run 0 import "a.$format" --db new.db --format json
    json rows=4 sessions=2 trials=4 winners=0 left_out=0
    run 0 import "g.$format" --db new.db
    same_rows known.db new.db
    # Again nothing comes, and what goes out is the same file.
    run 0 import "a.$format" --db new.db --format json
    json rows=4 sessions=0 trials=0
    same_rows known.db new.db
    run 0 export saxpy --db new.db -o "b.$format"
    cmp -s "a.$format" "b.$format" || fail "$format: another file"
    # The same into the database it is of, which keeps its winners and texts.
    cp known.db full.db
    run 0 import "a.$format" --db full.db --format json
    json sessions=0 trials=0
    [ "$(ask full.db "select count(*) from winner_v1")" -eq 2 ] || fail "winners"
    [ "$(ask full.db "select count(*) from artifact where size_bytes = 0")" -eq 0 ] ||
        fail "an empty text"
    run 0 check --db new.db
    # Compressed, from standard output.
    run 0 export saxpy --db known.db --format "$format"
    cmp -s "$work/out" "a.$format" || fail "standard output"
    gzip -c "a.$format" >"z.$format.gz"
    rm -f zip.db*
    run 0 import "z.$format.gz" --db zip.db
    out_has "trials: 4"
    head -c 300 "z.$format.gz" >"cut.gz"
    run 3 import cut.gz --db zip.db
done
grep -q 'ü.udcff.udc80.udce2"' a.jsonl || fail "bytes"
# As another program may write it: blanks, and the members in another order.
sed 's/^{"format":"\([^"]*\)",\(.*\)}$/{ "op": "saxpy", "format": "\1", \2 }/
    s/, "op":"saxpy"//; s/,"op":"saxpy"//' a.jsonl >blank.jsonl
rm -f new.db*
run 0 import blank.jsonl --db new.db
out_has "trials: 4"
# A part, then all of it: what is new comes.
run 0 export saxpy --db known.db --where outcome=ok -o part.csv -q
rm -f new.db*
run 0 import part.csv --db new.db
out_has "trials: 2"
run 0 import a.jsonl --db new.db
out_has "trials: 2"
run 0 import g.csv --db new.db
same_rows known.db new.db
# A merge gives the text that an import does not have.
[ "$(ask new.db "select count(*) from template where source_sha256 like 'e3b0c442%'")" -eq 2 ] ||
    fail "texts"
run 0 merge known.db --db new.db
[ "$(ask new.db "select count(*) from template where source_sha256 like 'e3b0c442%'")" -eq 0 ] ||
    fail "texts are missing"

# ---- nothing of it is launched, and a tune goes on from it -----------------------
run 0 tune saxpy/stream --dims 777 --device cpu --budget 5 --db tuned.db -q
run 0 export saxpy --db tuned.db -o tuned.jsonl -q
run 0 import tuned.jsonl --db other.db
same_rows tuned.db other.db
run 3 run saxpy --dims 777 --device cpu --db other.db
err_has "hone tune saxpy"
run 0 tune saxpy/stream --dims 777 --device cpu --budget 5 --db other.db -q
run 0 run saxpy --dims 777 --device cpu --db other.db --format json
json correct=true match=exact
# An imported text of a template is never the latest where there is another.
sed 's/"template_sha256":"[0-9a-f]*"/"template_sha256":"'"$(printf %064d 7)"'"/g
    s/"\([a-z_]*template_put_unix_ns\)":[0-9]*/"\1":9000000000000000000/g
    s/"session_template_sha256":"[0-9a-f]*"/"session_template_sha256":"'"$(printf %064d 7)"'"/' \
    tuned.jsonl >newer.jsonl
run 0 import newer.jsonl --db tuned.db
out_has "trials: 5"
run 0 run saxpy --dims 777 --device cpu --db tuned.db --format json
json correct=true match=exact

# ---- what cannot be done ------------------------------------------------------------
run 2 export
run 2 export saxpy --db known.db -o x.json
err_has "say with --format"
run 3 export nothing --db known.db
err_has "has no trial of nothing"
out_empty
run 3 export saxpy/other --db known.db
run 3 export saxpy --db missing.db -o none.csv
[ ! -e none.csv ] || fail "a file of nothing"
run 3 export saxpy --db known.db -o no/such/folder.csv
err_has "cannot write 'no/such/folder.csv'"
"$tests/make_version" old.db 8 "$here/../db/version_1.sql"
run 3 export saxpy --db old.db
err_has "hone merge old.db"
long=$(printf '%0250d' 0)
run 3 export saxpy --db known.db --format csv -o "$long"
err_has "File name too long"
run 0 export saxpy --db known.db -o kept.csv -q
before=$(cksum <kept.csv)
run 3 export nothing --db known.db -o kept.csv
[ "$before" = "$(cksum <kept.csv)" ] || fail "the file that was there is gone"
[ -z "$(find . -name '*.??????' -newer part.csv -name 'kept*')" ] || fail "a temporary file is left"
# Interrupted at any moment: a whole file, or none. Where a file can be without a name.
"$tests/make_large" large.db 10000
run 0 export op_0 --db large.db -o whole.jsonl -q
whole=$(wc -l <whole.jsonl)
mkdir cut
for seconds in 0.005 0.01 0.015 0.02 0.03; do
    env --default-signal=INT "$HONE" export op_0 --db large.db -o cut/all.jsonl -q &
    pid=$!
    sleep "$seconds"
    kill -INT "$pid" 2>/dev/null || true
    wait "$pid" || true
    [ ! -e cut/all.jsonl ] || [ "$(wc -l <cut/all.jsonl)" -eq "$whole" ] || fail "a part of a file"
    rm -f cut/all.jsonl
done
if python3 -c "import os; os.open('cut', os.O_TMPFILE | os.O_WRONLY)" 2>/dev/null; then
    [ -z "$(ls cut)" ] || fail "a file that nobody asked for: $(ls cut)"
fi
if [ -c /dev/full ]; then
    code=0
    "$HONE" export saxpy --db known.db >/dev/full 2>err || code=$?
    [ "$code" -eq 4 ] || fail "a full disk: $code"
fi
# ---- where it goes ------------------------------------------------------------------
mode() { stat -c %a "$1"; }
same_as_kept() { cmp -s "$1" kept.csv || fail "$1 has something else"; }
(umask 027 && run 0 export saxpy --db known.db -o new.csv -q) || exit 1
[ "$(mode new.csv)" = 640 ] || fail "a new file has the mode $(mode new.csv)"
chmod 604 new.csv
echo >>new.csv
run 0 export saxpy --db known.db -o new.csv -q
[ "$(mode new.csv)" = 604 ] || fail "its mode is another: $(mode new.csv)"
same_as_kept new.csv
# A link leads to what is written, there or not, and stays.
mkdir folder
ln -s ../folder/target.csv folder/link.csv
ln -s folder/link.csv link.csv
for written in new old; do
    run 0 export saxpy --db known.db -o link.csv -q
    if [ ! -L link.csv ] || [ ! -L folder/link.csv ] || [ -L folder/target.csv ]; then
        fail "a link was replaced ($written)"
    fi
    same_as_kept folder/target.csv
    echo other >folder/target.csv
done
run 3 export nothing --db known.db -o link.csv
[ "$(cat folder/target.csv)" = other ] || fail "a failure changed it"
ln -s round.csv round.csv
run 3 export saxpy --db known.db -o round.csv
err_has "cannot write 'round.csv': Too many levels"
run 3 export saxpy --db known.db -o folder --format csv
err_has "cannot write 'folder': Is a directory"
printf '\067\177\006\202log' >log.db-wal
printf '\331\325\005\371\040\241\143\327undo' >undo.db-journal
: >known.db-shm
for name in log.db-wal undo.db-journal known.db-shm; do
    run 2 export saxpy --db known.db -o $name --format csv
    err_has "'$name' is a database"
done
rm known.db-shm
ln -s known.db to_known
run 2 export saxpy --db known.db -o to_known --format csv
err_has "'to_known' is a database"
# What is no file gets it as it comes, and is still there.
mkfifo pipe
timeout 60 cat pipe >piped.csv &
run 0 export saxpy --db known.db -o pipe --format csv -q
wait
[ -p pipe ] || fail "the pipe was replaced"
same_as_kept piped.csv
for device in /dev/stdout /dev/fd/1; do
    run 0 export saxpy --db known.db -o $device --format csv -q
    same_as_kept out
    echo before >behind
    "$HONE" export saxpy --db known.db -o $device --format csv -q >>behind || fail "$device"
    [ "$(head -n 1 behind)" = before ] || fail "$device: what was there is gone"
    "$HONE" export saxpy --db known.db -o $device --format csv -q | cmp -s - kept.csv ||
        fail "$device as a pipe"
done
# It has one place with others who write there: hone's own note, and programs behind it.
for device in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    "$HONE" export saxpy --db known.db -o $device --format csv >both 2>&1 || fail "$device: both"
    { head -n "$(wc -l <kept.csv)" both | cmp -s - kept.csv && tail -n 1 both | grep -q '^hone: '; } ||
        fail "$device: the note lies in the rows: $(cat both)"
    {
        echo before
        "$HONE" export saxpy --db known.db -o $device --format csv -q
        echo behind
    } >three
    { echo before && cat kept.csv && echo behind; } | cmp -s - three || fail "$device: written over"
done
run 3 export saxpy --db known.db -o '' --format csv
err_has "cannot write ''"
if mknod null c 1 3 2>mknod.txt && : 2>mknod.txt >null; then
    for words in "export saxpy --format csv" "export saxpy/stream --format t1" \
        "import space.json" report; do
        [ -e space.json ] || run 0 export saxpy/stream --format t1 -o space.json -q
        # shellcheck disable=SC2086 # words of a command
        HONE_DB=known.db run 0 $words -o null
        [ -c null ] || fail "hone $words replaced a device"
    done
fi
if [ -c /dev/full ]; then
    run 4 export saxpy --db known.db -o /dev/full --format csv
    err_has "cannot write '/dev/full': No space left"
fi

run 3 export saxpy --db known.db --format t4
err_has "choose with --dims 1000,4 or 2000,5"

# What an objective measured, and a profiler, under names of these formats: the
# times stay those of the trials, in milliseconds.
run 0 sql --write "INSERT INTO counter SELECT trial_id, column1, column2, column3, 4550.86
    FROM trial JOIN (VALUES ('(run)', 'time', 'ns'), ('(run)', 'energy_uj', 'uJ'),
        ('gemm_kernel', 'compile_time', 'ns'), ('gemm', 'time', 'ns'))" --db known.db
for format in kernel-tuner t4; do
    run 0 export gemm --db known.db --format $format
    grep -q 4550.86 "$work/out" && fail "$format: another unit"
    rm -f back.db*
    cp "$work/out" gemm.json
    run 0 import gemm.json --db back.db
    what="select config, outcome, time_ns from trial_v1 where op = 'gemm' and outcome = 'ok' order by 1"
    [ "$(ask back.db "$what")" = "$(ask known.db "$what")" ] || fail "$format: other times"
done

# ---- T1: the same configurations, and back ---------------------------------------------
space() { # space TEMPLATE OPTIONS..
    run 0 space "$@" --count
    count=$(cat out)
    run 0 export "$@" --format t1 -o space.json -q
    run 0 space space.json --count
    out_is "$count"
    run 0 space "$@" --list --format csv
    tail -n +2 out | tr 'TF' 'tf' | sed 's/[^,]*-,//' | sort >template.txt
    run 0 space space.json --list --format csv
    tail -n +2 out | tr 'TF' 'tf' | sort >t1.txt
    [ "$(wc -l <template.txt)" -eq "$(wc -l <t1.txt)" ] || fail "$1: lines"
}
same_space() {
    space "$@"
    cmp -s template.txt t1.txt || fail "$1: other configurations"
    run 0 import space.json -o lines.txt
    {
        echo '#pragma hone op probe(n)'
        echo '#pragma hone arg x: inout f32[n]'
        cat lines.txt
        echo '#pragma hone launch probe grid(1) block(32) args(x)'
        echo 'extern "C" __global__ void probe(float *x) { x[0] = 0; }'
    } >probe.cu
    run 0 space probe.cu --count
    out_is "$count"
    run 0 export probe.cu --format t1 -o again.json -q
    run 0 space again.json --list --format csv
    tail -n +2 out | tr 'TF' 'tf' | sort >again.txt
    cmp -s t1.txt again.txt || fail "$1: other configurations from its lines"
}
same_space saxpy/stream --dims 777
same_space "$fixtures/mini.cu" --dims 100,f64
# Divisions with a fraction, which templates do not have: value by value.
cat >fraction.json <<'END'
{"General": {"FormatVersion": 1},
 "ConfigurationSpace": {
  "TuningParameters": [
   {"Name": "K", "Type": "int", "Values": "[16, 24, 32]", "Default": 16},
   {"Name": "A", "Type": "int", "Values": "[3, 8, 16]", "Default": 8},
   {"Name": "B", "Type": "int", "Values": "[8, 16, 32]", "Default": 8},
   {"Name": "C", "Type": "int", "Values": "[8, 16, 32]", "Default": 8},
   {"Name": "FREE", "Type": "int", "Values": "[0, 1]", "Default": 0}],
  "Conditions": [
   {"Expression": "K % ((A * B)/C) == 0", "Parameters": ["K", "A", "B", "C"]}]}}
END
run 0 space fraction.json --count
count=$(cat out)
run 0 space fraction.json --list --format csv
tail -n +2 out | sort >t1.txt
run 0 import fraction.json -o lines.txt
{
    echo '#pragma hone op fraction(n)'
    echo '#pragma hone arg x: inout f32[n]'
    cat lines.txt
    echo '#pragma hone launch fraction grid(1) block(32) args(x)'
    echo 'extern "C" __global__ void fraction(float *x) { x[0] = 0; }'
} >fraction.cu
run 0 space fraction.cu --count
out_is "$count"
run 0 export fraction.cu --format t1 -o again.json -q
run 0 space again.json --list --format csv
tail -n +2 out | sort >again.txt
cmp -s t1.txt again.txt || fail "other configurations of a fraction"
# Defaults come along; what a template refuses is no line of one.
t1() { # t1 PARAMETERS CONDITIONS
    printf '{"ConfigurationSpace": {"TuningParameters": [%s],\n"Conditions": [%s]}}' "$1" "$2" >given.json
}
given='{"Name": "B", "Values": "[32, 64]", "Default": 64}, {"Name": "F", "Values": "[0.5, -2.5]", "Default": -2.5},
{"Name": "U", "Values": "[False, True]", "Default": true}, {"Name": "S", "Values": "['"'a', 'b'"']", "Default": "b"}'
t1 "$given" '"B > 32 or U"'
run 0 import given.json
out_has '#pragma hone param B in {32, 64} default 64'
out_has '#pragma hone param F in {0.5, -2.5} default -2.5'
out_has '#pragma hone param U : bool default true'
out_has '#pragma hone param S in {a, b} default b'
err_empty
t1 "$given" '"B > 32 or U", "B == 32 or F < 0"'
run 3 import given.json
err_has "given.json:3: a template cannot say this, '#pragma hone require ((B == 32) || (F == -2.5))'"
err_has "'F' is a floating-point number"
out_empty
t1 '{"Name": "B", "Values": [1, 2.5]}' ''
run 3 import given.json
err_has "given.json: parameter 'B' is none that a template can have"
t1 '{"Name": "B", "Values": [1, 2], "Default": 3}' ''
run 0 import given.json
err_has "the default of 'B', '3', is none of its values"
space gemm/wmma --dims 1024,1024,1024
space convolve2d/direct --dims 512,512,3,f32
space column_sums/stream --dims 4096,4096
run 0 export saxpy/stream --format t1
out_has '"ConfigurationSpace"'
run 3 export nothing --format t1
