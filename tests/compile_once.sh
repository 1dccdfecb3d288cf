#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#   compile_once.sh --environment FOLDER     variables that put it to use, a line each
#   compile_once.sh WORD ..                  a compiler's command
# A C++ compiler for the tests of one run of tools/check, which names it in CXX:
# what hone asks of c++ again, word by word and byte by byte, it answers from
# $HONE_COMPILED_ONCE, a folder that is empty when the run begins and gone when
# it ends. Every test that compiles for the cpu device begins with an empty
# cache of hone's, and so compiles the same headers and kernels as the others.
# hone cannot tell: it starts a compiler each time, and finds its files.
#
# Kept are the questions about an option, our header precompiled, and units, by
# the command, the environment that compilers read, and all files of the unit's
# folder and the headers above it. Not kept is what failed, and units that
# include, or assemble, a file from elsewhere but the system's.
set -u
# Compilers are confined to folders of their own and those of caches, of which
# ccache's is named by a variable: it is how the folder can be written there.
if [ "${1:-}" = --environment ]; then
    own=$(cd "$(dirname "$0")" && pwd)/${0##*/} by=${CXX:-c++}
    # It would start itself where it was put to use before.
    [ "$by" != "$own" ] || by=${HONE_COMPILED_BY:-c++}
    printf '%s\n' "CXX=$own" "HONE_COMPILED_BY=$by" \
        "HONE_COMPILED_ONCE=$2" "CCACHE_DIR=$2"
    exit
fi
real=${HONE_COMPILED_BY:-c++}
kept=${HONE_COMPILED_ONCE:-}
[ -d "$kept" ] || exec "$real" "$@"
case " $* " in
*' -x c++ /dev/null '*) result= ;;
*' -x c++-header ../hone_cuda_host.h '*) result=../hone_cuda_host.h.gch ;;
*' hone-unit.cpp '*) result=hone-unit.d ;;
*) exec "$real" "$@" ;;
esac

# What the outcome rests on, as one name.
inputs() {
    printf '%s\n' "$@" "${LC_ALL:-} ${LANG:-} ${LANGUAGE:-} ${SOURCE_DATE_EPOCH:-}"
    [ -n "$result" ] || return 0
    set -- ../*.h
    for file in *; do
        case $file in
        hone-unit.cpp) set -- "$@" "$file" ;;
        hone-unit.* | gch.log) ;;
        *) set -- "$@" "./$file" ;;
        esac
    done
    sha256sum "$@"
}
if ! name=$(inputs "$@" | sha256sum); then
    exec "$real" "$@"
fi
entry=$kept/${name%% *}

if [ -e "$entry/said" ]; then
    case $result in
    hone-unit.d) cp "$entry"/hone-unit.* . ;;
    ?*) ln -sf "$entry/gch" "$result" ;;
    esac && exec cat "$entry/said"
    exec "$real" "$@"
fi

# Only files that the name counts: beside the unit, above, or the system's; the
# assembler names the compiler's temporary file, too.
is_whole() {
    for list in hone-unit.d hone-unit.as.d; do
        [ ! -e "$list" ] || ! tr -s '\\ ' '\n' <"$list" |
            grep -v -e '^[^/]*$' -e ':$' -e '^/usr/' -e '^\.\{1,2\}/[^/]*$' \
                -e '^/[^ ]*/cc[A-Za-z0-9]*\.s$' | grep -q . || return 1
    done
}
new=$kept/new.$$
mkdir "$new" || exec "$real" "$@"
code=0
"$real" "$@" >"$new/said" 2>&1 || code=$?
cat "$new/said"
if [ "$code" -eq 0 ]; then
    case $result in
    hone-unit.d)
        is_whole && for file in hone-unit.so hone-unit.o hone-unit.d \
            hone-unit.as.d; do
            [ ! -e "$file" ] || cp "$file" "$new" || exit
        done
        ;;
    ?*) cp "$result" "$new/gch" ;;
    esac && mv -T "$new" "$entry" 2>/dev/null
fi
rm -rf "$new"
exit "$code"
