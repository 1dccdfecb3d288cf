#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How far from what was verified a chooser chooses: sizes as far as was verified; what
# follows from them may be larger, where it cannot pass 32 bits; not where the caller
# says so.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
needs sqlite3 "sqlite3 is not installed"
cd "$work"

mkdir kernels
sed -e 's/op saxpy(n, T in {f32, f64} default f32)/op far(n, T in {f32, f64}, m, span default n*m)/' \
    -e '/hone vendor/d; /hone shapes/d' "$HONE_TEMPLATE_PATH/saxpy.cuh" >kernels/far.cuh
grep -q 'span default' kernels/far.cuh || fail "the contract is another"
sed 's|saxpy.cuh|far.cuh|; s|implements saxpy/|implements far/|' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >kernels/far_stream.cu
export HONE_TEMPLATE_PATH="$work/kernels"
printf 'far %s\n' 1000,f32,9000 3001,f32,20 20000,f32,30 65536,f32,40 >shapes
run 0 tune --shapes shapes --device cpu --budget 3 --no-portfolio --db t.db
# The default takes three times what others do, whatever this machine measures.
tell_times t.db "CASE v.config WHEN
    'VEC=4,ITEMS=2,BLOCK=256,GRID_STRIDE=false,BLOCKS_PER_SM=2,STREAM=false,MIN_BLOCKS=1'
    THEN 3 ELSE 1 END"
run 0 tune far --portfolio --device cpu --db t.db --format json
json portfolios.0.chooser=true
# is_chosen DIMS, not_chosen DIMS: by what was learned.
is_chosen() {
    run 0 run far --dims "$1" --device cpu --db t.db --format json
    json match=chosen
}
not_chosen() {
    run 0 run far --dims "$1" --device cpu --db t.db --format json
    grep -q '"match": "chosen"' out && fail "$1 is beyond what was verified"
    return 0
}
is_chosen 20001,f32,4500 # 90 million, 9 were verified
not_chosen 60000,f32,8000 # 480 million
not_chosen 20001,f32,4500,90000001 # which is not what follows
not_chosen 70000,f32,20 # a size

