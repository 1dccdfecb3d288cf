#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A result that was wrong once and right in the runs like it: the variant is
# `unstable`, does not win, and the next run tries it again: once.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_CACHE_DIR HONE_CUDA_LIBRARY
cd "$work"
# One bit of the result of its second run, while a file is there.
cat >flips.template <<END
#pragma hone op flips(n) "y = alpha*x + y"
#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]
#pragma hone param KIND in KINDS default good
#pragma hone launch flips grid(ceildiv(n, 64)) block(64) args(alpha, x, y, i64(n))
#pragma hone check cpu.saxpy tolerance(4) exact(8)
extern "C" int access(const char *path, int how);
static int n_runs, n_small;
extern "C" __global__ void flips(float alpha, const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * 64ll + threadIdx.x;
    if (i >= n)
        return;
    y[i] = alpha * x[i] + y[i];
    if (KIND == KIND_values::flips && i == 7 && ++n_runs == 2 &&
        access("$work/memory_fails", 0) == 0)
        y[i] = y[i] * 1e20f + 1e20f;
#if KINDS_HAVE_SMALL
    if (KIND == KIND_values::small && n == 61 && i == 7 && ++n_small == 2)
        y[i] = y[i] * 1e20f + 1e20f;
#endif
}
END
sed 's/KINDS default/{good, flips} default/' flips.template >flips.cu
# tuned OK UNSTABLE TRIALS: outcomes of a run; trials that are stored after it.
tuned() {
    run 0 tune flips.cu --dims 500 --device cpu --strategy exhaustive \
        --db t.db --format json
    json shapes.0.outcomes.ok="$1"
    [ "$2" = 0 ] || json shapes.0.outcomes.unstable="$2"
    run 0 sql "SELECT count(*) FROM trial_v1" --db t.db --format csv
    [ "$(tail -n 1 out)" = "$3" ] || fail "$(tail -n 1 out) trials, not $3"
}

# Memory that failed once.
: >memory_fails
tuned 1 1 2
run 0 sql "SELECT message FROM trial_v1 WHERE outcome = 'unstable'" --db t.db
out_has "1 of 500 elements are out of tolerance"
out_has "right in 2 of 3 such runs"
run 0 sql "SELECT config FROM winner_v1" --db t.db --format csv
out_has "KIND=good"
rm memory_fails
tuned 2 0 3
tuned 2 0 3

# It goes on: that is the variant's, and not tried for ever.
rm t.db
: >memory_fails
tuned 1 1 2
tuned 1 1 3
tuned 1 1 3

# In the final alone, on one of its shapes: it has a trial and a final each time.
rm t.db memory_fails
sed 's/KINDS default/{good, small} default/; s/KINDS_HAVE_SMALL/1/
    s/KIND_values::flips/KIND_values::small/' flips.template >flips.cu
tuned 1 1 3
tuned 1 1 5
tuned 1 1 5
