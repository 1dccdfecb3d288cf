# SPDX-License-Identifier: Apache-2.0
# kill -9 in the middle of a run, then the same command again: no finished
# trial is repeated, none is lost, the database is whole.
. "$(dirname "$0")/gpu_test.sh"

tune() {
    "$HONE" tune saxpy --dims 3000017 --strategy random --seed 7 \
        --budget 120 --format json
}
integrity() {
    python3 -c 'import sqlite3,sys
c = sqlite3.connect(sys.argv[1])
print(c.execute("PRAGMA integrity_check").fetchone()[0])
print(c.execute("select count(*), count(distinct variant_id) from trial").fetchone())' \
        "$HONE_DB"
}
tune >"$scratch/first.json" 2>"$scratch/log" &
pid=$!
# Wait for some trials, not for all.
n=0
while [ "$n" -lt 15 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.2
    n=$(python3 -c 'import sqlite3,sys
try: print(sqlite3.connect(sys.argv[1]).execute("select count(*) from trial").fetchone()[0])
except Exception: print(0)' "$HONE_DB")
done
kill -9 $pid
wait $pid 2>/dev/null
sleep 1
expect "no worker outlives the tuner" test "$(pgrep -c -f 'hone tune saxpy')" -eq 0
integrity >"$scratch/after_kill"
cat "$scratch/after_kill"
expect "whole after kill -9" test "$(head -n 1 "$scratch/after_kill")" = ok
before=$(python3 -c 'import sqlite3,sys
print(sqlite3.connect(sys.argv[1]).execute("select count(*) from trial").fetchone()[0])' "$HONE_DB")
tune >"$scratch/second.json" 2>"$scratch/log"
expect "the second run finishes" test $? -eq 0
integrity >"$scratch/end"
cat "$scratch/end"
expect "whole at the end" test "$(head -n 1 "$scratch/end")" = ok
resumed=$(json "$scratch/second.json" "d['shapes'][0]['resumed']")
trials=$(json "$scratch/second.json" "d['shapes'][0]['trials']")
echo "trials before the kill $before, resumed $resumed, at the end $trials"
expect "none is lost" test "$resumed" -eq "$before"
expect "all are there" test "$trials" -eq 120
expect "none is repeated" test "$(tail -n 1 "$scratch/end")" = "(120, 120)"
exit $((failures > 0))
