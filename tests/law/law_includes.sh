#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The law of includes: which room (folder) may include which, as rooms.txt
# says. Prints every edge that is not allowed and every folder that is not in the
# table; exit 1 if there is any.
set -eu
cd "${HONE_SOURCE:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for part in runtime db gen templates tuner blas tools tests; do
    [ ! -d "$part" ] || find "$part" -type f \( -name '*.c' -o -name '*.h' \
        -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \)
done | sort >"$work/files"

# shellcheck disable=SC2016 # awk's variables
law='
function room_of(path) {
    if (path in is_room)
        return path
    sub(/\/[^\/]*$/, "", path)
    return match(path, /^(tests|templates)\//) ? substr(path, 1, RLENGTH - 1) : path
}
function complain(text) {
    print text
}
BEGIN {
    ARGV[ARGC++] = table
    while ((getline file <list) > 0)
        ARGV[ARGC++] = file
}

# The table: rooms, and what they may include.
function read_row(    n, word, i, room, earlier) {
    if ($1 !~ /:$/) {
        complain(FILENAME ":" FNR ": a line is ROOM: ROOMS")
        return
    }
    room = substr($1, 1, length($1) - 1)
    for (i = 2; i <= NF; i++) {
        word = $i
        n = 0
        for (earlier in is_room) {
            if (word == earlier || (word ~ /\/\*$/ &&
                index(earlier "/", substr(word, 1, length(word) - 1)) == 1)) {
                may[room, earlier] = 1
                n++
            }
        }
        if (!n)
            complain(FILENAME ":" FNR ": " word " is not a room of an earlier line")
    }
    may[room, room] = 1
    is_room[room] = 1
}

# Of ours: written from the root. Quoted without a folder is for device code,
# which is compiled where the tree is not.
function check_ours(path,    to) {
    if (index(path, "/") == 0) {
        if (FILENAME !~ /\.cuh?$/ && from != "tests")
            complain(FILENAME ":" FNR ": write the folder: " path)
        return
    }
    to = room_of(path)
    if (!((from, to) in may))
        complain(FILENAME ":" FNR ": " from "/ may not include " path)
}

FNR == 1 && FILENAME != table {
    from = room_of(FILENAME)
    if (!(from in is_room) && !(from in told)) {
        told[from] = 1
        complain(FILENAME ": the room " from "/ is not in " table)
    }
}
FILENAME == table {
    if (NF && $1 !~ /^#/)
        read_row()
    next
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, piece, "\"")
    check_ours(piece[2])
}
# CUDA is reached through dlopen; only device code and the tests of the public
# header may name its headers.
/^[ \t]*#[ \t]*include[ \t]*<(cuda|nvrtc|nvml|cublas|cufft)/ {
    if (FILENAME !~ /\.cuh?$/ && from != "tests")
        complain(FILENAME ":" FNR ": no CUDA header here: " $0)
}
'
table=tests/law/rooms.txt
sed -n '/^#/d; s/:.*//p' "$table" | while read -r room; do
    [ -e "$room" ] || echo "$table: there is no room $room"
done >"$work/found"
awk -v table="$table" -v list="$work/files" "$law" >>"$work/found"
cat "$work/found"
[ ! -s "$work/found" ]
