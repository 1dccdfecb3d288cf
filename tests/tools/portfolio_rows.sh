#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of portfolios: an operation whose variants are valid for rows of some
# lengths alone, and say what they cost; a list of problems; and times that do not
# depend on this machine.
needs "${CXX:-c++}" "there is no C++ compiler"
needs sqlite3 "sqlite3 is not installed"
cd "${work:?}" || exit 1
ask() { sqlite3 t.db "$1"; }

# `twice` with HOLD = 8, 64 and 512 for rows up to that long and more than an eighth of
# it, 0 for rows of any length.
mkdir kernels
cat >kernels/twice_plain.cu <<'END'
#pragma hone op twice_plain(rows, cols, T in {f32, f64} default f32) "x = 2*x"
#pragma hone arg x: inout T[rows*cols]
#pragma hone launch twice_plain grid(1) block(1) args(x, i64(rows*cols))
#pragma hone check none

extern "C" __global__ void twice_plain(T *x, long long n)
{
    for (long long i = 0; i < n; ++i)
        x[i] *= 2;
}
END
cat >kernels/twice.cu <<'END'
#pragma hone op twice(rows, cols, T in {f32, f64} default f32) "x = 2*x"
#pragma hone arg x: inout T[rows*cols]
#pragma hone param HOLD in {0, 8, 64, 512} default 0
#pragma hone require HOLD == 0 || (cols <= HOLD && 8*cols > HOLD) "rows that fit"
#pragma hone feature COST = HOLD == 0 ? 40*rows*cols : rows*HOLD
#pragma hone launch twice grid(1) block(1) args(x, i64(rows), i64(cols))
#pragma hone check template.twice_plain tolerance(2)

extern "C" __global__ void twice(T *x, long long rows, long long cols)
{
    for (long long i = 0; i < rows * cols; ++i)
        x[i] *= 2;
}
END
export HONE_TEMPLATE_PATH="$work/kernels"
# Few of them are large in one size and valid for a HOLD in the other.
for dims in 4000,4 1000,7 500,3 30,50 20,40 41,21 150,500 20,200 15,100; do
    echo "twice $dims"
done >shapes
told="outcome = 'ok', time_ns = (SELECT 2000.0 + CAST(p.dims AS INTEGER) *
    CASE substr(v.config, 6) WHEN '0' THEN 40 * CAST(substr(p.dims, 1
        + instr(p.dims, ',')) AS INTEGER) ELSE substr(v.config, 6) END
    FROM session s JOIN problem p USING (problem_id), variant v
    WHERE s.session_id = trial.session_id AND v.variant_id = trial.variant_id)
    WHERE outcome IN ('ok', 'unstable')"
# tune: the problems of `shapes`, without a portfolio, in t.db.
tune() {
    run 0 tune --shapes shapes --device cpu --budget 4 --db t.db --no-portfolio \
        --format json
    ask "UPDATE trial SET $told; CREATE TRIGGER told AFTER INSERT ON trial BEGIN
        UPDATE trial SET $told AND trial_id = new.trial_id; END"
}
# portfolio: of t.db.
portfolio() { run 0 tune twice --portfolio --device cpu --db t.db --format json; }
# launched DIMS HOLD: what a program gets there.
launched() {
    run 0 run twice --dims "$1" --device cpu --db t.db --format json
    json "config=HOLD=$2"
}
# again: nothing is measured or verified any more, and the same is learned.
again() {
    set -- "$(ask "select sha256 from model_v1 where kind = 'chooser'")" \
        "$(ask "select count(*) from decision")" "$(ask "select count(*) from session")"
    portfolio
    json portfolios.0.measured=0 portfolios.0.further=0
    [ "$1" = "$(ask "select sha256 from model_v1 where kind = 'chooser'")" ] ||
        fail "another chooser from the same trials"
    [ "$2" -eq "$(ask "select count(*) from decision")" ] ||
        fail "something was verified again"
    [ "$3" -eq "$(ask "select count(*) from session")" ] ||
        fail "a problem was set up again"
    run 0 check t.db
}
