#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tensor maps on a real GPU: the runtime's (gpu_maps), and tunings of
# tma_copy.cu in which every map that CUDA allows gives right results, and
# every other one is refused with a sentence before it is compiled. Prints a
# table: form, maps that ran, the best time, maps that were refused.
. "$(dirname "$0")/gpu_test.sh"
tests=$(dirname "$HONE")/../tests

if [ "$DEVICE" = cuda ]; then
    "$tests/gpu_maps"
    code=$?
    [ $code -ne 77 ] || exit 77
    expect "the runtime copies through maps" test $code -eq 0
fi

tma() { # tma DIMS: all variants
    new_db
    "$HONE" tune "$HONE_SOURCE/tests/gpu/tma_copy.cu" --device "$DEVICE" \
        --dims "$1" --strategy exhaustive --trial-timeout 5 --quiet
    expect "$1: the run finishes" test $? -eq 0
    expect "$1: each variant is ok or limits" test "$(ask "select count(*)
        from trial_v1 where outcome not in ('ok', 'limits')")" -eq 0
    ask "select config || ': ' || outcome || ', ' || coalesce(message, '')
        from trial_v1 where outcome not in ('ok', 'limits') limit 5"
    expect "$1: some are ok" test "$(ask "select count(*) from trial_v1
        where outcome = 'ok' and verified")" -gt 20
    expect "$1: what is refused was not compiled" test "$(ask "select count(*)
        from trial_v1 where outcome = 'limits'
        and cubin_sha256 is not null")" -eq 0
    expect "$1: and says which map" test "$(ask "select count(*) from trial_v1
        where outcome = 'limits' and message not like 'tensor map %'")" -eq 0
    for form in plane slices copy second; do
        ask "select '| $1 | $form | ' || sum(outcome = 'ok') || ' | ' ||
            coalesce(round(min(case when outcome = 'ok' then time_ns end)
            / 1e3, 2), '-') || ' us | ' || sum(outcome = 'limits') || ' |'
            from trial_v1 where config like '%FORM=$form,%'"
    done
    ask "select distinct '  ' || substr(message, 1, 90) from trial_v1
        where outcome = 'limits' limit 6"
    expect_whole
}

echo '| dims | form | ok | best | limits |'
echo '|---|---|---|---|---|'
tma 1000,f32,512
tma 300,f64,66

# No map shows rows of 515 floats: the sentence comes before anything runs.
new_db
"$HONE" tune "$HONE_SOURCE/tests/gpu/tma_copy.cu" --device "$DEVICE" \
    --dims 1000,f32,515 --strategy exhaustive --quiet >"$scratch/bad" 2>&1
expect "rows of 2060 bytes cannot be tuned" test $? -ne 0
tail -n 3 "$scratch/bad"
expect "and it is said why" grep -q 'no multiple of 16' "$scratch/bad"
exit $((failures > 0))
