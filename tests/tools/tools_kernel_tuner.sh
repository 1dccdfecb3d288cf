#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernel Tuner itself reads what hone export writes, tunes on it in simulation
# mode and finds the same best configuration. $HONE_TEST_PYTHON names a Python
# that has the package (default python3).
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
cd "$work"
python=${HONE_TEST_PYTHON:-python3}
"$python" -c 'import kernel_tuner' 2>why || {
    echo "skipped: $python has no package kernel_tuner (pip install kernel-tuner;" \
        "HONE_TEST_PYTHON names another Python)"
    exit 77
}
simulated() { # simulated CACHE N: what Kernel Tuner makes of it
    before=$(cksum <"$1")
    "$python" "$here/kernel_tuner_simulate.py" "$1" ${3:+"$3"} >sim 2>sim.err || {
        cat sim.err
        fail "Kernel Tuner does not take $1"
    }
    [ "$before" = "$(cksum <"$1")" ] || fail "$1 was mended"
    grep -q "^results $2 " sim || fail "not $2 results: $(cat sim)"
}
best() { # best DB: the same of the database
    "$tests/db_ask" "$1" "select config from trial_v1 where outcome = 'ok'
        order by time_ns, trial_id limit 1"
}
run 0 tune saxpy/stream --dims 777 --device cpu --budget 12 --db tuned.db -q
run 0 sql --write "UPDATE trial SET outcome = 'wrong' WHERE trial_id IN (SELECT
    max(trial_id) FROM trial)" --db tuned.db
run 0 export saxpy --format kernel-tuner --db tuned.db -o cache.json -q
run 0 export saxpy --format t4 --db tuned.db -o t4.json -q
simulated cache.json 12 t4.json
grep -qF "best $(best tuned.db) " sim || fail "another best: $(cat sim)"
grep -q "t4 valid" sim || fail "t4.json is not of the schema: $(cat sim)"
# A cache that came from Kernel Tuner, through a database.
run 0 import "$here/../replay/recordings/small_cache.json" --db foreign.db
run 0 export axpy --format kernel-tuner --db foreign.db -o again.json -q
simulated again.json 6
grep -qF "best $(best foreign.db) " sim || fail "another best: $(cat sim)"
cat sim
