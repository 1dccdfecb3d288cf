#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One Ctrl-C ends every command, whatever hangs in one of its processes: a
# kernel, the CUDA driver, NVRTC, NVML, the C++ compiler. And 'hone run' and
# 'hone doctor' come to an end without it.
. "$(dirname "$0")/hone_test.sh"
# Its kernels or compilers write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_DB=$work/hangs.db
HONE_CACHE_DIR=$work/cache
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
template=$fixtures/hangs.cu
hanging_library=$(dirname "$json_check")/libhanging_library.so
mark=$work/mark
process=
keeper=
trap '[ -z "$process" ] || kill -KILL "$process" 2>/dev/null || true
    [ -z "$keeper" ] || kill "$keeper" 2>/dev/null || true
    rm -rf "$work"' EXIT

# gone PROCESS: it has ended. The shell's own child is a zombie then.
gone() {
    ! grep '^State:' "/proc/$1/status" 2>/dev/null | grep -qv Z
}
# interrupted [VARIABLE=VALUE..] ARGUMENTS..: the command hangs, SIGINT ends
# it.
interrupted() {
    command="env HANG_MARK=$mark $*"
    code=none
    rm -f "$mark"
    env HANG_MARK="$mark" "$@" >"$work/out" 2>"$work/err" </dev/null &
    process=$!
    wait_until "it comes to what hangs" test -e "$mark"
    kill -INT $process
    wait_until "it ends" gone $process
    code=0
    wait $process || code=$?
    [ "$code" -eq 130 ] || fail "expected exit code 130"
    process=
}

# A kernel.
run 0 tune "$template" --dims 4096 --device cpu --budget 1
run 0 run "$template" --dims 4096 --device cpu
interrupted "$HONE" run "$template" --dims 4096 --device cpu
interrupted "$HONE" bench "$template" --dims 4096 --device cpu
interrupted "$HONE" tune "$template" --dims 4097 --device cpu \
    --trial-timeout 1000
interrupted "$HONE" verify "$template" --dims 4096 --device cpu \
    --trial-timeout 1000

# What was verified and timed before it is not lost: the best is launched, and
# says that it was in no final. The same command goes on. One compile process:
# with more, what is compiled first is tried first, and that may be what hangs.
interrupted "$HONE" tune "$template" --dims 4099 --device cpu --jobs 1 \
    --strategy exhaustive --trial-timeout 1000 --format json
ask() { "$(dirname "$json_check")/db_ask" "$HONE_DB" "$1"; }
[ "$(ask "select count(*) from winner_v1 where dims = '4099'")" = 0 ] ||
    fail "a winner without a trial"
"$HONE" tune "$template" --dims 4099 --device cpu --jobs 1 \
    --strategy exhaustive --trial-timeout 1000 --format json \
    >"$work/out" 2>"$work/err" &
process=$!
command="hone tune, interrupted in its second trial"
one_is_ok() {
    [ "$(ask "select count(*) from trial_v1 where dims = '4099'
              and outcome = 'ok'" 2>/dev/null)" = 1 ]
}
wait_until "a trial is stored" one_is_ok
kill -INT $process
wait_until "it ends" gone $process
wait $process || code=$?
process=
json interrupted=true shapes.0.winner=KIND=good shapes.0.verdict=interrupted
err_has "the best so far is stored as the winner"
err_has "verified on its own shape only"
err_has "run the same command again to go on"
[ "$(ask "select verdict from winner_v1 where dims = '4099' and gain = 1
          and time_ns = default_time_ns")" = interrupted ] ||
    fail "the winner is $(ask "select * from winner_v1 where dims = '4099'")"
run 0 show winners
err_has "1 winner of interrupted runs: verified on the own shape only"
run 0 run "$template" --dims 4099 --device cpu
run 0 tune "$template" --dims 4099 --device cpu --strategy exhaustive \
    --trial-timeout 5
run 0 show winners
err_empty
[ "$(ask "select verdict <> 'interrupted' from winner_v1
          where dims = '4099'")" = 1 ] || fail "the final did not replace it"

# Without a Ctrl-C: the time limit.
HANG_MARK=$mark
export HANG_MARK
run 1 run "$template" --dims 4096 --device cpu --trial-timeout 1
err_has "the check of hangs KIND=good did not end within 1 s"
err_has "--trial-timeout"
err_lines 1
unset HANG_MARK

# The C++ compiler, while the farm starts; what it started ends with it.
cat >"$work/c++" <<'END'
#!/bin/sh
echo $$ >"$HANG_MARK.new"
mv "$HANG_MARK.new" "$HANG_MARK"
exec sleep 1000
END
chmod +x "$work/c++"
interrupted CXX="$work/c++" HONE_CACHE_DIR="$work/cache2" "$HONE" tune \
    "$template" --dims 4098 --device cpu
wait_until "the compiler ends" gone "$(cat "$mark")"

# The CUDA driver, NVRTC.
interrupted HONE_CUDA_LIBRARY="$hanging_library" "$HONE" run saxpy --dims 4096
interrupted HONE_CUDA_LIBRARY="$hanging_library" "$HONE" bench saxpy \
    --dims 4096
interrupted HONE_CUDA_LIBRARY="$hanging_library" "$HONE" tune saxpy \
    --dims 4096
interrupted HONE_NVRTC_LIBRARY="$hanging_library" "$HONE" compile saxpy \
    --arch sm_90

# 'hone doctor' asks all three; without a Ctrl-C each has its time, and what
# does not answer is a row like any other.
for library in CUDA NVRTC NVML; do
    interrupted HONE_${library}_LIBRARY="$hanging_library" "$HONE" doctor \
        --format json
    json interrupted=true
done
HONE_NVML_LIBRARY=$hanging_library
HONE_NVRTC_LIBRARY=$hanging_library
export HONE_NVML_LIBRARY HONE_NVRTC_LIBRARY
run 4 doctor --answer-timeout 1 --require nvrtc
grep "^NVRTC  *missing  *loading NVRTC, $hanging_library, did not end" \
    "$work/out" >"$work/row" || fail "the NVRTC that does not answer"
grep -q 'within 1 s' "$work/row" || fail "how long it had"
grep -q '^NVML  *missing .* did not end within 1 s' "$work/out" ||
    fail "the NVML that does not answer"
err_has "NVRTC is required"
# One that hone would never come to takes nothing away.
mkdir -p "$work/toolkit/lib64"
cp "$hanging_library" "$work/toolkit/lib64/libnvrtc.so.13"
HONE_NVML_LIBRARY=/nonexistent/libnvidia-ml.so
run_with_toolkit() { # run_with_toolkit SECONDS
    code=0
    command="hone doctor with a CUDA_HOME that does not answer"
    CUDA_HOME=$work/toolkit "$HONE" doctor --answer-timeout "$1" --format json \
        >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq 0 ] || fail "expected exit code 0"
}
HONE_NVRTC_LIBRARY=$(dirname "$json_check")/fakes/fake_nvrtc_12.so
run_with_toolkit 40 # more than the one that does answer needs anywhere
json nvrtc=true checks.6.name=NVRTC checks.6.state=ok
out_has "$work/toolkit/lib64/libnvrtc.so.13, did not end within 40 s"
# Before the right one it is in everybody's way.
unset HONE_NVRTC_LIBRARY
run_with_toolkit 1
json nvrtc=false checks.6.name=NVRTC checks.6.state=missing

# Who waits for a device says for whom, and ends all the same; where nobody
# says who it is, it says that it waits.
not_free() { ! flock -n "$1" true; }
if command -v flock >/dev/null; then
    HONE_LOCK_DIR=$work
    export HONE_LOCK_DIR
    for holder in 4242 ""; do
        lock=$work/hone-cpu.lock
        echo "$holder" >"$lock"
        (
            flock 9
            exec sleep 1000
        ) 9<>"$lock" &
        keeper=$!
        wait_until "the lock is held" not_free "$lock"
        "$HONE" tune "$template" --dims 4100 --device cpu \
            >"$work/out" 2>"$work/err" </dev/null &
        process=$!
        command="hone tune, beside another"
        wait_until "it says that it waits" grep -q \
            "waiting for ${holder:+process }${holder:-the process that}" \
            "$work/err"
        kill -INT $process
        wait_until "it ends" gone $process
        code=0
        wait $process || code=$?
        [ "$code" -eq 130 ] || fail "expected exit code 130"
        process=
        kill "$keeper"
    done
fi
