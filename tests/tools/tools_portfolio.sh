#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Portfolios: hone tune --shapes ends with the variants that serve all shapes,
# each timed at each; nothing is compiled for it; again it goes on; --portfolio
# alone does the same; who is wrong or crashes at one shape is out; the chooser.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
tests=$(dirname "$HONE")/../tests
cd "$work"
ask() { "$tests/db_ask" "$@"; }

# ---- a shipped operation, four shapes -------------------------------------------
cat >shapes <<'END'
saxpy 1000
saxpy 3001
saxpy 20000
saxpy 65536
END
run 0 tune --shapes shapes --device cpu --budget 5 --db plain.db \
    --no-portfolio --format json
grep -q portfolios out && fail "a portfolio that was not wanted"
[ "$(ask plain.db "select count(*) from model")" -eq 0 ] || fail "a model"

# With what was tuned, and without the cache of cubins: nothing is compiled.
rm -rf "$HOME/.cache"
cp plain.db t.db
# Where times can be told, nothing is faster the second time.
! command -v sqlite3 >/dev/null || tell_times t.db
run 0 tune --shapes shapes --device cpu --budget 5 --between 0 --db t.db \
    --format json
json interrupted=false portfolios.0.op=saxpy portfolios.0.problems=4 \
    portfolios.0.compiled=0 portfolios.0.out=0 portfolios.0.chooser=true \
    portfolios.0.chooser_at=4 portfolios.0.members.0.default=true
# The steps are parts of its seconds.
sed -n 's/.*"seconds": \([^,]*\), "steps": {\([^}]*\)}.*/\1 \2/p' out |
    tr -d ',":' >steps
[ "$(tr ' ' '\n' <steps | grep '^[a-z]' | tr '\n' ' ')" = \
    "likely spaces candidates edges specialists homes reach learning " ] ||
    fail "steps: $(cat steps)"
awk '{ for (i = 3; i <= NF; i += 2) sum += $i
    exit !(sum > 0 && sum <= $1 + 1e-6) }' steps ||
    fail "steps do not sum up to the seconds: $(cat steps)"
measured=$(sed -n 's/.*"measured": \([0-9]*\),.*/\1/p' out)
[ "$measured" -gt 0 ] || fail "nothing was measured"

# The matrix is complete: every member is known at every shape.
members=$(ask t.db "select count(*) from launch_v1 v where op = 'saxpy' and
    (select count(distinct x.problem_id) from trial_v1 x
        where x.variant_id = v.variant_id and x.outcome = 'ok') = 4")
least=$(sed -n 's/.*"n_members": \([0-9]*\),.*/\1/p' out)
[ "$least" -ge 2 ] || fail "$least members"
[ "$members" -ge "$least" ] ||
    fail "$members variants are known everywhere, of $least members"
[ "$(ask t.db "select count(*) from session_v1
    where strategy = 'portfolio'")" -gt 0 ] || fail "no session of it"

# Again nothing is measured, and the same is learned from the same.
hash=$(ask t.db "select sha256 from model_v1")
trials=$(ask t.db "select count(*) from trial_v1")
run 0 tune saxpy --portfolio --device cpu --db t.db --format json
json portfolios.0.measured=0 portfolios.0.compiled=0
[ "$hash" = "$(ask t.db "select sha256 from model_v1")" ] ||
    fail "another chooser from the same trials"
[ "$trials" -eq "$(ask t.db "select count(*) from trial_v1")" ] ||
    fail "something was measured again"

# A trial that is missing is made up for, and it alone.
run 0 sql --write "delete from decision where trial_id is not null" --db t.db
run 0 sql --write "delete from trial where trial_id = (select max(t.trial_id)
    from trial t join session s using (session_id) where strategy = 'portfolio'
    and t.trial_id not in (select trial_id from ranking))" --db t.db
run 0 tune saxpy --portfolio --device cpu --db t.db --format json
json portfolios.0.measured=1
[ "$trials" -eq "$(ask t.db "select count(*) from trial_v1")" ] ||
    fail "not one more trial"

# What is printed, and what is kept.
run 0 tune saxpy --portfolio --device cpu --db t.db
out_has "chooser loses"
out_has "best at"
run 0 tune saxpy --portfolio --device cpu --db t.db --format csv
[ "$(wc -l <out)" -eq 2 ] || fail "not one row"
# For each model of device: these two are of one.
run 0 tune saxpy --portfolio --device cpu,cpu --db t.db --format csv
[ "$(wc -l <out)" -eq 2 ] || fail "not one row for one model"
out_has "saxpy,cpu:0,"
run 0 show models --db t.db --format json
json models.0.op=saxpy models.0.kind=chooser models.0.n_problems=4
run 0 show models --db t.db --op gemm
run 0 check --db t.db
run 0 gc --db t.db --format json
json models=0
run 0 merge t.db --db merged.db
[ "$(ask t.db "select sha256 from model_v1")" = \
    "$(ask merged.db "select sha256 from model_v1")" ] || fail "not merged"

# A variant of the chooser goes: so does the chooser.
cp t.db bad.db
run 0 sql --write "update variant set launch_sha256 = null" --db bad.db
run 0 gc --db bad.db --format json
json models=1
cp t.db bad.db
run 0 sql --write "update model set data = substr(data, 3)" --db bad.db
run 1 check --db bad.db
out_has "damaged"

# ---- problems that nobody named: tuned, learned from, not in the result -----------------
cp plain.db b.db
run 0 tune --shapes shapes --device cpu --budget 5 --between 2 --db b.db \
    --format json
err_has "2 problems between those of the file"
json portfolios.0.problems=6
[ "$(grep -c '"label"' out)" -eq 4 ] || fail "rows that nobody asked for"
[ "$(ask b.db "select count(*) from winner_v1
    where dims + 0 between 1000 and 65536")" -eq 5 ] || fail "not 5 winners"
# One is larger than all: 4 * 65536 - 64.
[ "$(ask b.db "select count(*) from winner_v1
    where dims + 0 = 262080")" -eq 1 ] || fail "nothing beyond the list"
run 2 tune --shapes shapes --between 4611686018427387904 --device cpu --db b.db
err_has "at most 10000"
head -n 2 shapes >few
run 0 tune --shapes few --device cpu --budget 5 --between 3 --db b.db
err_has "nothing lies between"
run 2 tune saxpy --dims 1000 --between 2 --device cpu --db b.db
err_has "goes with --shapes"

# ---- options -----------------------------------------------------------------------
run 2 tune saxpy --portfolio --no-portfolio --device cpu --db t.db
run 2 tune saxpy --portfolio --dims 1000 --device cpu --db t.db
err_has "leave --dims 1000 out"
run 2 tune --portfolio --shapes shapes --device cpu --db t.db
run 2 tune saxpy --dims 1000 --no-portfolio --device cpu --db t.db
err_has "goes with --shapes"
run 3 tune saxpy --portfolio --device cpu --db missing.db
[ ! -e missing.db ] || fail "a database was made"
run 3 tune gemm --portfolio --device cpu --db t.db
err_has "a portfolio takes 2 tuned problems"

# ---- who is wrong somewhere --------------------------------------------------------
# HOW 1 is wrong, HOW 2 crashes and HOW 4 hangs at sizes that no edge shape has, 3 is
# wrong at small ones, which edge shapes have.
cat >scale_plain.cu <<'END'
#pragma hone op scale_plain(n) "x = 2*x"
#pragma hone arg x: inout f32[n]
#pragma hone launch scale_plain grid(1) block(1) args(x, i64(n))
#pragma hone check none

extern "C" __global__ void scale_plain(float *x, long long n)
{
    for (long long i = 0; i < n; ++i)
        x[i] *= 2;
}
END
cat >scale.cu <<'END'
#pragma hone op scale(n) "x = 2*x"
#pragma hone arg x: inout f32[n]
#pragma hone param BLOCK in {64, 128} default 128
#pragma hone param HOW in {0, 1, 2, 3, 4} default 0
#pragma hone require HOW != 4 || BLOCK == 64 "one of them is enough"
#pragma hone launch scale grid(ceildiv(n, BLOCK)) block(BLOCK) args(x, i64(n))
#pragma hone check template.scale_plain tolerance(2)

extern "C" __global__ void scale(float *x, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (HOW == 1 && n > 300000 && n < 900000 && i == 7)
        return;
    if (HOW == 2 && n > 300000 && n < 900000 && i == 7)
        *(volatile int *)0 = 1;
    if (HOW == 4 && n > 300000 && n < 900000)
        for (;;)
            *(volatile float *)x;
    if (HOW == 3 && n < 300 && i == 0)
        return;
    if (i < n)
        x[i] *= 2;
}
END
run 0 tune scale.cu --dims 2000 --device cpu --db s.db --format json
[ "$(ask s.db "select count(*) from ranked_v1
    where config not glob '*HOW=3'")" -eq 7 ] ||
    fail "not HOW 0, 1, 2 and 4"
for n in 3000 4000 400000; do
    run 0 tune scale.cu --dims $n --budget 1 --no-seeds --device cpu --db s.db
done
# As if nobody had looked at edge shapes yet: the one that is wrong there has a
# place in the ranking, as after an interruption.
run 0 sql --write "delete from decision where session_id = 1" --db s.db
run 0 sql --write "delete from trial where outcome = 'wrong'" --db s.db
run 0 sql --write "delete from ranking where trial_id in (select trial_id
    from trial join variant using (variant_id) where config glob '*HOW=3')" \
    --db s.db
run 0 sql --write "insert into ranking (problem_id, device_id, mode, rank,
    trial_id, session_id, time_ns, decided_by, ranked_unix_s)
    select s.problem_id, s.device_id, s.mode, (select min(r.rank + 1)
    from ranking r where r.problem_id = 1 and not exists (select 1
    from ranking q where q.problem_id = 1 and q.rank = r.rank + 1)),
    t.trial_id, s.session_id,
    t.time_ns, 'time of its trial', 1 from trial t join session s
    using (session_id) join variant v using (variant_id)
    where v.config = 'BLOCK=64,HOW=3'" --db s.db
# Ctrl-C while one hangs: what was measured is there, and no chooser.
"$HONE" tune scale.cu --portfolio --device cpu --db s.db --trial-timeout 600 \
    >out 2>err </dev/null &
pid=$!
started() {
    [ "$(ask s.db "select count(*) from session
        where strategy = 'portfolio' and status = 'running'
        and problem_id = (select problem_id from problem
            where dims = '400000')")" -gt 0 ]
}
wait_until "the last problem is measured" started
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || fail "an interrupted portfolio ends with $code"
err_has "run the same command again to go on"
[ "$(ask s.db "select count(*) from model")" -eq 0 ] || fail "a model"
interrupted=$(ask s.db "select count(*) from trial_v1
    where strategy = 'portfolio'")
[ "$interrupted" -gt 0 ] || fail "nothing was kept"
run 0 tune scale.cu --portfolio --device cpu --db s.db --trial-timeout 8 \
    --format json
json portfolios.0.problems=4 portfolios.0.out=6 portfolios.0.n_members=2 \
    portfolios.0.chooser=true portfolios.0.compiled=0
grep -q 'HOW=[1234]' out && fail "a member is wrong somewhere"
for outcome in wrong:1 fault:2 timeout:4; do
    [ "$(ask s.db "select count(*) from trial_v1 where dims = '400000'
        and outcome = '${outcome%:*}' and config glob '*HOW=${outcome#*:}'")" \
        -ge 1 ] || fail "HOW ${outcome#*:} is not ${outcome%:*}"
done
[ "$(grep -c '"types"' out)" -eq 1 ] || fail "not one portfolio"
[ "$(ask s.db "select count(*) from trial_v1 where strategy = 'portfolio' and
    outcome = 'wrong' and config = 'BLOCK=64,HOW=3' and message glob 'at n=*'")" \
    -ge 1 ] || fail "nobody was verified on edge shapes"
# What was refuted stays so.
run 0 tune scale.cu --portfolio --device cpu --db s.db --format json
json portfolios.0.measured=0 portfolios.0.n_members=2
# Two problems are a portfolio, and no chooser.
run 0 sql --write "delete from ranking where problem_id > 2" --db s.db
run 0 sql --write "delete from model" --db s.db
run 0 tune scale.cu --portfolio --device cpu --db s.db --format json
json portfolios.0.problems=2 portfolios.0.chooser=false portfolios.0.why_not
err_has "no chooser was trained"
[ "$(ask s.db "select count(*) from model")" -eq 0 ] || fail "a model"
