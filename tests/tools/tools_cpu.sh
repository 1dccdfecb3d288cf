#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cpu device from template to launch: tune, resume, run, verify; and what
# it says without a compiler. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/cpu.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

run 0 tune saxpy --dims 5003 --device cpu --budget 4 --format json
json shapes.0.op=saxpy shapes.0.arch=cpu shapes.0.trials=4 \
    shapes.0.resumed=0 shapes.0.outcomes.ok=4 shapes.0.winner \
    shapes.0.time_ns
run 0 tune saxpy --dims 5003 --device cpu --budget 6 --format json
json shapes.0.trials=6 shapes.0.resumed=4 shapes.0.outcomes.ok=6

run 0 run saxpy --dims 5003 --device cpu --format json
json correct=true match=exact time_ns
# Another size in reach is answered by its neighbour.
run 0 run saxpy --dims 6001 --device cpu --format json
json correct=true match=neighbour
# The GPU never answers with what the cpu is good at.
run 4 run saxpy --dims 5003
run 0 show devices --format csv
out_has "cpu"

# Without a compiler, and without a place to work.
CXX=/nonexistent/c++ run 4 tune saxpy --dims 77 --device cpu
err_has "C++ compiler"
TMPDIR=/proc/self/nowhere run 4 verify saxpy --limit 1
err_has "TMPDIR"

# GCC's own faults where it instruments optimised code: once more without. A
# build that is timed does not become slow in silence.
cat >"$work/breaks" <<'SCRIPT'
#!/bin/sh
case " $* " in
*" -c hone-unit.cpp "*" -O0 "* | *" --version "* | *" -print-file-name="*) ;;
*" -c hone-unit.cpp "* | *"${BREAKS:-none}"*)
    echo "hone-unit.cpp:1:1: internal compiler error: in a function"
    exit 1 ;;
esac
exec c++ "$@"
SCRIPT
chmod +x "$work/breaks"
CXX=$work/breaks run 0 verify saxpy --device cpu --limit 1 --sanitize
out_has "failed: 0"
CXX=$work/breaks BREAKS=-shared run 1 verify saxpy --device cpu --limit 2
out_has "internal compiler error"
run 0 show winners --format csv
out_has "saxpy"

# (tools_verify_shipped.sh takes more of each.)
run 0 verify saxpy sum gemm/wmma conv1d scan --limit 1 --format json
json checked=5 failed=0

# Constant memory, workspaces zeroed for each run and parameters that are types
# work here; clusters and cooperative launches are skipped, each with a
# sentence.
special=$HONE_SOURCE/tests/gpu/special.cu
run 0 verify "$special" --format json
json checked=5 failed=0 skipped=5
err_has "launched in clusters, which the cpu device does not support"
err_has "launched cooperatively"
run 0 verify "$special" --sanitize --config WAY=constant_memory --format json
json checked=2 failed=0
run 0 tune "$special" --dims 2011,37 --device cpu --strategy exhaustive \
    --format json
json shapes.0.outcomes.ok=5 shapes.0.outcomes.limits=5
# A filter longer than the array in the code, and than constant memory.
run 0 tune "$special" --dims 64,1025 --device cpu --strategy exhaustive \
    --format json
json shapes.0.outcomes.ok=4 shapes.0.outcomes.limits=3
run 3 expand "$special" --dims 64,16385 --config WAY=constant_memory
err_has "65536 bytes of constant memory; this configuration takes 65540"

# Without a winner: why, also of trials that are in the database, and also with
# --quiet. Text goes the same way as JSON.
together=$fixtures/together_only.cu
why="4 of 4: limits; most often (3 times): kernel 'once' is launched"
why="$why cooperatively, which the cpu device does not support; it is for CUDA"
for resumed in 0 4; do
    run 1 tune "$together" --dims 4097 --device cpu --strategy exhaustive \
        --format json --quiet
    json shapes.0.resumed=$resumed "shapes.0.message=$why devices only"
    err_has "error: together_only n=4097 has no winner: $why"
done
run 1 tune "$together" --dims 4097 --device cpu --quiet
err_has "$why"
err_lines 1
run 0 tune saxpy --dims 5003 --device cpu --budget 4 --format json --quiet
json shapes.0.message=
err_empty
# A template without host form is skipped with its reason, not failed.
run 0 verify "$fixtures/cuda_only.cu" --format json
json checked=0 failed=0 skipped=1
err_has "its asm has no host form"
run 1 tune "$fixtures/cuda_only.cu" --dims 5 --device cpu --format json
json shapes.0.error_text shapes.0.message
err_has "its asm has no host form"

# A configuration that the text cannot be expanded for is one trial, now and
# when the run goes on, and the others have their winner.
cat >"$work/steps.cu" <<'EOF'
#pragma hone op steps(n) "y = 2*x"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone param S in {1, 2, 0}
#pragma hone launch steps grid(ceildiv(n, 256)) block(256) args(x, y, i64(n))
extern "C" __global__ void steps(const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;
#pragma hone for I in 0..3 step S
    // @{I}
#pragma hone endfor

    if (i < n)
        y[i] = 2 * x[i];
}
EOF
for resumed in 0 3; do
    run 0 tune "$work/steps.cu" --dims 1000 --device cpu --strategy exhaustive \
        --format json
    json shapes.0.resumed=$resumed shapes.0.outcomes.ok=2 \
        shapes.0.outcomes.limits=1
done
run 0 verify "$work/steps.cu" --config S=0 --format json
json checked=0 failed=0 skipped=1
err_has "steps.cu:8: the step of a 'for' is 0"
run 3 expand "$work/steps.cu" --config S=0

# A full disk: exit 4 and a sentence; what is there stays. Needs root to mount.
mkdir "$work/full"
if mount -t tmpfs -o size=512k tmpfs "$work/full" 2>/dev/null; then
    trap 'umount "$work/full"; rm -rf "$work"' EXIT
    head -c 1000k /dev/zero >"$work/full/filler" 2>/dev/null || true
    TMPDIR=$work/full run 4 tune saxpy --dims 79 --device cpu --budget 2 \
        --cache-dir "$work/cache2"
    err_has "space"
    HONE_DB=$work/full/hone.db run 4 tune saxpy --dims 79 --device cpu \
        --budget 2
    run 0 show winners --format csv
    out_has "saxpy"
fi
