#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SECONDS [FOLDER [TARGET..]]: every target, or those that are named,
# for so long each, FUZZ_JOBS (1) of them at a time. FOLDER has the build, what was
# found to be interesting (corpus/TARGET) and what failed (found/TARGET); without
# one it is the tests' own. A line each says what was done: target, executions,
# seconds. Exit 77: nothing here builds them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-10}
folder=${2:-$(dirname "$(dirname "${HONE:?}")")/fuzz}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
mkdir -p "$folder"
# One at a time: two tests use the same build.
exec 9>"$folder/lock"
flock 9
sh "$here/build.sh" "$folder/build"
targets=${*:-template expr t1 recording plan pack elf message sql}
# shellcheck disable=SC2086 # a list of words
printf '%s\n' $targets |
    xargs -P "${FUZZ_JOBS:-1}" -n 1 sh "$here/one.sh" "$seconds" "$folder" ||
    exit 1
