# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Common to the GPU tests: sourced, not run. Sets HONE, a scratch folder with
# a database and a cache, and skips (77) where there is no GPU. With DEVICE=cpu
# a script runs on the cpu device, as far as that goes: to test the script.
HONE=${HONE:-build/bin/hone}
HONE_SOURCE=${HONE_SOURCE:-.}
DEVICE=${DEVICE:-cuda}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
HONE_DB=$scratch/hone.db
HONE_CACHE_DIR=${HONE_TEST_CACHE:-$scratch/cache}
export HONE_DB HONE_CACHE_DIR

needs() { # needs WHAT SENTENCE: of hone doctor
    if [ "$DEVICE" = cuda ] &&
        ! "$HONE" doctor --require "$1" >"$scratch/doctor" 2>&1; then
        echo "skipped: no $2 here (hone doctor --require $1 says so)"
        exit 77
    fi
}
needs gpu GPU
needs nvrtc NVRTC

failures=0
expect() { # expect WHAT COMMAND..: the command must succeed
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "FAILED: $what"
        failures=$((failures + 1))
    fi
}

# The database through plain SQL: ask SQL. Waits for a writer.
ask() {
    "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"
}
n_trials() { ask "select count(*) from trial" 2>/dev/null || echo 0; }
expect_whole() { # a run that ended at once may have left no database
    expect "the database is whole" test ! -e "$HONE_DB" -o \
        "$(ask 'pragma integrity_check' 2>/dev/null)" = ok
}
new_db() { rm -f "$HONE_DB"*; }
