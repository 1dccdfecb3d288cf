#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 at random moments: of the tuner, of the processes that measure, of
# those that compile and of their compilers.
#
#   HONE=build/bin/hone HONE_SOURCE=. tests/tools/kill_loop.sh [KILLS [SEED [SECONDS]]]
#
# Rounds of one tuning run each, which is started again whenever it ends early,
# until so many processes were killed (20; days are fine) or so much time is over. Counts what must be
# 0: trials that were stored and are not any more, configurations that were
# tried twice or not at all or have another outcome than ok, databases that
# 'hone check' does not like, processes that are there two seconds after their
# tuner was killed, files that are there two seconds after a round. Exit code 1
# if there are any.
. "$(dirname "$0")/hone_test.sh"
kills=${1:-20}
seed=${2:-$$}
until_s=$(($(date +%s) + ${3:-864000}))
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
TMPDIR=$work/tmp
HONE_KILL_LOOP=$work
export HONE_CUDA_LIBRARY TMPDIR HONE_KILL_LOOP
mkdir "$TMPDIR"
cat >"$work/space.cu" <<'END'
#pragma hone op loop(n) "x = x + 1"
#pragma hone arg x: inout f32[n]
#pragma hone param BLOCK in {32, 64, 128, 256} default 64
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone launch loop grid(ceildiv(n, BLOCK*VEC)) block(BLOCK) args(x, i64(n))
#pragma hone work flops(n) bytes(8*n)
extern "C" __global__ void loop(float *x, long long n)
{
    const long long first = ((long long)blockIdx.x * BLOCK + threadIdx.x) * VEC;
    for (long long i = first; i < first + VEC && i < n; i++)
        x[i] += 1;
}
END
all=12
tuner=
trap 'for p in $(family); do kill -KILL "$p" 2>/dev/null || true; done
    rm -rf "$work"' EXIT

# Numbers of all processes of the tuner, which have our mark; zombies have none.
family() {
    grep -la "HONE_KILL_LOOP=$work" /proc/[0-9]*/environ 2>/dev/null |
        sed 's|/proc/\([0-9]*\)/.*|\1|' >"$work/pids"
    [ ! -s "$work/pids" ] ||
        ps -o pid=,comm= -p "$(paste -sd, "$work/pids")" 2>/dev/null |
        awk '$2 ~ /^(hone.*|cc1plus|c\+\+|g\+\+|as|ld|collect2)$/ {
            print $1, $2 }' >"$work/named" || true
    [ -s "$work/pids" ] || : >"$work/named"
    awk '{ print $1 }' "$work/named"
}
# hone_processes NAME..: those of the family that are called so.
called() {
    family >/dev/null
    for wanted in "$@"; do
        awk -v name="$wanted" '$2 == name { print $1 }' "$work/named"
    done
}
# drawn: a number below $1, from the seed.
draw() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
gone() {
    ! grep '^State:' "/proc/$1/status" 2>/dev/null | grep -qv Z
}
ask() { "$HONE" sql "$1" --db "$db" --format csv 2>/dev/null | tail -n +2; }
stored() { ask "SELECT trial_id, config, outcome FROM trial_v1 ORDER BY 1"; }
start() {
    "$HONE" tune "$work/space.cu" --dims 4096 --device cpu --db "$db" \
        --strategy exhaustive --jobs 2 -q >"$work/out" 2>"$work/err" \
        </dev/null &
    tuner=$!
}

n_killed=0 n_tuners=0 n_devices=0 n_compilers=0
n_lost=0 n_repeated=0 n_missing=0 n_bad=0 n_orphans=0 n_left=0 n_codes=0 slowest_ms=0
round=0

# The tuner was killed: are all of its processes gone, and is all still there?
after_tuner() {
    n=0
    for p in $known; do
        while ! gone "$p" && [ $n -lt 6000 ]; do # a minute: machines are slow
            n=$((n + 1))
            sleep 0.01
        done
    done
    took=$((($(date +%s%N) - started) / 1000000))
    n=0 # what was started meanwhile, and who sweeps the files
    while others=$(family) && [ -n "$others" ] && [ $n -lt 600 ]; do
        n=$((n + 1))
        sleep 0.1
    done
    [ $took -le $slowest_ms ] || slowest_ms=$took
    if [ -n "$others" ]; then
        n_orphans=$((n_orphans + 1))
        for p in $others; do
            echo "left behind: $p $(cat "/proc/$p/comm" 2>/dev/null)"
        done
    fi
    [ ! -e "$db" ] || stored | sort >"$work/now"
    [ ! -e "$db" ] || [ -z "$(comm -23 "$work/before" "$work/now")" ] ||
        n_lost=$((n_lost + 1))
}

kill_one() {
    draw 10
    victim=
    case $drawn in
    0 | 1 | 2) victim=$tuner what=tuner ;;
    3 | 4 | 5) victim=$(called hone-trial | head -n 1) what=device ;;
    6 | 7) victim=$(called hone-compile | head -n 1) what=compiler ;;
    *) victim=$(called cc1plus as c++ g++ | head -n 1) what=compiler ;;
    esac
    [ -n "$victim" ] || return 0
    : >"$work/before"
    [ ! -e "$db" ] || [ $what != tuner ] || stored | sort >"$work/before"
    known=$(family)
    started=$(date +%s%N)
    kill -KILL "$victim" 2>/dev/null || return 0
    n_killed=$((n_killed + 1))
    case $what in
    tuner)
        n_tuners=$((n_tuners + 1))
        wait "$tuner" 2>/dev/null || true
        after_tuner
        start
        ;;
    device) n_devices=$((n_devices + 1)) ;;
    *) n_compilers=$((n_compilers + 1)) ;;
    esac
}

goes_on() { [ $n_killed -lt "$kills" ] && [ "$(date +%s)" -lt $until_s ]; }

one_round() {
    round=$((round + 1))
    db=$work/round.$round.db
    HONE_CACHE_DIR=$work/cache.$((round % 4))
    export HONE_CACHE_DIR
    [ $((round % 4)) -ne 0 ] || rm -rf "$work"/cache.*
    tries=0
    start
    while :; do
        draw 700
        sleep "0.$(printf %03d "$drawn")"
        if gone "$tuner"; then
            code=0
            wait "$tuner" || code=$?
            # What was interrupted, or lost its final, goes on.
            tries=$((tries + 1))
            case $code in 0 | 1 | 4) ;; *)
                n_codes=$((n_codes + 1))
                echo "exit code $code: $(cat "$work/err")" ;;
            esac
            n=$(ask "SELECT count(DISTINCT config) FROM trial_v1")
            [ "${n:-0}" -lt $all ] || [ $code -ne 0 ] || break
            [ $tries -lt 60 ] || break
            start
        elif goes_on; then
            kill_one
        fi
    done
    n=$(ask "SELECT count(*) FROM (SELECT 1 FROM trial_v1 GROUP BY config
             HAVING count(*) > 1)")
    n_repeated=$((n_repeated + n))
    n=$(ask "SELECT count(DISTINCT config) FROM trial_v1 WHERE outcome = 'ok'")
    n_missing=$((n_missing + all - n))
    [ "$n" -eq $all ] || ask "SELECT config, outcome, message FROM trial_v1"
    "$HONE" check --db "$db" >"$work/out" 2>&1 || {
        n_bad=$((n_bad + 1))
        cat "$work/out"
    }
    n=0
    while [ -n "$(ls -A "$TMPDIR")" ] && [ $n -lt 600 ]; do
        n=$((n + 1))
        sleep 0.1
    done
    [ -z "$(ls -A "$TMPDIR")" ] || {
        n_left=$((n_left + 1))
        ls -AR "$TMPDIR"
        rm -rf "${TMPDIR:?}"/*
    }
    rm -f "$db"*
}

: >"$work/before"
while goes_on; do
    one_round
done
echo "killed $n_killed: $n_tuners tuners, $n_devices measuring processes," \
    "$n_compilers compiling processes; $round rounds of $all trials"
echo "lost $n_lost, repeated $n_repeated, missing or not ok $n_missing," \
    "bad databases $n_bad, left processes $n_orphans, left files $n_left," \
    "wrong exit codes $n_codes; the last process was gone after" \
    "at most $slowest_ms ms"
[ $((n_lost + n_repeated + n_missing + n_bad + n_orphans + n_left + n_codes)) -eq 0 ]
