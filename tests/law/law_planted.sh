#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checkers of the law find what they are for: a small tree in which every
# rule is broken once, and one in which none is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
licence='/* SPDX-License-Identifier: Apache-2.0 */'

for part in runtime db gen templates tuner tools tests cmake docs; do
    mkdir "$tree/$part"
    echo "$part" >"$tree/$part/README.md"
done
echo top >"$tree/README.md"
printf '%s\n#include "runtime/a.h"\n' "$licence" >"$tree/gen/good.c"
printf '%s\n/* printf("x") is only named */\n' "$licence" >"$tree/db/good2.c"
printf '%s\n#include "gen/good.h"\n' "$licence" >"$tree/tuner/good3.c"

run() { # run CHECKER: its output, and whether it was content
    HONE_SOURCE=$tree sh "$here/$1" >"$tree/output" 2>&1
}
expect() { # expect CHECKER TEXT
    if run "$1"; then
        echo "$1 did not find: $2"
        exit 1
    fi
    grep -qF -e "$2" "$tree/output" || {
        echo "$1 should say '$2', said:"
        cat "$tree/output"
        exit 1
    }
}
for checker in law_includes.sh law_sources.sh; do
    run "$checker" || {
        echo "$checker complains about a good tree:"
        cat "$tree/output"
        exit 1
    }
done

plant() { # plant FILE TEXT CHECKER COMPLAINT
    printf "%s\n$2\n" "$licence" >"$tree/$1"
    expect "$3" "$4"
    rm "$tree/$1"
}
plant gen/bad.c '#include "db/db.h"' law_includes.sh \
    'gen/ may not include db/db.h'
plant runtime/bad.c '#include "gen/space.h"' law_includes.sh \
    'runtime/ may not include gen/space.h'
plant tuner/bad.c '#include "tools/output.h"' law_includes.sh \
    'tuner/ may not include tools/output.h'
plant gen/bad2.c '#include <cuda.h>' law_includes.sh 'no CUDA header'
plant db/bad.c '#include "db.h"' law_includes.sh 'write the folder'
plant tools/bad.c 'int f(void) { return strcpy(a, b); }' law_sources.sh \
    'cannot report'
plant gen/bad.c 'void f(void) { exit(1); }' law_sources.sh 'does not end'
plant tuner/bad.c 'void f(void) { printf("x"); }' law_sources.sh \
    'does not print'
plant gen/bad.c 'void *f(void) { return malloc(1); }' law_sources.sh \
    'alloc.h'
plant tools/bad.c 'int f(void) { return system("ls"); }' law_sources.sh \
    'no shell'
plant runtime/good3.c '' law_sources.sh 'good3.c: 2 files of this name'

printf 'int x;\n' >"$tree/gen/bare.c"
expect law_sources.sh 'gen/bare.c:1: the line'
rm "$tree/gen/bare.c"
{
    echo "$licence"
    yes '' | head -n 700
} >"$tree/gen/long.c"
expect law_sources.sh 'gen/long.c: 701 lines'
rm "$tree/gen/long.c"
rm "$tree/db/README.md"
expect law_sources.sh 'db/README.md is missing'
