#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --objective on the cpu device, which has no counter of energy: expressions,
# several with their front, and what cannot be asked for.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/objective.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"; }
is() { [ "$(ask "$2")" = "$1" ] || fail "$2: $(ask "$2"), not $1"; }
tune() { # tune CODE ARGUMENTS..
    expected=$1
    shift
    run "$expected" tune saxpy/stream --dims 5003 --device cpu "$@"
}

# ---- what cannot be asked for -----------------------------------------------

for objective in energy edp time,energy 'time_ns + 0.1*energy_uj'; do
    tune 4 --objective "$objective"
    err_has "the energy of a run is read from NVML's counter, which the device cpu does not have"
    out_empty
done
[ ! -e "$HONE_DB" ] || fail "a database was made for nothing"
tune 2 --objective joules
err_has "nothing is known as 'joules' in the objective 'joules'; there are time, energy, edp, and expressions of time_ns, energy_uj,"
tune 2 --objective 'time_ns*'
err_has "the objective 'time_ns*' has '' where a number"
run 2 tune --device "replay:$here/../replay/recordings/small_t4.json" --objective time
err_has '--objective has no meaning with --device replay'
run 0 help objectives
out_has '  edp '
out_has '  workspace_bytes'

# ---- one --------------------------------------------------------------------

# The search follows it: with the least threads first, of 20 trials more than
# half have no more than 128, where 571 configurations have 64 to 1024.
tune 0 --objective 'threads + time_ns/1e12' --strategy local:spread=1 --budget 20 --format json
json shapes.0.objectives.0.objective='threads + time_ns/1e12' shapes.0.objectives.0.winner \
    shapes.0.objectives.0.implementation=stream shapes.0.trials=20
grep -q '"value": 64.0' "$work/out" || fail "64 threads are the least"
grep -q '"default_value": 256.0' "$work/out" || fail "the default has 256"
[ "$(ask "select sum(config like '%BLOCK=64,%' or config like '%BLOCK=128,%') from trial_v1")" -gt 10 ] ||
    fail "the search looked elsewhere"
# The winner by time is another's affair. (A default that is not the winner is timed apart.)
is 1 "select count(*) from winner_v1 where time_ns =
    (select min(time_ns) from ranked_v1 r where r.decided_by <> 'time of its trial'
        and (r.rank = 1 or not r.is_default))
    or verdict in ('tied', 'too_noisy')"
is 'least threads + time_ns/1e12' "select text from decision_v1 where kind = 'asked'"
is 1 "select text like 'least threads + time_ns/1e12 of % finalists: 64; the default has 256'
    from decision_v1 where kind = 'objective'"
is 1 "select count(*) > 0 from decision_v1 where kind = 'finalist' and
    text like 'in the final for an objective: %'
    or (select count(*) from decision_v1 where kind = 'finalist') >= 8"

# ---- several ----------------------------------------------------------------

# Another run of the same problem resumes its trials, and makes their front.
tune 0 --objective time,threads,workspace_bytes --budget 20
out_has 'threads 64 (default 256) by stream '
out_has ' on the front'
run 0 show pareto --format json
n=$(grep -c '"trial_id"' "$work/out")
case $n in [1-5]) ;; *) fail "there are 5 sizes of blocks, and $n on the front" ;; esac
# Nobody on the front is beaten, and whoever is not is.
is 0 "with v as (select trial_id, max(case when name = 'time' then value end) x,
        max(case when name = 'threads' then value end) y
    from counter where kernel = '(run)' group by 1),
    p as (select trial_id from decision where kind = 'pareto')
    select count(*) from v a join v b on b.x <= a.x and b.y <= a.y and (b.x < a.x or b.y < a.y)
    where a.trial_id in (select trial_id from p)"
is 0 "with v as (select trial_id, max(case when name = 'time' then value end) x,
        max(case when name = 'threads' then value end) y
    from counter where kernel = '(run)' group by 1),
    p as (select trial_id from decision where kind = 'pareto')
    select count(*) from v a where a.trial_id not in (select trial_id from p) and not exists
    (select 1 from v b where b.x <= a.x and b.y <= a.y and (b.x < a.x or b.y < a.y))"
run 0 show pareto --op saxpy
out_has 'on the front: time '
run 0 show decisions --where kind=objective --format csv
out_has 'least threads of '
run 0 check
# What is not known has no value, and that is said.
tune 0 --objective registers --budget 20
err_has "the objective 'registers' has no value for any finalist"

# What is not positive is an answer like others: the search comes to the least.
tune 0 --objective=-threads --budget 30 --no-seeds --db negative.db --format json
n=$("$HONE" sql "select count(*) as n from trial_v1 where config glob '*BLOCK=1024,*'" \
    --db negative.db --format csv | tail -n 1)
[ "$n" -ge 12 ] || fail "$n of 30 trials have the most threads"
