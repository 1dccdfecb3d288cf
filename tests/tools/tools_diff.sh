#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone diff: slower, faster, the same within noise, appeared and vanished, of
# files, drivers, devices and sessions; the exit code of a gate.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
cd "$work"
"$tests/make_db" before.db
change() { # change FILE SQL: a copy of before.db
    cp before.db "$1"
    run 0 sql --write "$2" --db "$1"
}
run 0 diff before.db before.db --format json
json schema_version=1 compared=2 same=2 slower=0 faster=0 appeared=0 vanished=0
run 0 diff before.db before.db
out_has "same: 2"
run 0 diff before.db before.db --full --format csv
[ "$(wc -l <out)" -eq 3 ] || fail "not two rows"

# A session is a number, all of it.
for name in session:1abc session:1.9 session: session:-1; do
    run 2 diff session:1 "$name" --db before.db
    err_has "'$name': a session is a number"
done

# ---- beyond the noise, and not ---------------------------------------------------
# Both winners have 1,500 ns; their intervals are given here.
intervals="ci_low_ns = time_ns * 0.999, ci_high_ns = time_ns * 1.001"
change a.db "UPDATE ranking SET $intervals"
cp a.db before.db
change a.db "UPDATE session SET noise_floor = 0.01"
cp a.db before.db
change slower.db "UPDATE ranking SET time_ns = 1600, ci_low_ns = 1590,
    ci_high_ns = 1610 WHERE problem_id = (SELECT problem_id FROM problem
    WHERE op = 'gemm')"
run 1 diff before.db slower.db --format json
json slower=1 same=1 changes.0.change=slower changes.0.op=gemm \
    changes.0.before_ns=1500.0 changes.0.after_ns=1600.0
out_has '"moved": null'
# The clocks while they were measured, where they differ.
run 1 diff before.db slower.db
! grep -q MHz out || fail "no clock was recorded"
change fast.db "UPDATE trial SET sm_clock_mhz = 1980"
change slow.db "UPDATE trial SET sm_clock_mhz = 1755"
run 0 sql --write "UPDATE ranking SET time_ns = 1600, ci_low_ns = 1590,
    ci_high_ns = 1610" --db slow.db
run 1 diff fast.db slow.db
out_has "1980 to 1755 MHz"
run 1 diff fast.db slow.db --format json
json changes.0.before_sm_clock_mhz=1980 changes.0.after_sm_clock_mhz=1755
run 1 diff before.db slow.db --format json
json changes.0.before_sm_clock_mhz=null
run 0 diff slower.db before.db --format json
json faster=1 changes.0.change=faster
run 0 diff before.db slower.db --threshold 10 --format json
json same=2 threshold_percent=10.0
# Further apart than the threshold, but the intervals meet.
change wide.db "UPDATE ranking SET time_ns = 1600, ci_low_ns = 1490"
run 0 diff before.db wide.db --format json
json same=2
# The intervals are apart, but not further than a session's noise floor.
change noisy.db "UPDATE session SET noise_floor = 0.09"
cp noisy.db before.db
change both.db "UPDATE ranking SET time_ns = 1600, ci_low_ns = 1590,
    ci_high_ns = 1610"
run 0 diff before.db both.db --format json
json same=2
cp a.db before.db

# ---- what came and went -----------------------------------------------------------
change gone.db "DELETE FROM ranking WHERE problem_id = (SELECT problem_id
    FROM problem WHERE op = 'gemm')"
run 0 diff before.db gone.db --format json
json vanished=1 compared=1 changes.0.change=vanished changes.0.op=gemm
run 0 diff gone.db before.db --format json
json appeared=1 changes.0.change=appeared
change other.db "UPDATE device SET name = 'Another GPU'"
run 0 diff before.db other.db --format json
json compared=0 appeared=2 vanished=2
err_has "no problem in common"

# ---- in one database ----------------------------------------------------------------
run 0 sql --write "UPDATE device SET fingerprint = replace(fingerprint,
    substr(fingerprint, 1, 1), 'x')" --db slower.db
run 0 sql --write "UPDATE device SET driver_version = '13010'" --db slower.db
run 0 merge slower.db --db before.db
HONE_DB=$work/before.db
export HONE_DB
run 1 diff driver:13000 driver:13010 --format json
json slower=1 same=1 before_drivers=13000 after_drivers=13010
run 0 diff driver:13010 driver:13000
run 0 sql --write "UPDATE device SET name = 'Another GPU'
    WHERE driver_version = '13010'"
run 1 diff "device:Test GPU" "device:Another GPU" --format json
json slower=1 after_devices="Another GPU" changes.0.device=null
run 0 diff session:1 session:1 --format json
json compared=1 same=1
run 3 diff session:999 session:1
err_has "there is no correct trial of session 999"
run 3 diff driver:1 driver:13000
err_has "there is no winner with driver 1"
run 3 diff before.db missing.db
err_has "there is no database 'missing.db'"
run 2 diff before.db
run 2 diff before.db gone.db --threshold few
err_has "--threshold 'few'"
