#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Variants that are valid for rows of some lengths alone. No tuned problem has many rows
# of their length, or any: a portfolio measures them at further problems, so that they
# are launched there; who is wrong there is not chosen at all.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
needs sqlite3 "sqlite3 is not installed"
cd "$work"
ask() { sqlite3 t.db "$1"; }

# `twice` with HOLD = 8, 64 and 512 for rows up to that long and more than an eighth of
# it, 0 for rows of any length.
mkdir kernels
cat >kernels/twice_plain.cu <<'END'
#pragma hone op twice_plain(rows, cols) "x = 2*x"
#pragma hone arg x: inout f32[rows*cols]
#pragma hone launch twice_plain grid(1) block(1) args(x, i64(rows*cols))
#pragma hone check none

extern "C" __global__ void twice_plain(float *x, long long n)
{
    for (long long i = 0; i < n; ++i)
        x[i] *= 2;
}
END
cat >kernels/twice.cu <<'END'
#pragma hone op twice(rows, cols) "x = 2*x"
#pragma hone arg x: inout f32[rows*cols]
#pragma hone param HOLD in {0, 8, 64, 512} default 0
#pragma hone require HOLD == 0 || (cols <= HOLD && 8*cols > HOLD) "rows that fit"
#pragma hone feature COST = HOLD == 0 ? 40*rows*cols : rows*HOLD
#pragma hone launch twice grid(1) block(1) args(x, i64(rows), i64(cols))
#pragma hone check template.twice_plain tolerance(2)

extern "C" __global__ void twice(float *x, long long rows, long long cols)
{
    for (long long i = 0; i < rows * cols; ++i)
        x[i] *= 2;
}
END
export HONE_TEMPLATE_PATH="$work/kernels"
for dims in 4000,4 1000,7 500,3 30,50 20,40 41,21 150,500 20,200 15,100; do
    echo "twice $dims"
done >shapes
told="outcome = 'ok', time_ns = (SELECT 2000.0 + CAST(p.dims AS INTEGER) *
    CASE substr(v.config, 6) WHEN '0' THEN 40 * CAST(substr(p.dims, 1
        + instr(p.dims, ',')) AS INTEGER) ELSE substr(v.config, 6) END
    FROM session s JOIN problem p USING (problem_id), variant v
    WHERE s.session_id = trial.session_id AND v.variant_id = trial.variant_id)
    WHERE outcome IN ('ok', 'unstable')"
tune() {
    run 0 tune --shapes shapes --device cpu --budget 4 --db t.db --no-portfolio \
        --format json
    ask "UPDATE trial SET $told; CREATE TRIGGER told AFTER INSERT ON trial BEGIN
        UPDATE trial SET $told AND trial_id = new.trial_id; END"
}
tune
run 0 tune twice --portfolio --device cpu --db t.db --format json
json portfolios.0.problems=9 portfolios.0.chooser=true portfolios.0.out=0
grep -q '"further": [1-9]' out || fail "no problem beside the tuned ones"

# Verified at many rows, which nobody tuned, and without a ranking there.
[ "$(ask "select count(*) from trial_v1 where outcome = 'ok'
    and dims like '40%' and config = 'HOLD=64'")" -ge 1 ] ||
    fail "HOLD=64 was not verified at 4000 rows"
[ "$(ask "select count(*) from winner_v1")" -eq 9 ] || fail "not 9 winners"

# chosen ROWS,COLS HOLD: it is what is launched.
chosen() {
    run 0 run twice --dims "$1" --device cpu --db t.db --format json
    json match=chosen "config=HOLD=$2"
}
chosen 2500,33 64
chosen 300,150 512
chosen 4000,5 8

# Again nothing is measured, and the same is learned.
hash=$(ask "select sha256 from model_v1 where kind = 'chooser'")
run 0 tune twice --portfolio --device cpu --db t.db --format json
json portfolios.0.measured=0 portfolios.0.further=0
[ "$hash" = "$(ask "select sha256 from model_v1 where kind = 'chooser'")" ] ||
    fail "another chooser from the same trials"
run 0 check t.db

# No tuned problem has rows for HOLD = 64: it is timed, and verified on edge shapes,
# where it would be the cheapest.
rm t.db
grep -v "\(30,50\|20,40\|41,21\)" shapes >few
cp shapes all
mv few shapes
tune
run 0 tune twice --portfolio --device cpu --db t.db --format json
json portfolios.0.problems=6 portfolios.0.specialists=1
[ "$(ask "select count(*) >= 3 from trial_v1 where config = 'HOLD=64'
    and outcome = 'ok'")" -eq 1 ] || fail "HOLD=64 was timed less than 3 times"
[ "$(ask "select count(*) from decision e join variant v using (variant_id)
    where v.config = 'HOLD=64' and e.kind = 'proved'")" -ge 1 ] ||
    fail "HOLD=64 was not verified on edge shapes"
chosen 300,33 64
hash=$(ask "select sha256 from model_v1 where kind = 'chooser'")
run 0 tune twice --portfolio --device cpu --db t.db --format json
json portfolios.0.measured=0 portfolios.0.further=0
[ "$hash" = "$(ask "select sha256 from model_v1 where kind = 'chooser'")" ] ||
    fail "another chooser from the same trials"
run 0 check t.db

# One that is wrong at many rows: it is no member then.
sed -i 's/x\[i\] \*= 2/x[i] *= HOLD == 64 \&\& rows > 2000 ? 3 : 2/' kernels/twice.cu
rm t.db
cp all shapes
tune
run 0 tune twice --portfolio --device cpu --db t.db --format json
json portfolios.0.out=1 portfolios.0.chooser=true
run 0 run twice --dims 1500,33 --device cpu --db t.db --format json
out_has '"config": "HOLD=0"'
