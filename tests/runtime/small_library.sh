#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What programs that ship packs ship: libhone is small, needs libc and libm
# alone, starts nothing when it is loaded, and makes no threads; a pack opens
# without libhone_sqlite, a database says what is missing.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lib=$(dirname "${HONE:?}")/../lib
fail() {
    echo "FAILED: $*"
    exit 1
}
[ -f "$lib/libhone.so" ] || exit 77
if nm "$HONE" | grep -q '__[at]san_init'; then
    echo "a sanitized library is larger"
    exit 77
fi
mkdir "$work/alone"
cp "$lib"/libhone.so.*.*.* "$work/alone/libhone.so"
strip "$work/alone/libhone.so"
size=$(wc -c <"$work/alone/libhone.so")
echo "libhone.so: $size bytes, stripped"
# The limit is 300 KiB, for what release builds are with Debian's archives; a
# page more or less is what one string makes.
case $(cmake -LA -N "$(dirname "$HONE")/.." 2>/dev/null |
    sed -n 's/^CMAKE_BUILD_TYPE:.*=//p') in
Release) [ "$size" -le 307200 ] || fail "libhone.so has $size bytes" ;;
esac
# What stands in place of zstd's old decoders refuses.
zstd=$("${CC:-cc}" -print-file-name=libzstd.a)
if grep -q '^HONE_ZSTD_IS_WITHOUT_LEGACY:INTERNAL=TRUE' "$lib/../CMakeCache.txt"
then
    (cd "$HONE_SOURCE" && "${CC:-cc}" -o "$work/legacy" \
        runtime/shared/zstd_legacy.c tests/runtime/check_zstd_legacy.c \
        "$zstd") || fail "zstd_legacy.c"
    "$work/legacy" || fail "a frame of an old format is not refused"
fi
if readelf -d "$lib/libhone.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -vE '^(libc|libm|ld-linux[a-z0-9-]*)\.so'; then
    echo "skipped: the libraries above are the distribution's" # shared ones
fi
nm -D --undefined-only "$lib/libhone.so" >"$work/wanted"
! grep -wE 'pthread_create|thrd_create|sigaction|signal|fork|exit|abort' \
    "$work/wanted" || fail "the library calls the above"
! grep -q sqlite3 "$work/wanted" || fail "the library needs SQLite"
# One entry is frame_dummy, the compiler's.
[ "$(readelf -SW "$lib/libhone.so" |
    awk '$0 ~ /\.init_array/ { sub(/.*INIT_ARRAY/, ""); print $3 }')" = \
    000008 ] || fail "something runs when it is loaded"
[ "$(nm -D --defined-only "$lib/libhone_sqlite.so" |
    awk '$2 != "A" { print $3 }')" = hone__sqlite_library ] ||
    fail "libhone_sqlite shows more than its entry"

cat >"$work/open.c" <<'E2'
#include <hone.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(argc > 1 ? argv[1] : NULL, &ctx);
    printf("%s: %s\n", hone_status_name(status), hone_error_text(ctx));
    hone_close(ctx);
    return status != HONE_OK;
}
E2
"${CC:-cc}" -o "$work/open" "$work/open.c" -I "$HONE_SOURCE/runtime" \
    -L "$work/alone" -lhone || exit 77
ln -s libhone.so "$work/alone/$(cd "$lib" && echo libhone.so.?.?)"
command -v "${CXX:-c++}" >/dev/null || exit 77
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates "$HONE" tune saxpy/stream --device cpu \
    --dims 100 --budget 1 --db "$work/a.db" -q >/dev/null 2>&1 || fail "tune"
"$HONE" pack --db "$work/a.db" -o "$work/a.pack" -q >/dev/null || fail "pack"
unset HONE_SQLITE_LIBRARY
LD_LIBRARY_PATH=$work/alone
export LD_LIBRARY_PATH
"$work/open" "$work/a.pack" >"$work/out" || fail "$(cat "$work/out")"
# What is not there needs nothing that reads it, and is passed over in a search path.
! "$work/open" "$work/none.pack" >"$work/out" || fail "a file that is not there"
grep -q '^HONE_ERR_NOT_FOUND: there is no database' "$work/out" || fail "$(cat "$work/out")"
HONE_PATH=$work/none.db:$work/a.pack "$work/open" >"$work/out" || fail "$(cat "$work/out")"
! "$work/open" "$work/a.db" >"$work/out" || fail "a database without SQLite"
grep -q '^HONE_ERR_UNSUPPORTED: databases are read by libhone_sqlite.so' \
    "$work/out" || fail "$(cat "$work/out")"
# hone.h: hone_open, HONE_ERR_UNSUPPORTED
# Named, beside it, and another one.
HONE_SQLITE_LIBRARY=$lib/libhone_sqlite.so "$work/open" "$work/a.db" \
    >"$work/out" || fail "$(cat "$work/out")"
! HONE_SQLITE_LIBRARY=$work/alone/libhone.so "$work/open" "$work/a.db" \
    >"$work/out" || fail "libhone is not libhone_sqlite"
grep -q 'is of another build' "$work/out" || fail "$(cat "$work/out")"
cp "$lib"/libhone_sqlite.so.?.? "$work/alone/"
"$work/open" "$work/a.db" >"$work/out" || fail "$(cat "$work/out")"
