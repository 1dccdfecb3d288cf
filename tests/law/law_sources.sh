#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules of every source file: licence line, unique name, length, functions
# that are not used, who names a device, a README in every room, which names files that are there.
# Prints what breaks a rule; exit 1 if anything does.
set -eu
cd "${HONE_SOURCE:?}"
max_lines=600
max_public=1200 # the public header is one file, most of it sentences
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

parts=""
for part in runtime db gen templates tuner blas tools tests cmake docs; do
    [ ! -d "$part" ] || parts="$parts $part"
done
# shellcheck disable=SC2086 # a list of words
find $parts -type f ! -name '*.json' ! -path '*/results/*' >"$work/all"
# Golden files are what the program prints, not source.
grep -v '/golden/' "$work/all" |
    grep -E '\.(c|h|cu|cuh|def|sql|cmake|sh)$|/CMakeLists.txt$' \
        >"$work/sources" || true
grep -E '\.(c|h)$' "$work/sources" >"$work/c" || true

# Templates of tests are bad on purpose, their first line included.
xargs -r awk -v usual="$max_lines" -v public="$max_public" '
    function finish() {
        if (!licensed && name !~ /^tests\/.*\.cu$/)
            print name ":1: the line \047SPDX-License-Identifier: Apache-2.0\047 is missing"
        most = name == "runtime/hone.h" ? public : usual
        if (lines > most)
            print name ": " lines " lines, at most " most "; what are its parts?"
    }
    FNR == 1 {
        if (name != "") finish()
        name = FILENAME
        licensed = 0
    }
    FNR <= 3 && /SPDX-License-Identifier: Apache-2.0/ { licensed = 1 }
    { lines = FNR }
    END { if (name != "") finish() }' <"$work/sources" >"$work/found"

# One name, one file: a reader finds it by its name alone. Templates of users,
# in the tests, may be called like ours.
# shellcheck disable=SC2129 # one paragraph per rule
grep -v "^tests/templates/user/" "$work/all" | sed 's|.*/||' |
    grep -vE '^(README\.md|CMakeLists\.txt)$' |
    sort | uniq -d | while read -r name; do
    echo "$name: $(grep -c "/$name\$" "$work/all") files of this name:" \
        "$(grep "/$name\$" "$work/all" | tr '\n' ' ')"
done >>"$work/found"

# Rooms of the table of includes, and the folders of tests and tools.
{
    # shellcheck disable=SC2086 # a list of words
    printf '%s\n' $parts .
    sed -n '/^#/d; s/:.*//p' tests/law/rooms.txt
    find tests tools -mindepth 1 -maxdepth 1 -type d
} | sort -u | while read -r room; do
    [ ! -d "$room" ] || [ -f "$room/README.md" ] ||
        echo "$room/README.md is missing"
done >>"$work/found"
for part in tests/*/; do
    [ ! -d "$part" ] || [ -f "${part}CMakeLists.txt" ] ||
        echo "${part}CMakeLists.txt is missing"
done >>"$work/found"

# A file that a README or a document names is there, in the folder it names.
# What has a capital stands for others; decisions speak of files that went.
# shellcheck disable=SC2016 # code marks
grep -E '/README\.md$|^(docs|gen)/[^/]*\.md$' "$work/all" |
    grep -v '/decisions\.md$' | while read -r readme; do
    grep -oE '`[a-z0-9][a-z0-9_./]*\.(c|h|cu|cuh|def|sql|sh|awk|cmake)`' \
        "$readme" | tr -d '`' | sort -u |
        grep -vxE 'cuda\.h|cooperative_groups\.h' | while read -r name; do
        grep -qE "(^|/)$name\$" "$work/all" || echo "$readme: there is no $name"
    done
done >>"$work/found"

# Which device it is, the table says (HONE_BACKEND_MAP), the device's own folder
# and the reader of --device; everybody else asks a row.
# shellcheck disable=SC2016 # awk's fields
grep -v '^tests/' "$work/c" | xargs -r awk '
    {
        line = $0
        while (match(line, /HONE_BACKEND_[A-Z0-9_]+/)) {
            name = substr(line, RSTART + 13, RLENGTH - 13)
            line = substr(line, RSTART + RLENGTH)
            if (name ~ /^(MAP|ENUM|ID)?$/ || FILENAME == "tuner/compile/farm.h" ||
                FILENAME == "tools/base/option_device.c" ||
                index(FILENAME, "tuner/" tolower(name) "/") == 1)
                continue
            print FILENAME ":" FNR ": only the table and the folder of a " \
                "device name it, ask a row: HONE_BACKEND_" name
        }
    }' >>"$work/found"

# Calls of `names` in the C files that match `pattern`; comments and strings
# do not count.
banned() {
    pattern=$1
    names=$2
    why=$3
    # `inside` a comment never reaches into the next file.
    # shellcheck disable=SC2016 # awk's fields
    grep -E "$pattern" "$work/c" | xargs -r awk -v names="$names" -v why="$why" '
        FNR == 1 { inside = 0 }
        {
            line = $0
            if (inside) {
                if (!sub(/^.*\*\//, "", line)) next
                inside = 0
            }
            gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
            gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
            if (sub(/\/\*.*$/, "", line)) inside = 1
            if (match(line, "(^|[^A-Za-z0-9_.>])(" names ")[ ]*\\(")) {
                print FILENAME ":" FNR ": " why ": " $0
            }
        }'
}
{
    banned '^(runtime|db|gen|tuner|tools)/' \
        'strcpy|strcat|sprintf|vsprintf|gets|alloca' \
        'not used here, it cannot report an error'
    banned '^(runtime|db|gen|tuner|tools)/' 'system|popen' \
        'no shell from the program'
    # A worker process ends by _exit(); a library never ends its program.
    banned '^(runtime|db|gen|tuner)/' 'exit|abort|quick_exit' \
        'a library does not end the program'
    banned '^(runtime|db|gen|tuner)/' 'printf|puts|putchar|perror|vprintf' \
        'a library does not print'
    banned '^(db|gen|tuner)/' 'malloc|calloc|realloc|strdup|strndup' \
        'allocate through runtime/base/alloc.h'
} >>"$work/found"

cat "$work/found"
[ ! -s "$work/found" ]
