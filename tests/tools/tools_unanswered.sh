#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A question to the C++ compiler that cannot be asked is not answered with no,
# which would make another compiler of it: it is asked again, and the run ends
# where that does not help.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
shim=$(dirname "$HONE")/../tests/libfailing_calls.so
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/t.db
FAIL_COUNT=$work/count
FAIL_NAME=posix_spawnp
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:detect_leaks=0
export HONE_CUDA_LIBRARY HONE_CACHE_DIR HONE_DB FAIL_COUNT FAIL_NAME ASAN_OPTIONS

# tune N_CONFIGS FAIL_AT FAIL_FOR: with so many failures; its exit code.
tune() {
    head -c 4096 /dev/zero >"$work/count"
    code=0
    command="hone tune with $3 failures from process $2 on"
    FAIL_AT=$2 FAIL_FOR=$3 LD_PRELOAD=$shim "$HONE" tune saxpy/stream \
        --dims 999 --device cpu --jobs 1 --budget "$1" -q >"$work/out" \
        2>"$work/err" </dev/null || code=$?
    [ "$2" -eq 0 ] ||
        tail -c +65 "$work/count" | grep -q posix_spawnp ||
        fail "nothing has failed"
}
compilers() {
    "$HONE" sql "SELECT count(DISTINCT toolchain) FROM trial_v1" --format csv |
        tail -n 1
}

# The version is the first question; then there are two options.
tune 1 0 1
[ "$code" -eq 0 ] || fail "nothing was to fail"
for question in 2 3; do
    tune "$question" "$question" 1
    [ "$code" -eq 0 ] || fail "it was not asked again"
    [ "$(compilers)" = 1 ] || fail "there are $(compilers) compilers"
done
for question in 2 3; do
    tune 9 "$question" 1000
    [ "$code" -eq 4 ] || fail "exit code $code"
    err_has "could not be asked whether it knows"
    err_has "free memory, processes or space"
done
[ "$(compilers)" = 1 ] || fail "there are $(compilers) compilers"

# One that fails for a reason of its own has not said no either; one that
# refuses an option has.
cat >"$work/c++" <<'END'
#!/bin/sh
for word; do
    case $word in
    -mtls-dialect=gnu2) [ -e "${0%/*}/refuses" ] || exit 1
        echo "unrecognized command-line option '$word'"
        exit 1 ;;
    esac
done
exec c++ "$@"
END
chmod +x "$work/c++"
CXX=$work/c++
export CXX
tune 2 0 1
[ "$code" -eq 4 ] || fail "exit code $code"
err_has "could not be asked whether it knows -mtls-dialect=gnu2"
: >"$work/refuses"
tune 2 0 1
[ "$code" -eq 0 ] || fail "exit code $code"
[ "$(compilers)" = 2 ] || fail "there are $(compilers) compilers"

# A compile that fails for no reason of the source says nothing about the variant: the
# run ends, neither its database nor the cache keeps it, and the next run goes on. So
# that it can be told, the compiler speaks no other language.
cat >"$work/c++" <<'END'
#!/bin/sh
[ "$LC_ALL" = C ] && [ -z "${LANGUAGE:-}" ] || exit 1
case $* in
*-shared*)
    [ ! -e "${0%/*}/full" ] || {
        echo "/tmp/a.s: Assembler messages:"
        echo "/tmp/a.s: Fatal error: can't write 120 bytes to section .text of a.o: '$(cat "${0%/*}/full")'"
        exit 1
    }
    ;;
esac
exec c++ "$@"
END
LC_ALL=de_DE.UTF-8
LANGUAGE=de
HONE_DB=$work/full.db
HONE_CACHE_DIR=$work/full_cache
export LC_ALL LANGUAGE
for why in "Disk quota exceeded" "Too many open files"; do
    echo "$why" >"$work/full"
    tune 3 0 1
    [ "$code" -eq 4 ] || fail "exit code $code"
    err_has "for no reason of the source"
    err_has "$why"
done
rm "$work/full"
tune 3 0 1
[ "$code" -eq 0 ] || fail "exit code $code"
[ "$("$HONE" sql "SELECT count(*) FROM trial_v1 WHERE outcome <> 'ok'" --format csv |
    tail -n 1)" = 0 ] || fail "a variant was blamed"
