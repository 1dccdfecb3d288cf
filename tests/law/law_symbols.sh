#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the objects of the build say: a function that only its own file uses is
# static, and calls follow the law of includes (rooms.txt), also where a table
# declares what a room above has. Prints what breaks a rule; exit 1 if anything
# does, 77 where not everything is built.
set -eu
build=$(cd "$(dirname "${HONE:?}")/.." && pwd)
cd "${HONE_SOURCE:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Objects, with their sources: FOLDER/CMakeFiles/TARGET.dir/FILE.c.o. Those of
# files that went, or that the build made, do not count.
find runtime db gen templates tuner blas tools -name '*.c' | sort >"$work/sources"
(cd "$build" && find runtime db gen templates tuner blas tools -name '*.c.o') |
    sed -n 's|^\(.*/\)CMakeFiles/[^/]*\.dir/\(.*\.c\)\.o$|&\t\1\2|p' |
    sort -u -k 2,2 |
    awk -v sources="$work/sources" '
        BEGIN { while ((getline path <sources) > 0) is_source[path] = 1 }
        $2 in is_source' >"$work/objects"
cut -f 2 "$work/objects" | sort | comm -13 - "$work/sources" >"$work/unbuilt"
if [ -s "$work/unbuilt" ]; then
    echo "not everything is built: no object of $(head -n 1 "$work/unbuilt")"
    exit 77
fi

# SOURCE SYMBOL KIND, of our own symbols.
cut -f 1 "$work/objects" | (cd "$build" && xargs nm -A -g -P) |
    awk -v objects="$work/objects" '
        BEGIN { while ((getline <objects) > 0) source[$1] = $2 }
        $2 ~ /^_*hone_/ {
            sub(/:$/, "", $1)
            print source[$1], $2, $3
        }' >"$work/symbols"
# What tests name, they may use.
grep -rohE 'hone__[a-z0-9_]+' tests --include='*.[ch]' --include='*.cmake' \
    --include='CMakeLists.txt' --include='*.cpp' | sort -u >"$work/tested"

awk -v table=tests/law/rooms.txt -v tested="$work/tested" '
    function room_of(path) {
        sub(/\/[^\/]*$/, "", path)
        return path ~ /^templates/ ? "templates" : path
    }
    BEGIN {
        while ((getline line <table) > 0) {
            n = split(line, word, /:? +|:$/)
            if (line ~ /^#/ || n == 0) continue
            room = word[1]
            may[room, room] = 1
            for (i = 2; i <= n; i++)
                for (earlier in is_room)
                    if (word[i] == earlier || (word[i] ~ /\/\*$/ &&
                        index(earlier "/", substr(word[i], 1, length(word[i]) - 1)) == 1))
                        may[room, earlier] = 1
            is_room[room] = 1
        }
        while ((getline name <tested) > 0) is_used[name] = 1
        # Found by its name, when the library is loaded.
        is_used["hone__sqlite_library"] = 1
    }
    $3 != "U" { home[$2] = $1 }
    $3 == "U" { is_used[$2] = 1; user[$1, $2] = 1 }
    END {
        for (name in home)
            if (name ~ /^hone__/ && !is_used[name])
                print home[name] ": nobody else uses " name ": make it static"
        for (pair in user) {
            split(pair, at, SUBSEP)
            to = home[at[2]]
            if (to != "" && !((room_of(at[1]), room_of(to)) in may))
                print at[1] ": " room_of(at[1]) "/ may not use " at[2] \
                    " of " to
        }
    }' "$work/symbols" | sort >"$work/found"
cat "$work/found"
[ ! -s "$work/found" ]
