#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels linked into programs and libraries, by CMake, Meson and Make; a pack
# that was shipped; tuning on another machine than that of the build.
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
if nm "$HONE" | grep -q '__[at]san_init'; then
    echo "a sanitized library is for sanitized programs"
    exit 77
fi
# Nothing of the user's, no GPU, no NVRTC.
HOME=$work/home
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
XDG_DATA_DIRS=/nonexistent
export HOME HONE_NVRTC_LIBRARY HONE_CUDA_LIBRARY XDG_DATA_DIRS
unset HONE_DB HONE_PATH HONE_CACHE_DIR HONE_TEMPLATE_PATH HONE_INCLUDE_PATH \
    XDG_DATA_HOME XDG_CACHE_HOME LD_LIBRARY_PATH CMAKE_PREFIX_PATH DESTDIR
mkdir "$HOME"
tree="$work/a tree"
step "install" cmake --install "$build" --prefix "$tree"
project() { # project FOLDER: the project as its author has it
    cp -R "$here/linked" "$1"
    cp -R "$here/kernels" "$here/shapes.txt" "$1"
}
is_right() { # is_right PROGRAM
    [ "$("$@" 2>"$work/log")" = right ] || fail "$*"
}
# counted FILE MEMBER: the sum over the shapes of a result.
counted() {
    sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1" |
        awk '{ n += $1 } END { print n + 0 }'
}

# CMake, C++ alone: in a static library, in a shared one, in objects.
project "$work/cmake"
b="$work/cmake/build"
for type in STATIC SHARED OBJECT; do
    step "configure $type" cmake -S "$work/cmake" -B "$b" -G Ninja \
        -DCMAKE_PREFIX_PATH="$tree" -DLINKED_TYPE=$type
    step "build $type" cmake --build "$b" -j 1
    [ $type = STATIC ] || ! grep -q Tuning "$work/log" || fail "tuned again"
    is_right "$b/main"
done
# An edit is in the program, and costs the variants that it adds; the other
# operation is not tuned again.
result="$b/hone/linked/ramp.cpu.json"
[ "$(counted "$result" n_compiles)" -eq 9 ] || fail "not 9 variants of ramp"
sed -i 's/BLOCK in {64,/BLOCK in {32, 64,/' "$work/cmake/kernels/ramp.cu"
step "build again" cmake --build "$b" -j 1
grep -q 'Tuning ramp' "$work/log" || fail "not tuned again"
! grep -q 'Tuning shift' "$work/log" || fail "shift is tuned again"
grep -q 'Packing the kernels of linked' "$work/log" || fail "not packed"
[ "$(counted "$result" n_compiles)" -eq 3 ] ||
    fail "compiled $(counted "$result" n_compiles), not 3 more of ramp"
is_right "$b/main"
step "build nothing" cmake --build "$b" -j 1
grep -q 'no work to do' "$work/log" || fail "packed twice"

# CMake's Makefiles have no pools: nothing runs twice there either.
step "configure Makefiles" cmake -S "$work/cmake" -B "$work/makefiles" \
    -G "Unix Makefiles" -DCMAKE_PREFIX_PATH="$tree"
step "build Makefiles" cmake --build "$work/makefiles" -j 2
[ "$(grep -cE '(Tuning|Packing)' "$work/log")" -eq 3 ] || fail "not three steps"
is_right "$work/makefiles/main"
step "build Makefiles again" cmake --build "$work/makefiles" -j 2
! grep -E '(Tuning|Packing)' "$work/log" || fail "Makefiles tune twice"

# A pack that was shipped with the sources is linked in, or installed.
step "pack" "$tree/bin/hone" pack --db "$b/hone/linked/linked.db" \
    -o "$work/cmake/shipped.pack"
step "configure shipped" cmake -S "$work/cmake" -B "$work/shipped" -G Ninja \
    -DCMAKE_PREFIX_PATH="$tree" \
    "-DLINKED_KERNELS=PACK;shipped.pack;EMBED;DESTINATION;share/linked"
step "build shipped" cmake --build "$work/shipped"
is_right "$work/shipped/main"
step "install shipped" env DESTDIR="$work/root" \
    cmake --install "$work/shipped" --prefix /usr
cmp "$work/cmake/shipped.pack" "$work/root/usr/share/linked/linked.pack" ||
    fail "the pack is not installed"

# Tuned when it is installed: without a GPU the shipped pack is all there is.
step "configure for a GPU" cmake -S "$work/cmake" -B "$work/gpu" -G Ninja \
    -DCMAKE_PREFIX_PATH="$tree" "-DLINKED_KERNELS=PACK;shipped.pack;EMBED;\
DEVICES;cuda;TUNE;INSTALL;DESTINATION;share/gpu"
step "build for a GPU" cmake --build "$work/gpu"
step "install without a GPU" env DESTDIR="$work/root" \
    cmake --install "$work/gpu" --prefix /usr
grep -q 'Not tuning ramp: there is no GPU' "$work/log" || fail "not said"
[ "$(ls "$work/root/usr/share/gpu")" = linked.pack ] || fail "what was tuned?"
is_right env LD_LIBRARY_PATH="$(dirname "$(find "$tree" -name libhone.so)")" \
    "$work/root/usr/bin/main"

# Tuned later, on another machine: with what was compiled here nothing is
# compiled there.
step "configure for later" cmake -S "$work/cmake" -B "$work/later" -G Ninja \
    -DCMAKE_PREFIX_PATH="$tree" \
    "-DLINKED_KERNELS=PACK;shipped.pack;EMBED;DEVICES;cpu;TUNE;LATER;BUDGET;20;DESTINATION;share/linked"
step "build for later" cmake --build "$work/later"
is_right "$work/later/main"
for template in ramp shift; do
    step "prepare $template" "$tree/bin/hone" verify \
        "$work/cmake/kernels/$template.cu" --dims 5003 --device cpu \
        --cache-dir "$work/later/hone/linked/cache"
done
step "install for later" env DESTDIR="$work/a target" \
    cmake --install "$work/later" --prefix /opt/linked
[ ! -e "$work/a target/opt/linked/share/linked/linked.db" ] ||
    fail "tuned too early"
mv "$work/cmake" "$work/elsewhere"
share="$work/a target/opt/linked/share/linked"
HONE="$tree/bin/hone" "$share/linked.tune/tune" --format json \
    >"$work/tuned" 2>"$work/log" </dev/null || fail "tune"
[ -s "$share/linked.db" ] || fail "nothing was tuned"
cat "$work/tuned" "$share/linked.tune/tune" >"$work/log"
[ "$(counted "$work/tuned" trials)" -gt 3 ] || fail "too few trials"
[ "$(counted "$work/tuned" n_compiles)" -eq 0 ] || fail "compiled again"
# The same of cubins, where NVRTC is: no GPU, and the target's NVRTC is that of
# the build.
if (unset HONE_NVRTC_LIBRARY && "$tree/bin/hone" doctor --quiet \
    --require nvrtc >/dev/null 2>&1); then
    mv "$work/elsewhere" "$work/cmake"
    nvrtc=$HONE_NVRTC_LIBRARY
    unset HONE_NVRTC_LIBRARY
    step "configure cubins" cmake "$work/later" "-DLINKED_KERNELS=PACK;\
shipped.pack;EMBED;DEVICES;cuda;ARCHS;90a;TUNE;LATER;DESTINATION;share/cubins"
    step "build cubins" cmake --build "$work/later"
    step "install cubins" env DESTDIR="$work/a target" \
        cmake --install "$work/later" --prefix /opt/linked
    mv "$work/cmake" "$work/elsewhere"
    kit="$work/a target/opt/linked/share/cubins/linked.tune"
    grep -q -e '--device" "cuda"' "$kit/tune" || fail "not for cuda"
    "$tree/bin/hone" compile "$kit/sources/kernels/ramp.cu" --arch sm_90 --dims 5003 \
        --cache-dir "$kit/cache" --format json --quiet >"$work/log"
    grep -q '"variants": 12,' "$work/log" || fail "not 12 variants"
    [ "$(counted "$work/log" compiles)" -eq 0 ] || fail "cubins made again"
    HONE_NVRTC_LIBRARY=$nvrtc
    export HONE_NVRTC_LIBRARY
fi

# Meson and Make find hone by pkg-config and by PATH, where no folder's name has a
# space: pkg-config quotes none for Make.
mv "$tree" "$work/tree"
tree=$work/tree
command -v pkg-config >/dev/null || {
    echo "skipped: there is no pkg-config for Meson and Make"
    exit 0
}
PATH="$tree/bin:$PATH"
PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name hone.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$tree" -name libhone.so)")
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
project "$work/make"
step "make" make -C "$work/make"
is_right "$work/make/main"
step "make nothing" make -C "$work/make" -q
touch "$work/make/kernels/shift.cuh"
step "make again" make -C "$work/make"
is_right "$work/make/main"
[ "$(counted "$work/make/tuned.json" n_compiles)" -eq 0 ] ||
    fail "make compiles what is unchanged"

command -v meson >/dev/null || {
    echo "skipped: there is no meson"
    exit 0
}
project "$work/meson"
step "meson setup" meson setup "$work/meson/build" "$work/meson"
step "meson compile" meson compile -C "$work/meson/build"
is_right "$work/meson/build/main"
step "meson compile nothing" meson compile -C "$work/meson/build"
grep -q 'no work to do' "$work/log" || fail "Meson builds twice"
touch "$work/meson/kernels/shift.cuh"
step "meson compile again" meson compile -C "$work/meson/build"
is_right "$work/meson/build/main"
[ "$(counted "$work/meson/build/tuned.json" n_compiles)" -eq 0 ] ||
    fail "Meson compiles what is unchanged"
