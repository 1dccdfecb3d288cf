#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `hone verify --shapes`: each problem of the file and no other, by all
# implementations that apply, with as many configurations of each as --limit says.
. "$(dirname "$0")/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
HONE_TEMPLATE_PATH=$work/templates
mkdir "$work/templates"
cp "$HONE_SOURCE"/templates/saxpy*.cu "$HONE_SOURCE"/templates/*.cuh \
    "$work/templates"

# A third one, wrong at 61, which is an edge shape, and at 77; not for 1.
sed 's|saxpy/plain reference|saxpy/odd|
     s|^#pragma hone launch|#pragma hone require n > 1 "too short"\n&|
     s|y\[i\] = .*|y[i] = alpha * x[i] + (n % 16 == 13 ? 0 : y[i]);|' \
    "$work/templates/saxpy_plain.cu" >"$work/templates/saxpy_odd.cu"
printf '# a comment\nsaxpy 76\nsaxpy 1\n' >"$work/right"
printf 'saxpy 1000,f64\nsaxpy 77\nsaxpy 16\n' >"$work/wrong"

# The edge shapes are left out, and so are the reference and cuBLAS.
run 1 verify saxpy/odd --format json
run 0 verify --shapes "$work/right" --limit 3 --format json
json checked=7 failed=0 skipped=0 problems.0.dims=76,f32 problems.0.checked=4 \
    problems.0.implementations.0.implementation=odd \
    problems.0.implementations.0.checked=1 \
    problems.0.implementations.1.implementation=stream \
    problems.0.implementations.1.checked=3 \
    problems.1.checked=3 problems.1.implementations.0.checked=0
out_has "(too short) rejects every configuration"
out_has "2 problems, saxpy/odd 1 configurations at 1 of them, saxpy/stream 6 configurations at 2 of them; not covered: 0 problems"

# What is wrong has its problem, and the seed that it is wrong with alone.
run 1 verify --shapes "$work/wrong" --limit 2 --seed 7 --format json
json checked=9 failed=1 failures.0.op=saxpy failures.0.implementation=odd \
    failures.0.dims=77,f32 failures.0.seed=8 failures.0.outcome=wrong \
    problems.0.seed=7 problems.1.implementations.0.failed=1
cp "$work/out" "$work/three"
printf 'saxpy 77\n' >"$work/alone"
run 1 verify --shapes "$work/alone" --limit 2 --seed 8 --format json
for key in got expected; do
    [ "$(grep -o "\"$key\": [^,]*" "$work/three")" = \
        "$(grep -o "\"$key\": [^,]*" "$work/out")" ] ||
        fail "the same problem with its seed is another one: $key"
done
# Each problem has numbers of its own.
printf 'saxpy 77\nsaxpy 93\n' >"$work/two"
run 1 verify saxpy/odd --shapes "$work/two" --format csv
[ "$(grep -c '^saxpy,odd' "$work/out")" -eq 2 ] || fail "two are wrong"

# One that is named, alone.
run 0 verify saxpy/stream --shapes "$work/wrong" --limit 2 --format json
json checked=6 failed=0
# One configuration; also one that no search would take.
run 0 verify saxpy/stream --shapes "$work/right" --config VEC=1 --format json
json checked=2 problems.0.checked=1
sed -i 's|^#pragma hone let FULL|#pragma hone prefer ITEMS > 1 "too few"\n&|' \
    "$work/templates/saxpy_stream.cu"
run 0 verify saxpy/stream --shapes "$work/right" --config ITEMS=1 --format json
json checked=2
run 1 verify saxpy/stream --shapes "$work/right" --config VEC=2,MIN_BLOCKS=2,ITEMS=1 --format json
json checked=0
out_has "few registers are used"
# Nothing applies.
printf 'saxpy 1\n' >"$work/none"
run 1 verify saxpy/odd --shapes "$work/none" --format json
json checked=0 problems.0.implementations.0.checked=0
out_has "too short"
err_has "nothing was verified"
# Both builds of a sanitizer.
if "${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q /; then
    run 1 verify saxpy/odd --shapes "$work/alone" --sanitize --format csv
    out_has "address and undefined"
    out_has "races"
fi

# What makes no sense.
run 2 verify
err_has "nothing to verify"
run 2 verify --shapes "$work/right" --config VEC=1
err_has "--config is of one template: name it"
printf 'saxpy x\n' >"$work/bad"
run 3 verify --shapes "$work/bad"
err_has "$work/bad:1"
