# SPDX-License-Identifier: Apache-2.0
# kill -9 in the middle of a run, then the same command again: no finished
# trial is repeated, none is lost, the database is whole.
. "$(dirname "$0")/gpu_test.sh"

tune() { # exec: the tuner itself is the process that is killed
    exec "$HONE" tune saxpy --dims 3000017 --strategy random --seed 7 \
        --budget 500
}
count() { ask "select count(*) from trial"; }

tune >"$scratch/first" 2>&1 &
pid=$!
n=0
while [ "$n" -lt 15 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.1
    n=$(count 2>/dev/null || echo 0)
    n=${n:-0}
done
kill -9 $pid
wait $pid 2>/dev/null
sleep 1
expect "no worker outlives the tuner" \
    test "$(pgrep -c -f 'tune saxpy --dims 3000017')" -eq 0
before=$(count)
expect "some trials, not all, before the kill" \
    test "$before" -ge 15 -a "$before" -lt 500
expect "whole after kill -9" test "$(ask 'pragma integrity_check')" = ok
(tune)
expect "the second run finishes" test $? -eq 0
expect "whole at the end" test "$(ask 'pragma integrity_check')" = ok
after=$(count)
distinct=$(ask "select count(distinct variant_id) from trial")
kept=$(ask "select count(*) from trial where session_id = 1")
echo "trials: $before before the kill, $kept of them kept, $after at the end"
expect "none is lost" test "$kept" -eq "$before"
expect "none is repeated" test "$after" -eq "$distinct"
expect "the budget is spent" test "$after" -eq 500
exit $((failures > 0))
