#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The binary interface of libhone, as runtime/hone.abi has it: every function,
# every member of a structure with its place and size, every constant with its
# value, on 64-bit machines. What the hone.abi of the last tag has stays as it is
# as long as the library is called the same; functions and constants may be
# added. Callers have structures in their own memory, so those do not grow.
#
#     sh tests/runtime/abi.sh --write     writes hone.abi anew
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=${HONE_SOURCE:?}/runtime/hone.h
kept=$HONE_SOURCE/runtime/hone.abi
cc=${CC:-cc}
command -v "$cc" >/dev/null || exit 77

# The header alone: what it includes has markers of other files.
"$cc" -E "$header" | awk '
    /^# [0-9]+ "/ { ours = $0 ~ /\/runtime\/hone\.h"/; next }
    ours' | tr '\n' ' ' | tr -s ' ' >"$work/flat"
awk '
    function last_name(text) {
        sub(/\[.*/, "", text)
        sub(/ +$/, "", text)
        match(text, /[A-Za-z_0-9]+$/)
        return substr(text, RSTART)
    }
    {
        text = $0
        print "#include \"hone.h\"\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{"
        while (match(text, /typedef (struct|enum) [a-z_]+ \{[^}]*\}/)) {
            found = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            split(found, word, " ")
            kind = word[2]; name = word[3]
            body = found; sub(/^[^{]*\{/, "", body); sub(/\}$/, "", body)
            if (kind == "struct") {
                printf "printf(\"struct %s: %%zu bytes\\n\", sizeof(%s));\n", name, name
                n = split(body, member, ";")
                for (i = 1; i <= n; i++) {
                    if (member[i] !~ /[a-z]/) continue
                    of = last_name(member[i])
                    printf "printf(\"%s.%s: at %%zu, %%zu bytes\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", name, of, name, of, name, of
                }
            } else {
                n = split(body, member, ",")
                for (i = 1; i <= n; i++) {
                    if (member[i] !~ /[A-Z]/) continue
                    sub(/=.*/, "", member[i])
                    of = last_name(member[i])
                    printf "printf(\"%s %s = %%d\\n\", (int)%s);\n", name, of, of
                }
            }
        }
        print "return 0;\n}"
    }' "$work/flat" >"$work/sizes.c"
"$cc" -std=c11 -I "$HONE_SOURCE/runtime" -o "$work/sizes" "$work/sizes.c"
{
    "$work/sizes"
    tr ';' '\n' <"$work/flat" | sed -n \
        's/.*visibility("default"))) *\(.*hone_[a-z_]*(.*\)$/\1/p' |
        sed 's/ *$//; s/^ *//'
} >"$work/now"
if [ "$(grep -c '(' "$work/now")" -le 25 ] ||
    ! grep -q '^struct hone_match' "$work/now"; then
    echo "few things are read of hone.h"
    exit 1
fi
if [ "${1:-}" = --write ]; then
    cp "$work/now" "$kept"
    exit 0
fi

# lacking FILE: lines of an interface that are not so any more
lacking() {
    grep -vxFf "$work/now" "$1" >"$work/lost" || return 0
    echo "the interface of $2 is not kept:"
    cat "$work/lost"
    echo "What programs were built with has to stay: add functions, or give the" \
        "library another HONE_SOVERSION."
    exit 1
}
version=$(sed -n 's/.*HONE_SOVERSION "\{0,1\}\([0-9.]*\).*/\1/p' \
    "$HONE_SOURCE/CMakeLists.txt" | head -n 1)
tag=$(git -C "$HONE_SOURCE" describe --tags --abbrev=0 2>/dev/null || true)
if [ -n "$tag" ] && git -C "$HONE_SOURCE" show "$tag:runtime/hone.abi" \
    >"$work/tagged" 2>/dev/null &&
    git -C "$HONE_SOURCE" show "$tag:CMakeLists.txt" |
    grep -qF "HONE_SOVERSION $version"; then
    lacking "$work/tagged" "$tag"
fi
diff "$kept" "$work/now" >"$work/diff" || {
    echo "runtime/hone.abi (<) is not what hone.h says (>):"
    cat "$work/diff"
    echo "If only lines are added: sh tests/runtime/abi.sh --write. Nothing is" \
        "released yet, so that others may change, too."
    exit 1
}
