#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The indexed job of docs/cluster.md: its manifest, and its commands from the first to the
# last on the cpu device, each with the index that Kubernetes would give it.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
cd "$work"
page=$HONE_SOURCE/docs/cluster.md
tests=$(dirname "$HONE")/../tests
ask() { "$tests/db_ask" "$@"; }
sed -n '/^apiVersion/,/^```/p' "$page" | grep -v '^```' >job.yaml
[ -s job.yaml ] || fail "$page has no manifest"

# ---- the manifest -------------------------------------------------------------------
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - >out 2>err <<'END' || fail "the manifest"
import yaml
job = yaml.safe_load(open("job.yaml"))
assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
spec = job["spec"]
assert set(spec) <= {"completionMode", "completions", "parallelism", "backoffLimit", "podFailurePolicy", "template"}
assert spec["completionMode"] == "Indexed"
assert spec["completions"] > 0 and spec["parallelism"] > 0 and spec["backoffLimit"] >= 0
pod = spec["template"]["spec"]
assert set(pod) <= {"restartPolicy", "terminationGracePeriodSeconds", "containers", "volumes"}
assert pod["restartPolicy"] == "Never"  # podFailurePolicy takes no other
for rule in spec["podFailurePolicy"]["rules"]:
    assert rule["action"] == "Ignore" and rule["onPodConditions"][0]["status"] == "True"
names = {v["name"] for v in pod["volumes"]}
for c in pod["containers"]:
    assert set(c) <= {"name", "image", "command", "args", "env", "resources", "volumeMounts"}
    assert all(isinstance(x, str) for x in c["command"] + c["args"])
    assert all(isinstance(e["value"], str) for e in c["env"])
    assert {m["name"] for m in c["volumeMounts"]} == names
    assert "$(" not in c["args"][0]  # Kubernetes has a meaning for that
END
fi
grep -q "completions: 64 " job.yaml || fail "another number of tasks than --tasks"

# ---- its commands ---------------------------------------------------------------------
# The folder of the page is this one; problems of a few trials.
here_is() { sed "s|/shared/|$work/shared/|g"; }
mkdir shared scratch
printf 'saxpy/stream %s\n' 1001 2001 3001 4001 5001 >shapes.txt
submit=$(sed -n 's/^hone submit \(.*--engine files.*\)$/\1/p' "$page" | here_is |
    sed 's/--tasks 64 --budget 60s/--tasks 3 --budget 3 --device cpu/')
[ -n "$submit" ] || fail "the page does not say how the folder is made"
# shellcheck disable=SC2086 # a list of words
run 0 submit $submit
pod=$(sed -n 's/^ *- \(cd .*task.sh tune\)$/\1/p' job.yaml | here_is)
[ -n "$pod" ] || fail "the manifest has no command"
start() { # start CODE INDEX COMMAND: as a pod
    command=$3
    code=0
    JOB_COMPLETION_INDEX=$2 HONE_SCRATCH=$work/scratch sh -c "$3" >out 2>err </dev/null ||
        code=$?
    [ "$code" -eq "$1" ] || fail "index $2 ends with $code, not $1"
}
run 1 status shared/run1
for index in 2 0 1; do
    start 0 "$index" "$pod"
done
[ "$(find shared/run1/shards -name '[123].db' | wc -l)" -eq 3 ] || fail "not a database each"
[ "$(find scratch -type f | wc -l)" -eq 0 ] || fail "scratch is not empty"
run 0 cache list --cache-dir shared/run1/cache --format json
grep -q '"entries": [1-9]\|"n_entries": [1-9]\|"key"' out || fail "the shared cache is empty"
# Started again, as after an eviction: nothing is tried twice.
start 0 1 "$pod"
end=$(sed -n 's/^\(cd .*task.sh merge && sh task.sh report\)$/\1/p' "$page" | here_is)
[ -n "$end" ] || fail "the page does not say what comes after it"
sh -c "$end" >out 2>err </dev/null || fail "merge and report end with $?"
run 0 status shared/run1 --full
out_has "3 of 3 done"
all=shared/run1/all.db
[ "$(ask $all "select count(distinct problem_id) from ranking where rank = 1")" -eq 5 ] ||
    fail "a problem has no winner"
[ "$(ask $all "select count(*) from trial")" -eq 15 ] || fail "not 15 trials"
run 0 run saxpy --dims 3001 --device cpu --db shared/run1/kernels.pack
[ -s shared/run1/report.html ] || fail "there is no report"

# ---- what is refused ---------------------------------------------------------------------
# An index that no shard has, a folder that is not the run's.
start 2 3 "$pod"
grep -q "the index is 4, and must be from 1 to 3" err || fail "no sentence about the index"
mkdir elsewhere
code=0
(cd elsewhere && sh ../shared/run1/task.sh tune) >out 2>err || code=$?
[ "$code" -eq 3 ] || fail "elsewhere it ends with $code"
err_has "is not the shared folder of a run"

# ---- compiled beforehand, where NVRTC is there --------------------------------------------
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || exit 0
printf 'saxpy/stream 1001\n' >one
run 0 submit shared/compiled --engine files --shapes one --tasks 99 --budget 3 --arch sm_90
start 0 98 "cd shared/compiled && exec sh task.sh compile"
grep -q "^ended .* 0$" shared/compiled/state/compile-99 || fail "the compile step did not end well"
run 0 cache list --cache-dir shared/compiled/cache
