#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing is left behind: compilers end with their tuner however it dies, with
# all that they started, also where they sleep or are stopped; their temporary
# files go with them.
. "$(dirname "$0")/hone_test.sh"
# Its kernels or compilers write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_DB=$work/orphans.db
TMPDIR=$work/tmp
MARK=$work/mark
export HONE_DB HONE_CUDA_LIBRARY TMPDIR MARK
mkdir "$TMPDIR"
template=$fixtures/hangs.cu
process=
trap '[ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
    rm -rf "$work"' EXIT

# A compiler that sleeps, and so does what it started; it has files where the
# environment says, and its numbers are in $MARK.
cat >"$work/c++" <<'END'
#!/bin/sh
case "$*" in
*hone-unit*) ;;
*) exec "$REAL_CXX" "$@" ;;
esac
sleep 1000 &
: >"$TMPDIR/left.s"
echo "$$ $! $PPID" >"$MARK.new"
mv "$MARK.new" "$MARK"
sleep 1000
END
chmod +x "$work/c++"
REAL_CXX=${CXX:-c++}
CXX=$work/c++
export REAL_CXX CXX

gone() {
    ! grep '^State:' "/proc/$1/status" 2>/dev/null | grep -qv Z
}
all_gone() {
    for number in $numbers; do
        gone "$number" || return 1
    done
}
no_files() { [ -z "$(ls -A "$TMPDIR")" ]; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# ends SIGNAL [stopped]: the tuner dies by it.
ends() {
    rm -f "$MARK"
    command="hone tune, killed by SIG$1 ${2:-}"
    # A shell's background processes ignore SIGQUIT otherwise.
    HONE_CACHE_DIR=$work/cache.$1 setsid env --default-signal=QUIT,HUP \
        "$HONE" tune "$template" \
        --dims 4098 --device cpu --jobs 1 >"$work/out" 2>"$work/err" \
        </dev/null &
    process=$!
    wait_until "the compiler runs" test -e "$MARK"
    read -r compiler started worker <"$MARK"
    numbers="$compiler $started $worker"
    group=$(ps -o pgid= -p "$worker" | tr -d ' ')
    [ "$group" = "$worker" ] || fail "the worker leads no group"
    guards=$(pgrep -g "$group" | tr '\n' ' ')
    numbers="$numbers $guards"
    no_files && fail "the compiler's files are elsewhere"
    # shellcheck disable=SC2086 # a list of numbers
    [ -z "${2:-}" ] || kill -STOP $numbers 2>/dev/null || true # one may have ended
    start=$(now_ms)
    kill "-$1" "$process"
    wait_until "compiler and worker end" all_gone
    echo "SIG$1 ${2:-}: all were gone after $(($(now_ms) - start)) ms"
    wait_until "their files go" no_files
    wait "$process" 2>/dev/null || true
    process=
}

ends KILL
ends QUIT
ends HUP
ends TERM
ends KILL stopped

# What a killed run of another time left is swept by the next one.
mkdir "$TMPDIR/hone-work-abcdef"
: >"$TMPDIR/hone-work-abcdef/lock"
CXX=$REAL_CXX
run 0 tune saxpy/stream --dims 4098 --device cpu --budget 1 -q
wait_until "an old folder goes" no_files
