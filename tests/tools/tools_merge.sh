#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone merge: the same rows in any order and again, all or nothing, old formats,
# many files, and what it refuses.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
cd "$work"
ask() { "$tests/db_ask" "$@"; }
# All that the views say, but for the numbers of rows.
content() {
    for view in trial_v1 session_v1 decision_v1 baseline_v1 ranked_v1 \
        default_v2 launch_v1 coverage_v1; do
        columns=$(ask "$1" "select group_concat(name)
            from (select name from pragma_table_info('$view')
                where name not glob '*_id' and name <> 'cubin')")
        n=$(ask "$1" "select group_concat(cid + 1) from (select row_number()
            over () - 1 as cid from pragma_table_info('$view')
            where name not glob '*_id' and name <> 'cubin')")
        echo "$view"
        ask "$1" "select $columns from $view order by $n"
    done
}
same() { # same FILE FILE
    content "$1" >one.txt
    content "$2" >two.txt
    diff one.txt two.txt >diff.txt || {
        head -20 diff.txt
        fail "$1 and $2 have other rows"
    }
}
tune() { # tune DB N
    "$HONE" tune saxpy/stream --dims "$2" --device cpu --budget 4 --db "$1" \
        -q >tune.txt || fail "tune"
}
"$tests/make_db" known.db
tune tuned.db 5003
cp tuned.db longer.db
tune longer.db 777
tune longer.db 5003
# Of two rankings of one second the shorter time would answer, not the later.
"$HONE" sql --write "UPDATE ranking SET ranked_unix_s = ranked_unix_s + 60" \
    --db longer.db >sql.txt || fail "sql"

# ---- in any order, and again --------------------------------------------------
run 0 merge known.db tuned.db longer.db --db abc.db --format json
json schema_version=1 db=abc.db files=3 sessions artifacts
run 0 merge longer.db --db cba.db
run 0 merge tuned.db --db cba.db
out_has "sessions: 0"
out_has "winners: 0"
run 0 merge known.db --db cba.db
out_has "trials: 7"
same abc.db cba.db
run 0 merge cba.db known.db longer.db --db abc.db --format json
json sessions=0 trials=0 winners=0 artifacts=0
same abc.db cba.db
run 0 sql "PRAGMA table_info(trial)" --db abc.db
run 0 run saxpy --dims 777 --device cpu --db abc.db --format json
json correct=true match=exact

# Of two rankings of one problem the later one answers, whichever file is first.
cp known.db later.db
run 0 sql --write "UPDATE ranking SET ranked_unix_s = ranked_unix_s + 60,
    time_ns = time_ns / 2" --db later.db
run 0 merge known.db later.db --db first.db
run 0 merge later.db known.db --db second.db
same first.db second.db
[ "$(ask first.db "select sum(time_ns) from ranking")" = \
    "$(ask later.db "select sum(time_ns) from ranking")" ] ||
    fail "the earlier ranking is kept"

# A session that went on in one of two copies.
cp known.db on.db
run 0 sql --write "UPDATE session SET status = 'done', verdict = 'tied',
    finished_unix_s = started_unix_s + 9999" --db on.db
run 0 sql --write "INSERT INTO trial (session_id, variant_id, outcome,
    n_samples, verified, started_unix_ns, gpu_time_ns) SELECT session_id,
    variant_id, 'wrong', 0, 0, started_unix_ns + 1, 5 FROM trial" --db on.db
run 0 merge known.db on.db --db first.db
run 0 merge on.db known.db --db third.db
run 0 merge known.db --db third.db
[ "$(ask third.db "select count(*) from trial")" -eq 14 ] ||
    fail "not 14 trials"
same third.db on.db

# A copy that knows that the tuner was killed says more than one that does not.
cp known.db killed.db
cp known.db alive.db
run 0 sql --write "UPDATE session SET status = 'interrupted', finished_unix_s = NULL,
    verdict = NULL" --db killed.db
run 0 sql --write "UPDATE session SET status = 'running', finished_unix_s = NULL,
    verdict = NULL" --db alive.db
run 0 merge alive.db --db killed.db
run 0 merge killed.db --db alive.db
for db in killed alive; do
    [ "$(ask $db.db "select group_concat(distinct status) from session")" = \
        interrupted ] || fail "$db.db: a session runs again"
done

# Two machines that begin the same in one second are two sessions; a copy, with and
# without what it says of its process, is none.
for host in one two; do
    cp known.db $host.db
    run 0 sql --write "INSERT INTO decision (session_id, kind, n_samples, text, at_unix_ns)
        SELECT session_id, 'process', 0, 'host=$host pid=7', 1 FROM session" --db $host.db
done
n_known=$(ask known.db "select count(*) from session")
run 0 merge one.db two.db --db hosts.db
run 0 merge two.db one.db --db hosts_2.db
run 0 merge two.db --db hosts.db
same hosts.db hosts_2.db
[ "$(ask hosts.db "select count(*) from session")" -eq $((2 * n_known)) ] ||
    fail "sessions of two machines are one"
run 0 merge known.db one.db --db hosts_3.db
[ "$(ask hosts_3.db "select count(*) from session")" -eq "$n_known" ] ||
    fail "a session is there twice"

# Of a baseline that was measured twice the later time counts in any order.
for t in 100 200; do
    cp known.db base_$t.db
    run 0 sql --write "UPDATE session SET started_unix_s = started_unix_s + $t" --db base_$t.db
    run 0 sql --write "INSERT INTO baseline (session_id, name, label, choice, n_choices,
        time_ns, n_samples) SELECT session_id, 'lib', 'lib', 1, 1, $t, 3 FROM session" \
        --db base_$t.db
done
run 0 merge base_100.db base_200.db --db base_1.db
run 0 merge base_200.db base_100.db --db base_2.db
cp base_200.db base_3.db
run 0 merge base_100.db --db base_3.db
for i in 1 2 3; do
    [ "$(ask base_$i.db "select group_concat(distinct time_ns) from baseline_v1")" = 200.0 ] ||
        fail "base_$i.db: an earlier baseline counts"
done

# A copy in which variants became those of the template's next text, as a tune
# with that text makes them: decisions are the same ones.
cp known.db carried.db
"$tests/damage_db" carried.db "insert into template (op, name, sha256, source_sha256,
        last_put_unix_ns, kind)
    select op, name, replace(sha256, 'a', 'c'), source_sha256, last_put_unix_ns + 1, kind
    from template where op = 'saxpy'"
"$tests/damage_db" carried.db "update variant set template_id = (select max(template_id) from template)
    where template_id = (select template_id from template where op = 'saxpy' limit 1)"
for db in known carried; do
    "$tests/damage_db" $db.db "update decision set variant_id =
        (select variant_id from trial where trial.trial_id = decision.trial_id)"
done
run 0 merge known.db carried.db --db kept_1.db
run 0 merge carried.db known.db --db kept_2.db
for db in kept_1 kept_2; do
    [ "$(ask $db.db "select count(*) from decision")" -eq \
        "$(ask known.db "select count(*) from decision")" ] ||
        fail "$db.db: decisions are there twice"
done

# ---- many files, of older formats ---------------------------------------------
files=
for i in 1 2 3 4 5 6 7 8 9 10 11; do
    cp known.db "many_$i.db"
    run 0 sql --write "UPDATE problem SET dims = dims || ',$i'" --db "many_$i.db"
    files="$files many_$i.db"
done
# shellcheck disable=SC2086 # words
run 0 merge $files --db many.db --format json
json trials=77 winners=22 sessions=33
# shellcheck disable=SC2086
run 0 merge $files --db many.db --format json
json trials=0 winners=0
for version in 1 2 3 4 5 6 7 8; do
    "$tests/make_version" "version_$version.db" $version \
        "$here/../db/version_1.sql"
    before=$(cksum <version_$version.db)
    run 0 merge "version_$version.db" --db old.db --format json
    case $version in
    1) json trials=3 ;;
    *) json trials=0 sessions=0 winners=0 artifacts=0 ;;
    esac
    [ "$before" = "$(cksum <version_$version.db)" ] || fail "it was changed"
done
[ -z "$(find . -name '*.merge-*')" ] || fail "temporary files are left"

# ---- all or nothing ---------------------------------------------------------------
refused() { # refused CODE FILE WORDS..: abc.db is as before, none is made
    code=$1
    run "$code" merge known.db later.db "$2" --db abc.db
    shift 2
    for word in "$@"; do
        err_has "$word"
    done
    same abc.db cba.db
}
cp known.db bad.db
"$tests/damage_db" bad.db "delete from variant where variant_id = 1"
refused 3 bad.db "'bad.db' cannot be merged" "constraint failed"
run 3 merge bad.db --db none.db
[ ! -e none.db ] || fail "a database of nothing"
cp known.db newer.db
"$tests/damage_db" newer.db "pragma user_version = 99"
refused 3 newer.db "newer.db" "newer hone"
echo "some notes" >notes.db
refused 3 notes.db "not a database"
: >empty.db
refused 3 empty.db "is empty"
refused 3 missing.db "there is no database 'missing.db'"
refused 2 abc.db "'abc.db' cannot be merged into itself"
ln -s abc.db link.db
refused 2 link.db "into itself"
run 2 merge
# Of a cubin, a launch plan and a model the whole one stays, whichever file comes
# first, and one that is damaged here is mended.
cp tuned.db whole.db
# Whole, though no text of a model: that much is found in all of them.
"$tests/damage_db" whole.db "insert into model select 1, device_id, 'saxpy', '', 'cold', 'time',
    3, 1, 0.5, 1, '', a.size_bytes, a.sha256, a.data from device, artifact a
    where a.kind = 'source' limit 1"
cp whole.db bad.db
"$tests/damage_db" bad.db artifact data \
    "select rowid, length(data) / 2 from artifact where kind = 'cubin' limit 1"
"$tests/damage_db" bad.db "update artifact set size_bytes = size_bytes + 1
    where kind = 'source'"
"$tests/damage_db" bad.db "update variant set launch_lines = launch_lines || 'x'
    where variant_id = (select min(variant_id) from variant where launch_sha256 is not null)"
"$tests/damage_db" bad.db "update variant set launch_sha256 = replace(launch_sha256, '0', 'f')
    where variant_id = (select max(variant_id) from variant where launch_sha256 glob '*0*')"
"$tests/damage_db" bad.db "update model set size_bytes = size_bytes + 1, n_trials = 4"
run 1 check --db bad.db --format json
[ "$(grep -c '"state": "damaged"' out)" -eq 3 ] || fail "$(cat out)"
run 0 merge bad.db whole.db --db mended_1.db
run 0 merge whole.db bad.db --db mended_2.db
cp bad.db mended_3.db
run 0 merge whole.db --db mended_3.db
for i in 1 2 3; do
    run 1 check --db mended_$i.db --format json
    ! grep -E "size is wrong|SHA-256|decompressed|not what was stored" out ||
        fail "mended_$i.db is damaged"
    same mended_$i.db whole.db
done
# Sources are only read.
chmod a-w known.db
run 0 merge known.db --db read.db
rm -f read.db*

# ---- what an interruption left ------------------------------------------------------
# Later, and faster by its trials, but no final has seen it.
cp tuned.db left.db
"$tests/damage_db" left.db "update ranking set ranked_unix_s = ranked_unix_s + 100,
        time_ns = time_ns / 2, decided_by = 'interrupted: without a final';
    update session set status = 'interrupted', verdict = null,
        started_unix_s = started_unix_s + 100"
decided() { ask "$1" "select count(*) from ranking where rank = 1
    and decided_by not glob 'interrupted*'"; }
run 0 merge tuned.db left.db --db both.db
[ "$(decided both.db)" -eq 1 ] || fail "an interruption took the place of a winner"
run 0 merge left.db tuned.db --db other.db
[ "$(decided other.db)" -eq 1 ] || fail "a winner did not take an interruption's place"
same both.db other.db
