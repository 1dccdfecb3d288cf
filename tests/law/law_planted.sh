#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checkers of the law find what they are for: a small tree in which every
# rule is broken once, and one in which none is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
licence='/* SPDX-License-Identifier: Apache-2.0 */'

for part in runtime db gen templates tuner blas tools tests cmake docs; do
    mkdir "$tree/$part"
    echo "$part" >"$tree/$part/README.md"
done
echo top >"$tree/README.md"
# The real table.
mkdir "$tree/tests/law"
echo law >"$tree/tests/law/README.md"
echo "# ${licence}" >"$tree/tests/law/CMakeLists.txt"
table=$tree/tests/law/rooms.txt
cp "$here/rooms.txt" "$table"
sed -n '/^#/d; s/:.*//p' "$table" | grep -v '\.h$' | (cd "$tree" && xargs mkdir -p)
find "$tree"/*/* -type d -exec sh -c 'echo a room >"$1/README.md"' - {} \;
echo "$licence" >"$tree/runtime/hone.h"
printf '%s\n#include "runtime/a.h"\n' "$licence" >"$tree/gen/good.c"
printf '%s\n/* printf("x") is only named */\n' "$licence" >"$tree/db/good2.c"
printf '%s\n#include "gen/good.h"\n' "$licence" >"$tree/tuner/good3.c"
for file in tuner/cuda/good4.c tools/base/option_device.c; do
    printf '%s\nint x = HONE_BACKEND_CUDA;\n' "$licence" >"$tree/$file"
done

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
# Upward between the rooms of a folder, from a room to its face, and between
# folders.
for pair in gen/bad.c:db/db.h runtime/bad.c:gen/space.h \
    tuner/bad.c:tools/base/output.h runtime/base/bad.h:runtime/expr/expr.h \
    runtime/store/bad.c:runtime/driver/driver.h \
    runtime/launch/bad.c:runtime/context.h gen/parse/bad.c:gen/solve/graph.h \
    gen/t1/bad.def:gen/space.h tuner/judge/bad.c:tuner/trial/timer.h \
    tuner/search/bad.c:db/db.h tuner/device/bad.h:tuner/cuda/device.h \
    tuner/cpu/bad.c:tuner/cuda/cuda_device.h tuner/trial/bad.c:tuner/tuner.h \
    tuner/session/bad.c:tuner/replay/replay_tune.h \
    tools/base/bad.c:tools/help.h tools/simulate/bad.c:tools/inputs/inputs.h templates/bad.cu:runtime/hone.h \
    tools/bad.c:tests/db/db_fixture.h \
    runtime/base/bad.c:runtime/context.h; do
    file=${pair%%:*}
    plant "$file" "#include \"${pair#*:}\"" law_includes.sh \
        "$file:2: ${file%/*}/ may not include ${pair#*:}"
done
mkdir "$tree/tuner/closet"
plant tuner/closet/bad.c '' law_includes.sh \
    'the room tuner/closet/ is not in tests/law/rooms.txt'
plant tuner/bad.c '#include "tuner/closet/closet.h"' law_includes.sh \
    'tuner/ may not include tuner/closet/closet.h'
rm -r "$tree/tuner/closet"
# The table itself: circles, rooms that are gone, lines that say nothing.
change_table() { # change_table SED COMPLAINT
    sed "$1" "$here/rooms.txt" >"$table"
    expect law_includes.sh "$2"
}
change_table 's|^gen/parse:|& tuner/judge|' \
    'tuner/judge is not a room of an earlier line'
change_table '1i tuner/gone:' 'there is no room tuner/gone'
change_table '1i tuner/gone may all' 'a line is ROOM: ROOMS'
cp "$here/rooms.txt" "$table"

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
for file in tuner/session/bad.c tools/bad.h tuner/cpu/bad.c; do
    plant $file 'int x = HONE_BACKEND_CUDA;' law_sources.sh \
        "$file:2: only the table and the folder of a device name it"
done
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
# shellcheck disable=SC2016 # code marks
echo '`good2.c`, then `gone.c`, then `OP.c`' >"$tree/db/README.md"
expect law_sources.sh 'db/README.md: there is no gone.c'
# shellcheck disable=SC2016 # code marks
echo '`good2.c`, `db/good2.c`, `gen/good2.c`' >"$tree/db/README.md"
expect law_sources.sh 'db/README.md: there is no gen/good2.c'
for document in docs/guide.md gen/GRAMMAR.md; do
    # shellcheck disable=SC2016 # code marks
    echo '`good3.c`, `gone3.c`' >"$tree/$document"
    expect law_sources.sh "$document: there is no gone3.c"
    rm "$tree/$document"
done
# shellcheck disable=SC2016 # code marks
echo '`gone3.c` went' >"$tree/docs/decisions.md"
# shellcheck disable=SC2016 # code marks
echo '`good2.c`' >"$tree/db/README.md"
run law_sources.sh || {
    echo "law_sources.sh complains about what is right:"
    cat "$tree/output"
    exit 1
}
mkdir "$tree/tools/attic"
expect law_sources.sh 'tools/attic/README.md is missing'
rmdir "$tree/tools/attic"
for room in db gen/solve tuner/cpu/host; do
    rm "$tree/$room/README.md"
    expect law_sources.sh "$room/README.md is missing"
done

# What only objects show: a room that calls a function which it declares itself
# or finds declared by a table, and functions that nobody else uses.
find "$tree" -name "*.c" -exec rm {} +
mkdir -p "$tree/build/bin"
compile() { # compile FILE TEXT
    object=$tree/build/$(dirname "$1")/CMakeFiles/x.dir/$(basename "$1").o
    mkdir -p "$(dirname "$object")"
    echo "$2" >"$tree/$1"
    "${CC:-cc}" -c -x c -o "$object" "$tree/$1"
}
HONE=$tree/build/bin/hone
export HONE
compile gen/made.c 'int hone__made; static int own; int *f(void) { return &own; }'
compile tools/main.c 'extern int hone__made; int main(void) { return hone__made; }'
compile tools/base/message.c 'int hone__told(void) { return 0; }'
echo 'int hone__told(void);' >"$tree/tests/law/test_told.c"
run law_symbols.sh || {
    echo "law_symbols.sh complains about good objects:"
    cat "$tree/output"
    exit 1
}
rm "$tree/tests/law/test_told.c"
expect law_symbols.sh \
    'tools/base/message.c: nobody else uses hone__told: make it static'
compile tools/base/message.c 'int hone__told(void); int hone__use(void);
int hone__use(void) { return hone__told(); }'
compile tools/help.c 'int hone__told(void) { return 0; } int hone__use(void);
int hone__help(void); int hone__help(void) { return hone__use(); }'
expect law_symbols.sh \
    'tools/base/message.c: tools/base/ may not use hone__told of tools/help.c'
echo >"$tree/db/late.c"
code=0
run law_symbols.sh || code=$?
[ "$code" -eq 77 ] || {
    echo "law_symbols.sh: exit code $code though db/late.c is not built"
    exit 1
}
