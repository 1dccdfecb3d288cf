#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: one for each component, what is in them and what they
# need, and that the program works unpacked.
set -eu
for program in cpack dpkg-deb; do
    command -v "$program" >/dev/null || {
        echo "there is no $program"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$(cd "$(dirname "${HONE:?}")/.." && pwd)
fail() {
    echo "FAILED: $*"
    cat "$work/log" 2>/dev/null || true
    exit 1
}
unset DESTDIR HONE_TEMPLATE_PATH
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/out" \
    >"$work/log" 2>&1 || fail "cpack"

# package NAME FILE..: it is there and has these files.
package() {
    name=$1
    shift
    deb=$(find "$work/out" -maxdepth 1 -name "${name}_*.deb")
    [ -s "$deb" ] || fail "not one package $name: $deb"
    dpkg-deb -c "$deb" >"$work/log"
    for file in "$@"; do
        grep -qE "/$file( ->.*)?\$" "$work/log" || fail "$name lacks $file"
    done
    dpkg-deb -f "$deb" >"$work/log"
    dpkg-deb -x "$deb" "$work/root"
}
needs() { grep -qE "^$1: .*$2" "$work/log" || fail "$name: $1 lacks $2"; }

package libhone0.1 'libhone\.so\.0\.1'
! dpkg-deb -c "$deb" | grep -E 'hone\.h|libhone\.so( |$)|\.a$' ||
    fail "libhone0.1 has what only compiling needs"
package libhone-dev 'hone\.h' 'hone\.hpp' 'hone\.py' 'libhone\.so' 'libhone\.a' 'hone-config\.cmake' \
    'hone\.pc'
needs Depends 'libhone0\.1 \(= '
package hone 'bin/hone' 'templates/saxpy_plain\.cu' \
    'templates/hone_device\.cuh' 'bash-completion/completions/hone' '_hone' \
    'hone\.fish' 'LICENSE'
needs Recommends 'g\+\+'
if [ -f "$build/lib/libhone_baselines.so" ]; then
    package hone-baselines 'lib/hone/libhone_baselines\.so'
    needs Depends 'hone \(= '
fi
if command -v scdoc >/dev/null; then
    package libhone-dev 'man3/hone\.3' 'man3/hone_plan_run\.3'
    package hone 'man1/hone-tune\.1' 'man5/hone-db\.5'
fi
# No file is in two of them.
for deb in "$work"/out/*.deb; do
    dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }'
done | sort | uniq -d >"$work/log"
[ ! -s "$work/log" ] || fail "in two packages"

program=$(find "$work/root" -path '*/bin/hone')
[ "$("$program" space saxpy/stream --count)" -gt 1 ] ||
    fail "the program that was unpacked"
