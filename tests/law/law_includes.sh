#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The law of includes: which directory may include which. Prints every edge
# that is not allowed; exit 1 if there is any.
set -eu
cd "${HONE_SOURCE:?}"

# What each directory may include of ours.
allowed() {
    case $1 in
    runtime) echo runtime ;;
    db) echo db runtime ;;
    gen) echo gen runtime ;;
    templates) echo templates ;;
    tuner) echo tuner gen db runtime ;;
    tools | tests) echo runtime db gen templates tuner tools tests ;;
    esac
}

for part in runtime db gen templates tuner tools tests; do
    [ -d "$part" ] || continue
    find "$part" -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.def' \) -exec awk -v part="$part" \
        -v allowed=" $(allowed "$part") " '
        # Of ours: written from the root. Quoted without a folder is for
        # device code, which is compiled where the tree is not.
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, piece, "\"")
            slash = index(piece[2], "/")
            if (slash) {
                target = substr(piece[2], 1, slash - 1)
                if (index(allowed, " " target " ") == 0)
                    print FILENAME ":" FNR ": " part "/ may not include " \
                        piece[2]
            } else if (FILENAME !~ /\.cuh?$/ && part != "tests") {
                print FILENAME ":" FNR ": write the folder: " piece[2]
            }
        }
        # CUDA is reached through dlopen; only device code and the tests of
        # the public header may name its headers.
        /^[ \t]*#[ \t]*include[ \t]*<(cuda|nvrtc|nvml|cublas|cufft)/ {
            if (FILENAME !~ /\.cuh?$/ && part != "tests")
                print FILENAME ":" FNR ": no CUDA header here: " $0
        }' {} +
done >"${TMPDIR:-/tmp}/law_includes.$$"
cat "${TMPDIR:-/tmp}/law_includes.$$"
count=$(wc -l <"${TMPDIR:-/tmp}/law_includes.$$")
rm -f "${TMPDIR:-/tmp}/law_includes.$$"
[ "$count" -eq 0 ]
