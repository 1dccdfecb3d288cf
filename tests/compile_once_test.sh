#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_once.sh compiles again whatever might come out differently. The
# compiler is a script that counts.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
once=${HONE_SOURCE:?}/tests/compile_once.sh
fail() {
    echo "FAILED: $*"
    cat "$work/log" 2>/dev/null || true
    exit 1
}
mkdir "$work/kept" "$work/a" "$work/a/unit" "$work/b" "$work/b/unit"
# Its result is all it read; it depends on what the unit says, beside that.
cat >"$work/cxx" <<'END'
#!/bin/sh
echo x >>"$COUNTED"
case " $* " in
*' -x c++ /dev/null '*) exit 0 ;;
*' -x c++-header '*) cat ../*.h >../hone_cuda_host.h.gch && exit ;;
esac
echo "a warning of $*" >&2
cat ../*.h ./*.cuh hone-unit.cpp >hone-unit.so
echo "hone-unit.so: hone-unit.cpp /usr/include/stdio.h ../own.h \\" >hone-unit.d
echo " x.cuh $(cat hone-unit.cpp)" >>hone-unit.d
echo "/tmp/ccA1b2.o: hone-unit.cpp /tmp/ccA1b2.s" >hone-unit.as.d
! grep -q broken hone-unit.cpp
END
chmod +x "$work/cxx"
COUNTED=$work/counted
HONE_COMPILED_BY=$work/cxx
HONE_COMPILED_ONCE=$work/kept
export COUNTED HONE_COMPILED_BY HONE_COMPILED_ONCE
for folder in a b; do
    echo 'int own;' >"$work/$folder/own.h"
    echo 'int x;' >"$work/$folder/unit/x.cuh"
    echo y.cuh >"$work/$folder/unit/hone-unit.cpp"
done
# compiles N FOLDER WORD..: N more runs of the compiler, of the command in FOLDER
compiles() {
    wanted=$1
    cd "$work/$2/unit"
    shift 2
    : >"$COUNTED"
    rm -f hone-unit.so hone-unit.d hone-unit.as.d
    code=0
    sh "$once" "$@" >"$work/log" 2>&1 || code=$?
    [ "$(wc -l <"$COUNTED")" -eq "$wanted" ] || fail "not $wanted compiles: $*"
}
# unit N FOLDER: with the files and the words of a compiler
unit() {
    compiles "$@" -O1 -MD hone-unit.cpp -o hone-unit.so
    [ "$code" -eq 0 ] || fail "exit $code"
    cat ../*.h ./*.cuh hone-unit.cpp | cmp - hone-unit.so || fail "the result"
    grep -q ' x.cuh' hone-unit.d || fail "no list of files"
    [ -s hone-unit.as.d ] || fail "no list of the assembler"
    grep -qx 'a warning of -O1 -MD hone-unit.cpp -o hone-unit.so' "$work/log" ||
        fail "no warning"
}
unit 1 a
unit 0 a
unit 0 b
compiles 1 a -O2 -MD hone-unit.cpp -o hone-unit.so
compiles 0 b -O2 -MD hone-unit.cpp -o hone-unit.so
# A file that changes, ours or the template's, and one that is added.
echo 'int other;' >"$work/b/own.h"
unit 1 b
echo 'int y;' >"$work/b/unit/x.cuh"
unit 1 b
echo 'int z;' >"$work/b/unit/z.cuh"
unit 1 b
echo z.cuh >"$work/b/unit/hone-unit.cpp"
unit 1 b
unit 0 b
unit 0 a
# A file from elsewhere, and a failure.
echo /home/somebody/z.cuh >"$work/b/unit/hone-unit.cpp"
unit 1 b
unit 1 b
echo ../../z.cuh >"$work/b/unit/hone-unit.cpp"
unit 1 b
unit 1 b
echo broken >"$work/b/unit/hone-unit.cpp"
for _ in 1 2; do
    compiles 1 b -O1 -MD hone-unit.cpp -o hone-unit.so
    [ "$code" -eq 1 ] || fail "a compiler that failed ends with $code"
done
# The header, a question, and what is none of the two.
header='-x c++-header ../hone_cuda_host.h -o ../hone_cuda_host.h.gch'
# shellcheck disable=SC2086 # words
compiles 1 a $header
# shellcheck disable=SC2086
compiles 0 a $header
cmp "$work/a/own.h" "$work/a/hone_cuda_host.h.gch" || fail "the header"
# shellcheck disable=SC2086
compiles 1 b $header
cmp "$work/b/own.h" "$work/b/hone_cuda_host.h.gch" || fail "the other header"
compiles 1 a -fone -S -x c++ /dev/null -o /dev/null
compiles 0 b -fone -S -x c++ /dev/null -o /dev/null
compiles 1 a -c other.cpp
compiles 1 a -c other.cpp
# From where hone's compile processes are confined to, too: a second cache that
# is empty makes no unit and no header again.
mkdir "$work/within" "$work/home"
cat >"$work/counting" <<'END'
#!/bin/sh
case " $* " in
*' -x c++-header '* | *' hone-unit.cpp '*) echo "$*" >>"$HONE_COMPILED_ONCE/counted" ;;
esac
exec c++ "$@"
END
chmod +x "$work/counting"
CXX=$work/counting "$once" --environment "$work/within" >"$work/environment"
verify() {
    # shellcheck disable=SC2046 # no blanks in the names of temporary folders
    env $(cat "$work/environment") HOME="$work/home" HONE_LOCK_DIR="$work" \
        HONE_TEMPLATE_PATH="$HONE_SOURCE/templates" HONE_CACHE_DIR="$work/cache$1" \
        "${HONE:?}" verify saxpy/stream --device cpu --limit 1 >"$work/log" 2>&1 ||
        fail "verify"
}
if command -v c++ >/dev/null; then
    verify 1
    [ -s "$work/within/counted" ] || fail "nothing was compiled"
    : >"$work/within/counted"
    verify 2
    [ ! -s "$work/within/counted" ] || {
        cp "$work/within/counted" "$work/log"
        fail "compiled again"
    }
fi
# Put to use where it is already, it does not name itself.
# shellcheck disable=SC2046 # no blanks in the names of temporary folders
env $(cat "$work/environment") "$once" --environment "$work/within" >"$work/again"
grep -qx "HONE_COMPILED_BY=$work/counting" "$work/again" || {
    cp "$work/again" "$work/log"
    fail "it names itself"
}
# Without a folder it is the compiler.
rm -r "$work/kept"
unit 1 a
