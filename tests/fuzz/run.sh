#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER [SECONDS [TARGET..]]: fuzzing that goes on until it is stopped,
# one core, all targets in turn for SECONDS each (600 when it is not said).
# FOLDER keeps what was learned; FOLDER/history has a line for each turn, and
# the totals are printed after each round.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?"a folder for what is found"}
seconds=${2:-600}
shift
[ $# -lt 1 ] || shift
mkdir -p "$folder"
targets=${*:-template expr t1 recording plan pack elf message sql}
while :; do
    for target in $targets; do
        nice -n 15 sh "$here/fuzz.sh" "$seconds" "$folder" "$target" |
            tee -a "$folder/history" || true
    done
    awk '$3 == "executions" { n[$1] += $2; s[$1] += $4 }
        END { for (t in n) printf "in all: %s %d executions, %.1f hours\n",
              t, n[t], s[t] / 3600 }' "$folder/history"
    [ "${FUZZ_ROUNDS:-0}" -ne 1 ] || break
done
