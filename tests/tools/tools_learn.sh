#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was tuned teaches what was not: a model is kept and begins the search of
# the next problem; one that cannot be read is as if it were not there. No GPU.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/learn.db
HONE_CACHE_DIR=$work/cache
export HONE_DB HONE_CACHE_DIR
tune() { # tune CODE ARGUMENTS..: without noise
    wanted=$1
    shift
    run "$wanted" tune saxpy --device cpu --format json -q "$@"
}
ask() { # ask SQL: its one value
    "$HONE" sql "$1" --format csv 2>/dev/null | sed 1d | tr -d '"'
}

# One problem teaches nothing about others; two with trials enough do.
tune 0 --dims 5003 --budget 36
json shapes.0.guided=0
[ "$(ask "SELECT count(*) FROM model_v1")" = 0 ] || fail "a model of one problem"
tune 0 --dims 20011 --budget 36
json shapes.0.guided=0
[ "$(ask "SELECT kind || n_problems FROM model_v1")" = time2 ] ||
    fail "no model of two problems"
run 0 tune saxpy --device cpu --dims 9001 --budget 8
err_has "80 trials of 3 problems teach what to try first at the next one"

# The next one is guided, unless it is to begin with nothing.
tune 0 --dims 30011 --budget 8 --no-seeds
json shapes.0.guided=0
tune 0 --dims 40009 --budget 8
json shapes.0.guided=2 shapes.0.trials=8 shapes.0.winner
tune 0 --dims 40013 --budget 8 --strategy random
json shapes.0.trials=8
# With four problems its error at those left out is known.
[ "$(ask "SELECT count(*) FROM model_v1 WHERE n_problems > 4
    AND error BETWEEN 0 AND 1")" = 1 ] || fail "the error is not there"

# A model that is damaged, or of a later hone, is made anew.
cp "$HONE_DB" "$work/damaged.db"
"$HONE" sql --write --db "$work/damaged.db" \
    "UPDATE model SET data = x'00', n_trials = 100000" >/dev/null
tune 0 --dims 50021 --budget 8 --db "$work/damaged.db"
json shapes.0.guided=2 shapes.0.winner
run 0 sql "SELECT length(data) > 100 AS good FROM model" --format csv \
    --db "$work/damaged.db"
out_has 1
