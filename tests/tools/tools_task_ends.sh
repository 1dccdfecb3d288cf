#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A scheduler takes a task of 'hone submit' back: SIGTERM to task.sh, to no other process.
# What runs hears of it, ends, and is waited for; what was measured is in shards/, and the
# scratch folder is there as long as anybody writes to it.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
# Its kernels write a file where the test looks for it.
HONE_SANDBOX=off
export HONE_SANDBOX
cd "$work"
unset HONE_CACHE_DIR HONE_TASK JOB_COMPLETION_INDEX SLURM_ARRAY_TASK_ID
HONE_SCRATCH=$work/scratch
mark=$work/mark
export HONE_SCRATCH
mkdir scratch
task=
trap '[ -z "$task" ] || kill -KILL "$task" 2>/dev/null || true
    rm -rf "$work"' EXIT
ask() { "$(dirname "$json_check")/db_ask" "$@"; }
# gone PROCESS: it has ended. The shell's own child is a zombie then.
gone() { ! grep '^State:' "/proc/$1/status" 2>/dev/null | grep -qv Z; }
# stopped SHELL FOLDER STEP READY..: the step begins, is told to end once READY, and ends.
stopped() {
    shell=$1 folder=$2 step=$3
    shift 3
    command="$shell task.sh $step"
    # exec: the process of task.sh is the one that gets the signal
    (cd "$folder" && exec "$shell" task.sh "$step") >out 2>err </dev/null &
    task=$!
    wait_until "$step is at work" "$@"
    kill -TERM "$task"
    wait_until "$step ends" gone "$task"
    code=0
    wait "$task" || code=$?
    task=
    [ "$code" -eq 130 ] || fail "expected exit code 130"
    grep -q "^ended .* 130$" "$folder/state/$step-1" || fail "no line of its end"
    [ -z "$(ls -A scratch)" ] || fail "scratch is left: $(ls -A scratch)"
}

shells="sh"
! command -v bash >/dev/null || shells="sh bash"

# ---- a tune, in its second trial ------------------------------------------------------
cp "$fixtures/hangs.cu" .
for shell in $shells; do
    echo "$work/hangs.cu 4099" >list
    run 0 submit "tuned_$shell" --engine files --shapes list --tasks 1 --device cpu \
        --strategy exhaustive --jobs 1 --trial-timeout 1000 --budget 5
    # One kernel does not end, so neither does the tune.
    one_is_ok() {
        for db in scratch/*/1.db; do
            [ "$(ask "$db" "select count(*) from trial_v1 where outcome = 'ok'" \
                2>/dev/null)" = 1 ] && return
        done
        return 1
    }
    stopped "$shell" "tuned_$shell" tune one_is_ok
    ! grep -q "deleted or moved away" err || fail "its database was taken away"
    [ "$(ask "tuned_$shell/shards/1.db" "select count(*) from trial_v1")" -ge 1 ] ||
        fail "what was tried is not in shards/"
    [ "$(ask "tuned_$shell/shards/1.db" "select verdict from winner_v1")" = interrupted ] ||
        fail "the best so far is not stored"
done

# ---- every step ---------------------------------------------------------------------------
# A hone that needs a second to end when it is told to, and does not end before.
cat >hone <<'END'
#!/bin/sh
trap 'sleep 1
    ls -d "$HONE_SCRATCH"/* >/dev/null && echo "$1 ended" >>"$FAKE_MARK.ended"
    exit 130' TERM
echo "$*" >>"$FAKE_MARK.begun"
while [ -e "$FAKE_MARK.begun" ]; do
    sleep 0.1
done
END
chmod +x hone
FAKE_MARK=$mark
export FAKE_MARK
printf 'saxpy/stream %s\n' 1001 2001 >two
run 0 submit steps --engine files --shapes two --tasks 1 --budget 3 --arch sm_90
sed "s|^hone=.*|hone=$work/hone|" steps/settings >settings
mv settings steps/settings
[ "$(grep -c 'hone" compile' steps/settings)" -eq 2 ] || fail "not two compiles"
mkdir steps/shards
touch steps/shards/1.db steps/all.db
cp two steps/split
for shell in $shells; do
    for step in compile merge final report; do
        rm -rf "$mark".* steps/state
        stopped "$shell" steps "$step" test -s "$mark.begun"
        # Once, the first of several; it was waited for.
        [ "$(wc -l <"$mark.begun")" -eq 1 ] || fail "it went on: $(cat "$mark.begun")"
        [ -s "$mark.ended" ] || fail "hone was not told, or not waited for"
    done
done
