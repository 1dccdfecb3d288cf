# SPDX-License-Identifier: Apache-2.0
# Common to the GPU tests: sourced, not run. Sets HONE, a scratch folder with
# a database and a cache, and skips (77) where there is no GPU.
HONE=${HONE:-build/bin/hone}
HONE_SOURCE=${HONE_SOURCE:-.}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
HONE_DB=$scratch/hone.db
HONE_CACHE_DIR=${HONE_TEST_CACHE:-$scratch/cache}
export HONE_DB HONE_CACHE_DIR

if ! "$HONE" doctor --require gpu >"$scratch/doctor" 2>&1; then
    echo "skipped: no GPU here (hone doctor --require gpu says so)"
    exit 77
fi
if ! "$HONE" doctor --require nvrtc >"$scratch/doctor" 2>&1; then
    echo "skipped: no NVRTC here (hone doctor --require nvrtc says so)"
    exit 77
fi

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

# The database through plain SQL: ask SQL.
ask() {
    "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"
}
