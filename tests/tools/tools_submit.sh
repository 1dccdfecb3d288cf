#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone submit and hone status without a cluster: what would be written and started,
# what sbatch is asked for, and what is refused. tools_slurm.sh has a real one.
. "$(dirname "$0")/hone_test.sh"
cd "$work"
n=1
while [ "$n" -le 20 ]; do
    echo "saxpy ${n}000"
    n=$((n + 1))
done >list
printf 'saxpy 77,f32\n' >one

# ---- bad input -------------------------------------------------------------------
run 2 submit run --dry-run
err_has "--shapes FILE"
run 3 submit nowhere/run --shapes list --device cpu
err_has "the shared folder '$work/nowhere/run' is not there"
[ ! -e nowhere ] || fail "a folder was made"
run 3 submit run --shapes nobody.txt
err_has "nobody.txt"
run 2 submit run --shapes list --device cpu --gpus-per-node 2
err_has "--gpus-per-node and --arch go with GPUs"
run 2 submit run --shapes list --device replay:x
err_has "--device of a run is cuda"
run 2 submit run --shapes list --engine pbs
run 3 status nowhere
err_has "nowhere"
mkdir empty
run 3 status empty
err_has "is no folder of a run"

# ---- a dry run: all of it, and nothing done ---------------------------------------------
run 0 submit run --shapes list --partition gpu --cpu-partition cpu \
    --gpus-per-node 4 --tasks 2 --arch sm_90 --budget 60s --mode hot \
    --cpus-per-task 16 --sbatch=--account=ops --sbatch "--comment=a b" --dry-run \
    --template-path "$HONE_SOURCE/templates:own templates"
[ ! -e run ] || fail "a folder was made"
out_has "device=all"
out_has "tasks=2"
out_has "\"\$hone\" tune \"\$@\" --template-path '$HONE_SOURCE/templates:$work/own templates' --budget 60s --mode hot"
out_has "\"\$hone\" compile saxpy/stream --dims 1000,4 --arch sm_90"
out_has "--job-name=hone-compile --requeue --open-mode=append --nodes=1 --ntasks=1 --partition=cpu --array=1-2 --output=logs/compile-%a.log --cpus-per-task=16"
# Ten problems a shard on four GPUs: 60 s and a quarter and 60 s for each, and ten minutes.
out_has "--partition=gpu --array=1-2 --output=logs/tune-%a.log --gpus-per-node=4 --cpus-per-task=16 --time=16 "
out_has "--dependency=afterany:\"\$compile\" --account=ops '--comment=a b'"
out_has "--dependency=afterany:\"\$tune\""
out_has "--dependency=afterok:\"\$merge\""
out_has "==> $work/run/task.sh <=="
grep -q "hone-final" out && fail "there is nothing for a final"
run 0 submit run --shapes one --device cpu --tasks 3 --time-limit 1:00:00 --dry-run
out_has "hone-final"
out_has "saxpy 77,4"
out_has "--time=1:00:00"
! grep -q "gpus-per-node\|hone-compile" out || fail "the cpu device has no GPUs"
run 0 submit run --shapes list --dry-run
err_has "without --arch nothing is compiled beforehand"

# ---- what is compiled beforehand --------------------------------------------------------
run 3 submit run --shapes list --arch sm_1 --dry-run
err_has "unknown architecture 'sm_1'"
# What does not apply to an architecture is left out here; so no code of a compile that
# fails is taken for it.
echo "gemm 256,256,256" >products
run 0 submit run --shapes products --arch sm_80 --dry-run
out_has "compile gemm/wmma --dims 256,256,256"
! grep -q "compile gemm/sm90 " out || fail "it does not apply to sm_80"
run 0 submit run --shapes products --arch sm_90 --dry-run
out_has "compile gemm/sm90 --dims"
# Templates of folders that are named from here.
mkdir tpl
sed 's/op hangs(/op own(/' "$fixtures/hangs.cu" >tpl/own.cu
printf 'own 1000\n' >own_list
run 0 submit run --shapes own_list --template-path tpl --arch sm_90 --engine files
grep -qF "compile $work/tpl/own.cu --dims" run/settings || fail "$(cat run/settings)"
HONE_TEMPLATE_PATH=tpl:$HONE_TEMPLATE_PATH run 0 submit run --shapes own_list --dry-run
out_has "HONE_TEMPLATE_PATH=$work/tpl:$HONE_TEMPLATE_PATH"
sed 's/op own(/op newer(/; s/^#pragma hone param/#pragma hone arch sm >= 90\n&/' tpl/own.cu >tpl/newer.cu
printf 'newer 1000\n' >newer_list
run 0 submit run2 --shapes newer_list --template-path tpl --arch sm_80 --dry-run
err_has "nothing is compiled beforehand"
# A compile that finds no template fails its task.
mv tpl elsewhere
code=0
(cd run && sh task.sh compile) >out 2>err || code=$?
[ "$code" -eq 3 ] || fail "the compile step ends with $code"
mv elsewhere tpl
rm -r run
# One that the list itself names from here is not there where tasks run.
printf './tpl/own.cu 1000\n' >own_list
run 3 submit run --shapes own_list --device cpu --dry-run
err_has "write $work/./tpl/own.cu there"
echo "$work/tpl/own.cu 1000" >own_list
run 0 submit run --shapes own_list --dry-run

# ---- submitted to one that only writes down -------------------------------------------------
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
echo "$*" >>"$SBATCH_LOG"
n=$(wc -l <"$SBATCH_LOG")
[ "$n" -ne "${SBATCH_FAILS:-0}" ] || { echo "no such partition" >&2; exit 1; }
echo "$((100 + n));hone"
END
cat >bin/squeue <<'END'
#!/bin/sh
[ -z "${SQUEUE_FAILS:-}" ] || { echo "$SQUEUE_FAILS" >&2; exit 1; }
cat "$SQUEUE"
END
chmod +x bin/*
SBATCH_LOG=$work/sbatch.log SQUEUE=$work/queue
export SBATCH_LOG SQUEUE
usual=$PATH
PATH=$work/bin:$usual
: >"$SBATCH_LOG"
SBATCH_FAILS=2
export SBATCH_FAILS
run 4 submit run --shapes list --device cpu --tasks 3 --budget 5
err_has "no such partition"
err_has "not all jobs were submitted (sbatch refused one)"
run 3 status run
unset SBATCH_FAILS
: >"$SBATCH_LOG"
run 0 submit run/ --shapes list --device cpu --tasks 3 --budget 5 --format json
json folder="$work/run" problems=20 shards=3 jobs.0.step=tune jobs.0.job=101 \
    jobs.0.tasks=3 jobs.1.job=102 jobs.2.job=103
[ "$(wc -l <"$SBATCH_LOG")" -eq 3 ] || fail "not three jobs"
sed -n 2p "$SBATCH_LOG" | grep -q "dependency=afterany:101 " || fail "no dependency"
# Without sbatch it is said how to go on.
PATH=/nowhere run 4 submit run --shapes list --device cpu --tasks 3 --budget 5 || true
run 3 submit run --shapes list --device cpu --tasks 4 --budget 5
err_has "belongs to another run"
run 3 submit run --shapes one --device cpu --tasks 3 --budget 5
err_has "run/shapes' belongs to another run"

# For others than Slurm: the folder alone.
run 0 submit files --shapes one --device cpu --tasks 2 --engine files --format json
json jobs.0.step=tune jobs.0.tasks=2 jobs.2.step=final
err_has "HONE_TASK=1 sh task.sh tune"
[ -x files/task.sh ] || fail "there is no task.sh"

# ---- what became of them ------------------------------------------------------------------------
cd run
cat >state/tune-1 <<'END'
began 1000 node1 0 101
ended 1060 0
END
cat >state/tune-2 <<'END'
began 1000 node2 0 101
began 1100 node3 1 101
ended 1200 4
END
echo "began 1000 node4 0 101" >state/tune-3
printf 'first\nhone: error: no GPU\n\n' >logs/tune-2.log
cd ..
printf '102 N/A PENDING Dependency\n103 N/A PENDING Dependency\n' >queue
run 1 status run --format json
json open=4 scheduler_asked=true tasks.0.done=1 tasks.0.tasks=3 tasks.1.task=2 \
    tasks.1.state=failed tasks.1.host=node3 tasks.1.restarts=1 tasks.1.code=4 \
    tasks.1.why="hone: error: no GPU" tasks.1.seconds=100 tasks.2.state=lost \
    tasks.4.state=waiting tasks.4.why="Slurm: Dependency"
run 1 status run --full
out_has "1 of 3 done"
printf '101 3 RUNNING None\n101 2 PENDING BeginTime\n' >queue
run 1 status run --format json
json tasks.1.state=waiting tasks.2.state=running tasks.4.state="never ran"
# Jobs that are over are unknown, which is no failure; a controller that is away is said.
SQUEUE_FAILS="slurm_load_jobs error: Invalid job id specified"
export SQUEUE_FAILS
run 1 status run --format json
json scheduler_asked=true
SQUEUE_FAILS="slurm_load_jobs error: Unable to contact slurm controller"
run 1 status run --format json
json scheduler_asked=false tasks.2.state=begun tasks.4.state=waiting
err_has "Slurm was not asked what waits and runs: slurm_load_jobs error: Unable"
PATH=$usual
for step in tune-1 tune-2 tune-3 merge-1 report-1; do
    printf 'began 1000 n 0 1\nended 1001 0\n' >"run/state/$step"
done
run 0 status run
printf 'began 1000 n 0 1\nended 1001 1\n' >run/state/merge-1
echo "hone: error: 1 of 3 shards are missing" >run/logs/merge-1.log
run 1 status run
out_has "done, not all"
out_has "1 of 3 shards are missing"

# ---- a shard of a space, compiled -------------------------------------------------------------------
run 2 compile saxpy/stream --shard 3/2
err_has "must be from 1 to 2"
run 2 compile saxpy/stream --config BLOCK=128 --shard 1/2
err_has "--shard"
