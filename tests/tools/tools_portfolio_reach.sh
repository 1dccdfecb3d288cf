#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Variants that are valid for rows of some lengths alone. No tuned problem has many rows
# of their length, or any: a portfolio measures them at further problems, so that they
# are launched there; who is wrong there is not chosen at all.
. "$(dirname "$0")/hone_test.sh"
. "$(dirname "$0")/portfolio_rows.sh"

tune
portfolio
json portfolios.0.problems=9 portfolios.0.chooser=true portfolios.0.out=0
grep -q '"further": [1-9]' out || fail "no problem beside the tuned ones"

# Verified at many rows, which nobody tuned, and without a ranking there.
[ "$(ask "select count(*) from trial_v1 where outcome = 'ok'
    and dims like '40%' and config = 'HOLD=64'")" -ge 1 ] ||
    fail "HOLD=64 was not verified at 4000 rows"
[ "$(ask "select count(*) from winner_v1")" -eq 9 ] || fail "not 9 winners"
launched 2500,33 64
json match=chosen
launched 300,150 512
launched 4000,5 8
again

# Variants of the same text for another architecture, which come later, say nothing.
columns=$(ask "select group_concat(name) from pragma_table_info('variant')
    where name not in ('variant_id', 'arch', 'launch_sha256')")
ask "insert into variant (arch, $columns) select 'other', $columns from variant"
again

# Newer problems of other types, more than a portfolio takes, do not stand in the way.
columns=$(ask "select group_concat(name) from pragma_table_info('ranking')
    where name not in ('problem_id', 'ranked_unix_s')")
ask "insert into problem (op, dims, label)
        with recursive c(i) as (select 0 union all select i + 1 from c where i < 299)
        select 'twice', (1001 + i) || ',7,5', 'newer' from c;
    insert into ranking (problem_id, ranked_unix_s, $columns)
        select p.problem_id, r.ranked_unix_s + 9, $(echo "$columns" |
            sed 's/[a-z_0-9]*/r.&/g')
        from problem p, (select * from ranking where rank = 1 limit 1) r
        where p.label = 'newer'"
run 0 tune --shapes shapes --device cpu --budget 4 --between 0 --db t.db --format json
json portfolios.0.problems=9 portfolios.0.chooser=true portfolios.0.measured=0

# No tuned problem has rows for HOLD = 64: it is timed, and verified on edge shapes,
# where it would be the cheapest.
rm t.db
grep -v "\(30,50\|20,40\|41,21\)" shapes >few
cp shapes all
mv few shapes
tune
portfolio
json portfolios.0.problems=6 portfolios.0.specialists=1
[ "$(ask "select count(*) >= 2 from trial_v1 where config = 'HOLD=64'
    and outcome = 'ok'")" -eq 1 ] || fail "HOLD=64 was timed less than twice"
[ "$(ask "select count(*) from decision e join variant v using (variant_id)
    where v.config = 'HOLD=64' and e.kind = 'proved'")" -ge 1 ] ||
    fail "HOLD=64 was not verified on edge shapes"
launched 300,33 64
json match=chosen
again

# A hundred other problems at which something was right change nothing of that.
ask "delete from trial where session_id in (select session_id from session
        where strategy = 'portfolio');
    insert into problem (op, dims, label)
        with recursive c(i) as (select 0 union all select i + 1 from c where i < 99)
        select 'twice', (1001 + i) || ',7,4', 'old' from c"
columns=$(ask "select group_concat(name) from pragma_table_info('session')
    where name not in ('session_id', 'problem_id')")
ask "insert into session (problem_id, $columns)
        select p.problem_id, $(echo "$columns" | sed 's/[a-z_0-9]*/s.&/g')
        from problem p, (select * from session limit 1) s where p.label = 'old';
    insert into trial (session_id, variant_id, outcome, time_ns, n_samples, verified,
            started_unix_ns, gpu_time_ns)
        select session_id, (select variant_id from variant where config = 'HOLD=0'),
            'ok', 9000, 3, 1, 1, 1
        from session join problem using (problem_id) where label = 'old'"
portfolio
json portfolios.0.specialists=1
launched 300,33 64

# Of another type there are three, none of them long: where programs ask is known from
# those of f32.
rm t.db
cp all shapes
for dims in 10,4 12,5 14,6 16,7; do
    echo "twice $dims,f64" >>shapes
done
tune
portfolio
json portfolios.0.types=5 portfolios.0.problems=4 portfolios.0.specialists=2
launched 35,45,f64 64
json match=chosen

# One that is wrong at many rows: it is no member then.
sed -i 's/x\[i\] \*= 2/x[i] *= HOLD == 64 \&\& rows > 2000 ? 3 : 2/' kernels/twice.cu
rm t.db
cp all shapes
tune
portfolio
json portfolios.0.out=1 portfolios.0.chooser=true
launched 1500,33 0
again

# Nor one that hangs on an edge shape, which nobody saw before.
sed -i 's/x\[i\] \*= .*/{ if (HOLD == 64 \&\& rows < 10) for (;;) *(volatile T *)x; x[i] *= 2; }/' \
    kernels/twice.cu
rm t.db
grep -v "\(30,50\|20,40\|41,21\)" all >shapes
tune
run 0 tune twice --portfolio --device cpu --db t.db --trial-timeout 4 --format json
json portfolios.0.out=1 portfolios.0.specialists=0
launched 300,33 0
again

# A problem that nobody tunes and that cannot be set up is left out.
sed -i 's/{ if .*; x\[i\] \*= 2; }/x[i] *= 2;/' kernels/twice.cu
sed -i 's/^    for (long long i = 0; i < n; ++i)$/    if (n % 4000 == 0) if (n > 16000) *(volatile int *)0 = 1;\n&/' \
    kernels/twice_plain.cu
rm t.db
cp all shapes
tune
cp t.db tuned.db
portfolio
json portfolios.0.chooser=true
grep -q '"skipped": [1-9]' out || fail "no problem was left out"

# Nor does it end what several devices do.
cp tuned.db t.db
run 0 tune twice --portfolio --device cpu,cpu --db t.db --format json
json portfolios.0.chooser=true
grep -q '"skipped": [1-9]' out || fail "no problem was left out of two devices'"
