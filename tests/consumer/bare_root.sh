#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone on a Debian 12 that has nothing: a root of debootstrap, where neither
# what hone is built with nor a compiler is. The packages are installed there,
# then a compiler for the cpu device, then CMake for the consumer, first above
# an installed tree and then above the package libhone-dev. hone and the
# consumer run without a network. Takes the packages of Debian from
# $HONE_DEBIAN_MIRROR; what it prints is a record to keep.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mirror=${HONE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
skip() {
    echo "$*"
    exit 77
}
for program in debootstrap unshare chroot cpack dpkg-deb dpkg-shlibdeps wget; do
    command -v "$program" >/dev/null || skip "there is no $program"
done
[ "$(id -u)" -eq 0 ] || skip "chroot needs root"
unshare --mount --pid --fork true 2>/dev/null || skip "unshare may not be used"
unshare --net true 2>/dev/null || skip "unshare --net may not be used"
wget -q -T 20 -t 1 -O /dev/null "$mirror/dists/bookworm/Release" ||
    skip "no network: $mirror does not answer"
[ "$(dpkg --print-architecture)" = amd64 ] || skip "packages are made for amd64"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
fail() {
    echo "FAILED: $*"
    tail -n 60 "$work/log" 2>/dev/null || true
    exit 1
}
step() { # step WHAT COMMAND..
    what=$1
    shift
    "$@" >"$work/log" 2>&1 </dev/null || fail "$what"
}
# Its mounts are of a namespace of its own, and end with it.
cat >"$work/enter" <<'END'
mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" || exit 1
root=$1
shift
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
END
inside() { # inside COMMAND..: in the root
    unshare --mount --pid --fork --kill-child sh "$work/enter" "$root" "$@"
}
alone() { # alone COMMAND..: in the root, without a network
    unshare --net --mount --pid --fork --kill-child sh "$work/enter" "$root" \
        "$@"
}
names() { # of the packages that are installed
    # shellcheck disable=SC2016 # dpkg-query's word
    inside dpkg-query -W -f '${Package}\n' | sort
}
add() { # add PACKAGE..: nothing but these and what they need
    names >"$work/before"
    step "install $*" inside apt-get install -y --no-install-recommends "$@"
    names >"$work/after"
    comm -13 "$work/before" "$work/after" >"$work/added"
}
title() { printf '\n== %s\n' "$*"; }
show() { sed 's/^/    /' "$work/log"; }

launcher=$(command -v ccache || true)
step configure cmake -S "${HONE_SOURCE:?}" -B "$work/build" -G Ninja \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DHONE_BUILD_TESTS=OFF \
    -DHONE_BASELINES=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr
step build cmake --build "$work/build" -j 2
step cpack cpack -G DEB --config "$work/build/CPackConfig.cmake" -B "$work/out"
step debootstrap debootstrap --variant=minbase bookworm "$root" "$mirror"
mkdir "$root/debs"
for deb in "$work"/out/*.deb; do
    name=${deb##*/}
    cp "$deb" "$root/debs/${name%%_*}.deb"
done
echo "date: $(date -u +%Y-%m-%d)"
echo "source: hone $(git -C "$HONE_SOURCE" describe --always \
    --dirty=', modified' 2>/dev/null || echo 'of no known commit')"
echo "command: sh tests/consumer/bare_root.sh"
echo "root: Debian $(cat "$root/etc/debian_version"), minbase," \
    "$(inside dpkg-query -W | wc -l) packages; no compiler, no network for hone"

title "libhone0.1 and hone are installed"
add /debs/libhone0.1.deb /debs/hone.deb
paste -sd ' ' "$work/added"
[ "$(paste -sd ' ' "$work/added")" = "hone libhone0.1" ] ||
    fail "they need more than Debian has"
for file in "$root/usr/bin/hone" "$root"/usr/lib/x86_64-linux-gnu/libhone*.so.*.*.*; do
    step "ldd $file" inside ldd "${file#"$root"}"
    printf '%s:' "${file#"$root"}"
    awk '{ printf " %s", $1 } END { print "" }' "$work/log"
    ! grep 'not found' "$work/log" || fail "what $file needs"
done
[ -s "$root/usr/lib/x86_64-linux-gnu/libhone_sqlite.so.0.1" ] ||
    fail "libhone0.1 has no libhone_sqlite"

title "hone doctor"
alone hone doctor >"$work/log" 2>&1 || fail "hone doctor"
sed 's|\(templates  *ok  *[^:]*\):.*|\1 and those below|; s/^/    /' "$work/log"

title "hone tune --device cpu without a compiler"
if alone hone tune saxpy/stream --device cpu --dims 100003 --budget 4 -q \
    >"$work/log" 2>&1; then
    fail "tuned without a compiler"
fi
show
grep -q 'g++' "$work/log" || fail "it does not name what is missing"

title "g++ is installed"
add g++
tune="hone tune saxpy/stream --device cpu --dims 100003 --budget 4"
alone sh -c "$tune" >"$work/log" 2>&1 || fail "$tune"
echo "$tune" && show
alone hone run saxpy --device cpu --dims 100003 >"$work/log" 2>&1 ||
    fail "hone run"
echo "hone run saxpy --device cpu --dims 100003" && show

title "the consumer, above a tree in /opt/hone, by CMake and make"
add cmake make
step "install the tree" env DESTDIR="$root" \
    cmake --install "$work/build" --prefix /opt/hone
mv "$root/opt/hone" "$root/opt/moved"
cp -R "$here" "$root/source"
! inside sh -c 'command -v ninja' || fail "ninja is there"
for header in sqlite3 zstd jansson xxhash sha256; do
    [ ! -e "$root/usr/include/$header.h" ] || fail "$header.h is there"
done
consume() { # consume FOLDER TREE PROGRAM..: builds and runs
    folder=$1
    tree=$2
    shift 2
    alone sh -c "cmake -S /source -B /$folder -DCMAKE_PREFIX_PATH='$tree' &&
        cmake --build /$folder" >"$work/log" 2>&1 || fail "/$folder"
    for program in "$@"; do
        alone "/$folder/$program" "/$folder/hone/consumer/consumer.db" \
            >"$work/log" 2>&1 || fail "$folder/$program"
        grep -qx right "$work/log" || fail "$folder/$program is not right"
        echo "$program: $(paste -sd ' ' "$work/log")"
    done
}
consume above_tree /opt/moved consumer
[ ! -e "$root/above_tree/consumer_static" ] ||
    fail "linked to an archive without what it needs"
lib=/opt/moved/lib/x86_64-linux-gnu
step "compile consumer.cpp" alone g++ -std=c++17 -I/opt/moved/include \
    -o /in_cpp /source/consumer.cpp -L$lib -lhone -Wl,-rpath,$lib
step "run consumer.cpp" alone /in_cpp /above_tree/hone/consumer/consumer.db
grep -qx right "$work/log" || fail "consumer.cpp is not right"
echo "consumer.cpp: right"

title "the consumer, above libhone-dev"
rm -rf "$root/opt/moved"
add /debs/libhone-dev.deb
paste -sd ' ' "$work/added"
consume above_package '' consumer consumer_static

title "all packages are purged"
step purge inside apt-get purge -y hone libhone0.1 libhone-dev
left=$(find "$root/usr" "$root/etc" -iname '*hone*' ! -iname '*phone*')
[ -z "$left" ] || fail "left: $left"
echo "nothing is left below /usr and /etc"
