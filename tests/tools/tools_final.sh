#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The final of a tuning run on the cpu device: what it stores of its
# decisions, and who wins if all that seem the best are wrong.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/final.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$(dirname "$HONE")/../tests/db_ask" "$HONE_DB" "$1"; }
is() { [ "$(ask "$2")" = "$1" ] || fail "$2: $(ask "$2"), not $1"; }

run 0 tune saxpy/stream --dims 5003 --device cpu --budget 3 --format json
winner=$(sed -n 's/.*"winner": *"\([^"]*\)".*/\1/p' "$work/out" | head -n 1)
[ -n "$winner" ] || fail "no winner"
grep -q '"noise_floor": [0-9]' "$work/out" || fail "no noise floor"
# What is shown later is what was said: one measurement, and how sure it is.
said() {
    sed -n "s/.*\"$1\": *\"*\([^\",]*\).*/\1/p" "$work/out" | head -n 1
}
is 1 "select count(*) from winner_v1 where verdict = '$(said verdict)'
      and abs(time_ns / $(said time_ns) - 1) < 1e-9
      and abs(default_time_ns / $(said default_ns) - 1) < 1e-9
      and abs(gain / $(said gain) - 1) < 1e-9
      and (is_default = 0 or gain = 1)"
grep -Eq '"verdict": "(decided|tied|too_noisy)"' "$work/out" ||
    fail "no verdict"
is 3 "select count(*) from decision_v1 where kind = 'finalist'"
is 2 "select count(*) from decision_v1 where kind in ('dropped', 'tied')
      and ratio_low <= ratio and ratio <= ratio_high and n_samples >= 2
      and text <> '' and config <> ''"
is "$winner" "select config from decision_v1 where kind = 'winner'
              and text <> '' and ratio > 0 and n_samples >= 2"
is 1 "select count(*) from session_v1 where noise_floor >= 0
      and verdict in ('decided', 'tied', 'too_noisy')"
is 1 "select count(*) from winner_v1 where decided_by =
      (select text from decision_v1 where kind = 'winner')"

# Forty that are wrong and seem the best: each is refuted, with a trial that
# says why, until it is the turn of those that are right. (One whose trial a
# busy machine made slow may not get as far.)
HONE_DB=$work/refuted.db
run 0 tune "$fixtures/refuted.cu" --dims 4096 --device cpu \
    --strategy exhaustive --format json
json shapes.0.trials=42 shapes.0.out_of_final.0.outcome=wrong \
    shapes.0.out_of_final.0.implementation=refuted.cu \
    shapes.0.out_of_final.0.trial_ns
grep -q '"message": "at n=1 T=f32: ' "$work/out" || fail "no reason in JSON"
err_has "out of the final: refuted.cu KIND=fast,N="
err_has " in its trial): wrong: at n=1 T=f32: "
case $(ask "select config from winner_v1") in
KIND=right,N=[12]) ;;
*) fail "the winner is $(ask "select config from winner_v1")" ;;
esac
refuted=$(ask "select count(distinct config) from decision_v1
               where kind = 'refuted' and text like '%at n=1%'")
# On a machine so noisy that those that are right are in the first final, that
# one decides.
early=$(ask "select count(*) from decision_v1 where kind = 'finalist'
    and config like 'KIND=right,%' and decision_id <
    (select min(decision_id) from decision_v1 where kind = 'refuted')")
[ "$refuted" -gt 32 ] || [ "$early" -gt 0 ] ||
    fail "one final refuted all: $refuted"
is "$refuted" "select count(*) from decision_v1 where kind = 'refuted'"
is 1 "select count(*) from decision_v1 where kind = 'winner'"
# They stay refuted: the next run knows, and does not ask again.
run 0 tune "$fixtures/refuted.cu" --dims 4096 --device cpu \
    --strategy exhaustive --format json
json shapes.0.trials=42 shapes.0.resumed=42
is "$refuted" "select count(*) from decision_v1 where kind = 'refuted'
               and session_id = 1"
is 0 "select count(*) from decision_v1 where kind = 'finalist'
      and session_id = 2 and config in
      (select config from decision_v1 where kind = 'refuted'
       and session_id = 1)"

# A baseline that changes its input: that is said of it, and the winner, which
# is verified once more behind it, is right all the same.
lines='#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone launch twice grid(ceildiv(n, BLOCK)) block(BLOCK) args(x, y, i64(n))
extern "C" __global__ void twice(const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[i];'
printf '%s\n' '#pragma hone op twice(n) "y = 2*x"' \
    '#pragma hone param BLOCK in {32, 64}' "$lines" '}' \
    '#pragma hone check template.twice_plain tolerance(1) exact(8)' \
    '#pragma hone baseline template.twice_spoils' >"$work/twice.cu"
printf '%s\n' '#pragma hone op twice_plain(n) "y = 2*x"' \
    '#pragma hone let BLOCK = 32' "$lines" '}' \
    '#pragma hone check none' >"$work/twice_plain.cu"
printf '%s\n' '#pragma hone op twice_spoils(n) "y = 2*x"' \
    '#pragma hone let BLOCK = 32' "$lines" \
    'if (i < n) const_cast<float *>(x)[i] = 3; }' \
    '#pragma hone check none' >"$work/twice_spoils.cu"
run 0 tune "$work/twice.cu" --dims 5003 --device cpu --db "$work/twice.db" \
    --format json
json shapes.0.outcomes.ok=2 shapes.0.baselines.0.time_ns \
    "shapes.0.baselines.0.message=the input array 'x' was changed"

# Nobody is right: no winner, and none from an earlier run.
run 1 tune "$fixtures/refuted.cu" --dims 4098 --device cpu \
    --strategy exhaustive --budget 9 --no-seeds --format json
json shapes.0.outcomes.wrong=9
err_has "has no winner: 9 of 9: wrong; each time: at n="
is 1 "select count(*) from winner_v1"
