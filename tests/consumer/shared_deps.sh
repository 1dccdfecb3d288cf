#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# HONE_STATIC_DEPS=OFF, as distributions build: SQLite, zstd, jansson and libmd
# are those of the system, of the program and of libhone.so.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    tail -n 40 "$work/log"
    echo "FAILED: $*"
    exit 1
}
step() { # step COMMAND..
    "$@" >"$work/log" 2>&1 </dev/null || fail "$*"
}
step cmake -S "${HONE_SOURCE:?}" -B "$work/build" -G Ninja \
    -DHONE_STATIC_DEPS=OFF -DHONE_BUILD_TESTS=OFF -DHONE_BASELINES=OFF \
    -DHONE_WERROR=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr
step cmake --build "$work/build"
step env DESTDIR="$work/stage" cmake --install "$work/build"
library=$(find "$work/stage/usr/lib" -name 'libhone.so.*.*.*')
for needed in libzstd libmd; do
    readelf -d "$library" | grep -q "NEEDED.*\[$needed" ||
        fail "libhone.so has its own $needed"
done
# SQLite is what the second library is for; the first does not load it.
databases=$(find "$work/stage/usr/lib" -name 'libhone_sqlite.so.*.*.*')
readelf -d "$databases" | grep -q 'NEEDED.*\[libsqlite3' ||
    fail "libhone_sqlite.so has its own libsqlite3"
! readelf -d "$library" | grep -q 'NEEDED.*\[libsqlite3' ||
    fail "libhone.so loads libsqlite3 itself"
readelf -d "$work/stage/usr/bin/hone" | grep -q 'NEEDED.*\[libjansson' ||
    fail "hone has its own libjansson"
# Below /usr it goes where the system has libraries, and still finds all.
PKG_CONFIG_PATH=$(dirname "$(find "$work/stage" -name hone.pc)")
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null; then
    folder=$(pkg-config --variable=libdir hone)
    [ -s "$folder/libhone.so" ] || fail "hone.pc: $folder"
fi
"$work/stage/usr/bin/hone" space saxpy/stream --count
