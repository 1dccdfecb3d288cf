#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed tree that was moved: a project of somebody else's finds it, tunes
# and launches its own kernel with it; so does a compiler with pkg-config.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$(dirname "${HONE:?}")/.." && pwd)
fail() {
    echo "FAILED: $*"
    cat "$work/log" 2>/dev/null || true
    exit 1
}
step() { # step WHAT COMMAND..
    what=$1
    shift
    "$@" >"$work/log" 2>&1 </dev/null || fail "$what"
}
command -v c++ >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
# A program that is not sanitized cannot load a library that is.
if nm "$HONE" | grep -q '__[at]san_init'; then
    echo "a sanitized library is for sanitized programs"
    exit 77
fi
# Nothing of the user's, no GPU, no NVRTC.
HOME=$work/home
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HOME HONE_NVRTC_LIBRARY HONE_CUDA_LIBRARY
unset HONE_DB HONE_CACHE_DIR HONE_TEMPLATE_PATH HONE_INCLUDE_PATH \
    XDG_DATA_HOME XDG_CACHE_HOME LD_LIBRARY_PATH CMAKE_PREFIX_PATH DESTDIR
mkdir "$HOME"

step "install with DESTDIR" env DESTDIR="$work/stage" \
    cmake --install "$build" --prefix /opt/hone
[ "$(ls "$work/stage")" = opt ] || fail "something is beside DESTDIR's /opt"
mkdir "$work/else where"
mv "$work/stage/opt/hone" "$work/else where/"
rmdir "$work/stage/opt"
tree="$work/else where/hone"
# Who is moved knows neither the old place nor where it was built.
! grep -rlF -e "$build" -e /opt/hone "$tree/lib/cmake" "$tree/lib/pkgconfig" ||
    fail "the files above name a place"
for file in include/hone.h include/hone.hpp lib/hone/hone.py lib/libhone.so lib/libhone.a \
    share/hone/templates/hone_device.cuh; do
    [ -s "$tree/$file" ] || fail "$file is not installed"
done

cp -R "$here" "$work/source"
db=$work/consumer/hone/consumer/consumer.db
step "configure" cmake -S "$work/source" -B "$work/consumer" -G Ninja \
    -DCMAKE_PREFIX_PATH="$tree"
step "build" cmake --build "$work/consumer" -j 2
said=$("$work/consumer/consumer" "$db") ||
    fail "the consumer does not run"
case $said in
"exact BLOCK="*right) ;;
*) fail "the consumer says: $said" ;;
esac
# The same in C++, by the oldest and the newest language that there is.
for standard in 11 17 20; do
    step "C++$standard" c++ "-std=c++$standard" -Wall -Wextra -Wpedantic \
        -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror \
        -I"$tree/include" -o "$work/in_cpp" "$here/consumer.cpp" \
        -L"$tree/lib" -lhone "-Wl,-rpath,$tree/lib"
    "$work/in_cpp" "$db" >"$work/log" 2>&1 || fail "C++$standard"
    grep -qx right "$work/log" || fail "C++$standard is not right"
done
for sentence in 'ramp takes 3 arguments, not 2' \
    'argument slope of ramp is a scalar of another type' \
    'argument x of ramp has elements of another type' \
    'argument y of ramp is written: pass no pointer to const'; do
    grep -qF "HONE_ERR_ARGUMENT: $sentence" "$work/log" ||
        fail "C++ does not say: $sentence"
done
# In Python, if it is there; the library lies beside hone.py.
if command -v python3 >/dev/null; then
    PYTHONPATH="$tree/lib/hone" PYTHONDONTWRITEBYTECODE=1 python3 -W error \
        "$here/consumer.py" "$db" "$tree/include/hone.h" >"$work/log" 2>&1 ||
        fail "Python"
    grep -qx right "$work/log" || fail "Python is not right"
    grep skipped "$work/log" || true
else
    echo "skipped: there is no Python"
fi
# Where libsqlite3, libzstd and libmd are, the archive does the same.
if [ -x "$work/consumer/consumer_static" ]; then
    "$work/consumer/consumer_static" "$db" |
        grep -qx right || fail "the static consumer"
    ! ldd "$work/consumer/consumer_static" | grep -q libhone ||
        fail "the static consumer loads libhone.so"
fi
# What is unchanged costs nothing; what changes, only its own kernels.
rebuilt() { # rebuilt WORD..: these and nothing else
    step "build again" cmake --build "$work/consumer" -j 1
    sed -n 's/.*\(Tuning\|Compiling the variants of\) \([a-z]*\) .*/\2/p' \
        "$work/log" | sort | tr '\n' ' ' >"$work/rebuilt"
    [ "$(cat "$work/rebuilt")" = "$*" ] ||
        fail "built again: $(cat "$work/rebuilt"), not $*"
}
rebuilt
grep -q 'no work to do' "$work/log" || fail "tuned twice"
sed -i 's/WIDTH in {1, 2, 4}/WIDTH in {1, 2}/' "$work/source/kernels/ramp.cu"
rebuilt "ramp "
echo '/* a word more */' >>"$work/source/kernels/shift.cuh"
rebuilt "shift "
echo '/* the reference of ramp */' >>"$work/source/kernels/ramp_plain.cu"
rebuilt "ramp "
echo 'shift 31' >>"$work/source/shapes.txt"
rebuilt "shift "
"$tree/bin/hone" show coverage --db "$db" --format csv >"$work/log"
grep -q '^shift,.*,3,3,' "$work/log" || fail "the shape that was added"
# It is installed, and can be tuned where it is installed instead.
step "install the consumer" cmake --install "$work/consumer" \
    --prefix "$work/installed"
cmp -s "$db" "$work/installed/share/consumer/consumer.db" ||
    fail "the database is not installed"
step "configure for the target" cmake -S "$work/source" -B "$work/at_install" \
    -G Ninja -DCMAKE_PREFIX_PATH="$tree" -DCONSUMER_TUNE=INSTALL
step "build for the target" cmake --build "$work/at_install"
[ ! -e "$work/at_install/hone/consumer/consumer.db" ] || fail "tuned too early"
step "install and tune" env DESTDIR="$work/target" \
    cmake --install "$work/at_install" --prefix "/opt/con sumer"
"$work/consumer/consumer" \
    "$work/target/opt/con sumer/share/consumer/consumer.db" |
    grep -qx right || fail "tuned when it was installed"
# Cubins of named architectures, without a GPU.
if (unset HONE_NVRTC_LIBRARY && "$tree/bin/hone" doctor --quiet \
    --require nvrtc >/dev/null 2>&1); then
    unset HONE_NVRTC_LIBRARY
    step "configure with architectures" cmake "$work/consumer" \
        "-DCONSUMER_ARCHS=80;90a"
    rebuilt "ramp ramp shift shift "
    [ -s "$work/consumer/hone/consumer/ramp.sm_90.json" ] || fail "no cubins"
    rebuilt ""
    echo '/* another word */' >>"$work/source/kernels/shift.cuh"
    rebuilt "shift shift shift "
    compiled() { # compiled N: of shift for sm_90, of all its shapes
        said=$(sed -n 's/.*"compiles": \([0-9]*\).*/\1/p' \
            "$work/consumer/hone/consumer/shift.sm_90.json" | tr '\n' ' ')
        [ "$said" = "$*" ] || fail "compiled $said, not $*"
    }
    # Its own variants, once for all shapes; of another space, the new ones.
    compiled "2 0 0 "
    sed -i 's/BLOCK in {64, 128}/BLOCK in {32, 64, 128}/' \
        "$work/source/kernels/shift.cu"
    rebuilt "shift shift shift "
    compiled "1 0 0 "
    HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
    export HONE_NVRTC_LIBRARY
fi
# A version that is not there, and a part that is not.
for wrong in "0.2" "0.1 COMPONENTS nosuch"; do
    mkdir -p "$work/wrong"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(w LANGUAGES NONE)\n%s\n' \
        "find_package(hone $wrong CONFIG REQUIRED)" >"$work/wrong/CMakeLists.txt"
    ! cmake -S "$work/wrong" -B "$work/wrong/b$wrong" \
        -DCMAKE_PREFIX_PATH="$tree" >"$work/log" 2>&1 ||
        fail "hone $wrong was found"
done
grep -q "no component 'nosuch'" "$work/log" || fail "which part is not there"
# What README.md shows is a project of that kind.
readme=$work/readme
mkdir "$readme"
cp "$here"/kernels/* "$here/consumer.c" "$here/shapes.txt" "$readme"
mv "$readme/ramp.cu" "$readme/a.cu"
mv "$readme/shift.cu" "$readme/b.cu"
{
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(readme LANGUAGES C)'
    echo 'add_executable(mine consumer.c)'
    # shellcheck disable=SC2016 # the fence of a block
    sed -n '/^```cmake$/,/^```$/{/^```/!p;}' "${HONE_SOURCE:?}/README.md"
} >"$readme/CMakeLists.txt"
grep -q hone_add_kernels "$readme/CMakeLists.txt" || fail "README.md has none"
step "the project of README.md" cmake -S "$readme" -B "$readme/build" \
    -G Ninja -DCMAKE_PREFIX_PATH="$tree"
step "what README.md builds" cmake --build "$readme/build" -- -n
[ "$(grep -c 'Compiling the variants' "$work/log")" -eq 4 ] ||
    fail "two templates for two architectures"
# Kernels that no shape is given for, and words that mean nothing.
echo 'nosuch 5' >"$work/wrong/shapes.txt"
for wrong in "has no line for 'ramp':" "what is NOSUCH:NOSUCH" \
    "TUNE is BUILD, INSTALL, LATER or NEVER:TUNE SOON" \
    "TUNE INSTALL needs a DESTINATION:TUNE INSTALL" \
    "TUNE LATER needs a DESTINATION:TUNE LATER" \
    "PACK needs a DESTINATION or EMBED:PACK a.pack" \
    "EMBED needs the target w:EMBED" \
    "TUNE LATER cannot install:TUNE LATER DESTINATION d"; do
    case $wrong in *cannot*) echo 'ramp 5' >"$work/wrong/shapes.txt" ;; esac
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' \
        'project(w LANGUAGES NONE)' 'find_package(hone CONFIG REQUIRED)' \
        "hone_add_kernels(TARGET w TEMPLATES $here/kernels/ramp.cu" \
        "  SHAPES shapes.txt ${wrong#*:})" >"$work/wrong/CMakeLists.txt"
    ! cmake -S "$work/wrong" -B "$work/wrong/kernels" \
        -DCMAKE_PREFIX_PATH="$tree" >"$work/log" 2>&1 ||
        fail "wrong kernels were added"
    tr -s '\n ' ' ' <"$work/log" | grep -qF "${wrong%%:*}" ||
        fail "lacks: ${wrong%%:*}"
done

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH="$work/plain/lib/pkgconfig"
    export PKG_CONFIG_PATH
    mv "$tree" "$work/plain"
    # shellcheck disable=SC2046 # a list of flags
    step "pkg-config" cc -o "$work/by_hand" "$here/consumer.c" \
        $(pkg-config --cflags --libs hone)
    LD_LIBRARY_PATH="$work/plain/lib" "$work/by_hand" \
        "$db" | grep -qx right || fail "pkg-config"
    [ "$(pkg-config --modversion hone)" = \
        "$(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' \
            "$work/plain/include/hone.h")" ] || fail "the version of hone.pc"
fi
