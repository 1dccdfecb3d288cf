#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an edit of a template leaves tuned: trials of the variants that it does
# not change are kept, others are stale, and no runtime launches these.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/edit.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"; }
is() { [ "$(ask "$2")" = "$1" ] || fail "$2: $(ask "$2"), not $1"; }
file=$work/twice.cu
# tune N MEMBER..: what the run says of the shape.
tune() {
    n=$1
    shift
    run 0 tune "$file" --dims "$n" --device cpu --strategy exhaustive \
        --samples 2 --format json
    for member; do
        json "shapes.0.$member"
    done
}
stale() { ask "select count(*) from winner_v1
    where dims = '$1' and template_is_latest = 0"; }

# Two kernels that four variants are made of; slow where TILE is 2.
template() { # what is slow, values of TILE, constraint
    cat >"$file" <<END
#pragma hone op twice(n)
#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]
#pragma hone param TILE in {$2}
#pragma hone param N in {1, 2}
#pragma hone require $3
#pragma hone launch twice grid(ceildiv(n, 64)) block(64) args(alpha, x, y, i32(n))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

extern "C" int usleep(unsigned us);
__device__ int index() { return blockIdx.x * 64 + threadIdx.x; }
#include "part.h"
extern "C" __global__ void twice(float alpha, const float *x, float *y, int n)
{
    const int i = index();
#if HONE_TILE == 2
    if (i == 0) // more than a busy machine makes others wait
        usleep(20000);
    if (i < n)
        y[i] = $1;
#else
    if (i < n)
        y[i] = x[i] * PART + y[i];
#endif
}
END
}
template 'alpha * x[i] + y[i]' '1, 2' 'N <= n'
printf '#if HONE_TILE == 2\n#define PART 0\n#else\n#define PART alpha\n#endif\n' \
    >"$work/part.h"
tune 1000 trials=4 resumed=0 kept=0 stale=0 outcomes.ok=4
tune 2000 trials=4 resumed=0 kept=0 stale=0 outcomes.ok=4
is 2 "select count(*) from winner_v1 where config like 'TILE=1,%'
      and template_is_latest"

# The branch that no winner takes.
template 'y[i] + alpha * x[i]' '1, 2' 'N <= n'
tune 1000 trials=4 resumed=2 kept=2 stale=2 n_compiles=1 outcomes.ok=4
err_has "the trials of 2 configurations are kept, those of 2 are stale"
# The winner of the other problem is as good as it was.
is 0 "select count(*) from winner_v1 where template_is_latest = 0"
run 0 run "$file" --dims 2000 --device cpu --format json
json match=exact correct=true
run 0 show trials --op twice --dims 2000 --format json
is 2 "select count(*) from trial_v1 where dims = '2000' and template_sha256
      <> (select template_sha256 from winner_v1 where dims = '2000')"
run 0 show trials --op twice --dims 2000
[ "$(grep -c 'ok (stale)' "$work/out")" -eq 2 ] ||
    fail "the slow ones at 2000 are stale, no others"
tune 2000 trials=4 resumed=2 kept=2 stale=2 n_compiles=0
# Nothing has changed since: nothing to be said.
tune 2000 trials=4 resumed=4 kept=2 stale=0
[ -z "$(sed -n '/the template has changed/p' "$work/err")" ] ||
    fail "there was no edit"

# It breaks: it is tried, not served.
template 'y[i] + alpha * x[i] + 1' '1, 2' 'N <= n'
tune 1000 trials=4 resumed=2 kept=2 stale=2 outcomes.ok=2 outcomes.wrong=2
is 0 "select count(*) from ranked_v1 where template_is_latest
      and config like 'TILE=2,%'"
# Verdicts are kept as well; what the list and the constraint allow is another
# matter.
template 'y[i] + alpha * x[i] + 1' '1, 2, 3' 'N < n'
tune 1000 trials=6 resumed=4 kept=4 stale=0 outcomes.ok=4 outcomes.wrong=2
# Back again: so are the first trials.
template 'y[i] + alpha * x[i]' '1, 2, 3' 'N < n'
tune 1000 trials=6 resumed=6 kept=6 stale=0 n_compiles=0 outcomes.ok=6

# A branch of a header.
sed -i 's/PART 0/PART 1/' "$work/part.h"
tune 1000 trials=6 resumed=4 kept=4 stale=2 outcomes.ok=6
# The winners' branch: none that is stale is launched.
sed -i 's/PART alpha/PART (alpha)/' "$work/part.h"
tune 1000 trials=6 resumed=2 kept=2 stale=4 outcomes.ok=6
[ "$(stale 1000) $(stale 2000)" = "0 1" ] || fail "which winners are stale"
run 0 show winners --op twice
[ "$(grep -c '(stale)' "$work/out")" -eq 1 ] || fail "one winner is stale"
run 0 run "$file" --dims 2000 --device cpu --format json
json match=neighbour correct=true
