#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shapes with counts, and what a program recorded: the budget is one for all and
# goes where launches lose most; what cannot be tuned is left out. No GPU.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/shapes.db
HONE_CACHE_DIR=$work/cache
export HONE_DB HONE_CACHE_DIR

# The hot one has all that is behind the first look, whatever noise says.
cat >"$work/shapes" <<END
# by hand
saxpy 1003 1
saxpy 2003 1000000    # hot
saxpy 2003 1000000
nobody 3 7
saxpy 1,2,3 4
saxpy 70001 2 arch=sm_90 device=NVIDIA_H200
END
run 0 tune --shapes "$work/shapes" --device cpu --budget 20 \
    --no-portfolio --format json
json left_out=3 torn_lines=0 shapes.0.launches=1 shapes.0.trials=4 \
    shapes.0.part=0.0 shapes.1.launches=2000000 shapes.1.part=1.0 \
    shapes.1.trials=16 shapes.1.resumed=4 shapes.1.winner shapes.0.winner \
    shapes.1.why
err_has "shapes:5: left out: there is no template 'nobody'"
err_has "shapes:6: left out: "
err_has "shapes:7: left out: saxpy 70001 was launched on the other kind of"
# Once more: all of it is there.
run 0 tune --shapes "$work/shapes" --device cpu --budget 20 \
    --no-portfolio --format json -q
json shapes.0.trials=4 shapes.0.resumed=4 shapes.1.trials=16 \
    shapes.1.resumed=16

# Seconds are kept by the clock: what they end before is said, and is no failure; that
# the one shape that is always begun came to nothing is.
run 1 tune --shapes "$work/shapes" --device cpu --budget 0.001s \
    --no-portfolio --format json --db "$work/none.db"
json shapes.1.message='the time was over before' shapes.1.launches=2000000
err_has "1 of 2 problems were not reached in 0.001 s"
err_has "saxpy n=1003 T=f32 has no winner"
err_has "1 of 2 problems have no winner"

# Without counts it is for each shape.
printf 'saxpy 1003\nsaxpy 2003\n' >"$work/plain"
run 0 tune --shapes "$work/plain" --device cpu --budget 5 --format json -q
json shapes.0.trials=5 portfolios.0.problems=2
# What a portfolio tried is there, and takes nothing of the budget.
run 0 tune --shapes "$work/plain" --device cpu --budget 7 --no-portfolio \
    --format json -q
new=$(($(sed -n 's/.*"trials": \([0-9]*\), "resumed": \([0-9]*\),.*/\1 - \2/p' \
    "$work/out" | head -1)))
[ "$new" -eq 2 ] || fail "not two more trials but $new"

# An implementation beside the file: its lines of the operation, tuned by that one, and no shapes
# of the template's own.
run 0 tune saxpy/stream --shapes "$work/plain" --device cpu --budget 3 \
    --no-portfolio --db "$work/named.db" --format json -q
json shapes.0.dims.0=1003 shapes.1.dims.0=2003 \
    shapes.1.implementations.1.name=stream shapes.1.implementations.1.trials=3 \
    shapes.1.implementations.2.trials=0
[ "$(grep -o '"dims"' "$work/out" | wc -l)" -eq 2 ] || fail "more than was listed"
run 0 tune saxpy/stream --dims 77 --shapes "$work/plain" --device cpu --budget 2 \
    --no-portfolio --db "$work/named.db" --format json -q
json shapes.0.dims.0=77 shapes.2.dims.0=2003
run 2 tune sum --shapes "$work/plain" --device cpu --budget 2
err_has "plain has no line that is of 'sum'"

# What a program launches, a line of it torn.
cat >"$work/launch.c" <<END
#include "runtime/hone.h"
#include <stdlib.h>
int main(void)
{
    float *x = calloc(5003, 4), *y = calloc(5003, 4), alpha = 2;
    void *args[] = {&alpha, &x, &y};
    hone_ctx *ctx = NULL;
    int failed = hone_open(NULL, &ctx) != HONE_OK;
    for (int i = 0; i < 30; ++i) {
        int64_t n = i % 3 ? 1003 : 2003;
        failed |= hone_launch(ctx, "saxpy", &n, 1, args, 3, NULL) != HONE_OK;
    }
    return failed;
}
END
lib=$(dirname "$HONE")/../lib
# A sanitized library wants sanitized programs; this one closes nothing.
sanitize=
! ldd "$lib/libhone.so" | grep -q libasan || sanitize=-fsanitize=address
# shellcheck disable=SC2086 # an option or none
cc $sanitize -I"$HONE_SOURCE" -o "$work/launch" "$work/launch.c" -L"$lib" \
    -lhone -Wl,-rpath,"$lib"
for time in first second; do
    ASAN_OPTIONS=detect_leaks=0 HONE_RECORD=$work/record HONE_DEVICE=cpu \
        "$work/launch" || fail "the program failed the $time time"
done
grep -q '^# hone-record 1$' "$work/record" || fail "no title"
[ "$(grep -c '^saxpy 1003,4 20 arch=cpu ' "$work/record")" -eq 2 ] ||
    fail "not what was launched: $(cat "$work/record")"
echo 'saxpy 9999 400' >>"$work/record"
run 0 tune --shapes "$work/record" --device cpu --budget 12 --format json
json torn_lines=1 left_out=0
err_has "1 line was not written to the end"
grep -q '"launches": *40' "$work/out" || fail "counts are not added up"
grep -q '"dims": \[9999' "$work/out" && fail "a torn line was tuned"

# The example of hone-record(5) is a whole line, of a GPU.
grep -e '^# hone-record 1$' -e ' sum=[0-9a-f]*$' "$HONE_SOURCE/tools/man/hone-record.5.scd" >"$work/example"
[ "$(wc -l <"$work/example")" -eq 2 ] || fail "the manual has another example"
run 3 tune --shapes "$work/example" --device cpu
err_has "example:2: left out: gemm 4096,4096,4096,4 was launched on the other kind of device"

# Mistakes.
echo 'saxpy 1M 0' >"$work/bad"
run 3 tune --shapes "$work/bad" --device cpu
err_has "bad:1: a line is an operation, its dimensions and"
echo 'saxpy 1M 3 hot' >"$work/bad"
run 3 tune --shapes "$work/bad" --device cpu
echo 'nobody 1M 3' >"$work/bad"
run 3 tune --shapes "$work/bad" --device cpu
err_has "none of its shapes can be tuned here"
