#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone bench on the cpu device: winner and default in turns, with intervals;
# and what it says where nothing is tuned. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
HONE_DB=$work/bench.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

# No database, no GPU, wrong dimensions, wrong use.
run 3 bench saxpy --dims 5003 --device cpu
out_empty
err_has "bench.db"
run 4 bench saxpy --dims 5003
out_empty
run 3 bench saxpy --dims 5003,7 --device cpu
run 3 bench saxpy --device cpu
run 2 bench saxpy --dims 5003 --device tpu
err_has "--device"
[ ! -e "$HONE_DB" ] || fail "bench made a database"

command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
run 0 tune saxpy/stream --dims 5003 --device cpu --budget 3 --format json
json shapes.0.trials=3
winner=$(sed -n 's/.*"winner": *"\([^"]*\)".*/\1/p' "$work/out" | head -n 1)
[ -n "$winner" ] || fail "no winner"

run 0 bench saxpy --dims 5003 --device cpu --format json
json reference=winner "reference_config=$winner" rounds noise_floor verdict \
    decided_by
json op=saxpy dims.0=5003 arch=cpu mode=hot "config=$winner" device \
    tuned_time_ns rows.0.name=winner "rows.0.config=$winner" \
    rows.0.outcome=ok rows.0.time_ns rows.0.ci_low_ns rows.0.ci_high_ns \
    rows.0.spread_ns rows.0.ratio=1.0 rows.0.ratio_low=1.0 \
    rows.0.ratio_high=1.0 rows.0.n_samples rows.0.message=
# The default has a row of its own unless it is the winner.
run 0 bench saxpy --dims 5003 --device cpu
out_has "x winner"
out_has "default"
run 0 bench saxpy --dims 5003 --device cpu --format csv

# Configurations of one's own: compiled if they are not known, in one row
# each, also where nothing is tuned.
a=VEC=1,ITEMS=1,BLOCK=128
b=VEC=2,ITEMS=2,BLOCK=256
run 0 bench saxpy/stream --dims 5003 --device cpu --config $a --config $b \
    --config "$winner" --config $a --format json
json reference=winner rows.0.name=winner
[ "$(grep -o '"name": "config"' "$work/out" | wc -l)" -le 2 ] ||
    fail "a configuration has two rows"
out_has "$a"
out_has "$b"
out_has '"outcome": "ok"'
HONE_DB=$work/none.db run 0 bench saxpy/stream --dims 5004 --device cpu \
    --config $a --config $b --format json
json reference=config config= tuned_time_ns=null rows.0.name=config \
    rows.1.name=config rows.0.ratio rows.1.ratio_low rows.1.n_samples
HONE_DB=$work/none.db run 0 bench saxpy/stream --dims 5004 --device cpu --config $a
out_has "x fastest"
out_has "noise_floor"
[ ! -e "$work/none.db" ] || fail "bench made a database"
# What searches leave out may be timed.
mkdir "$work/kernels"
sed '0,/^#pragma hone require/s//#pragma hone prefer ITEMS > 1 "too few"\n&/' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >"$work/kernels/saxpy_stream.cu"
HONE_DB=$work/none.db run 0 bench saxpy/stream --dims 5004 --device cpu \
    --config $a --format json -I "$work/kernels"
json rows.0.name=config rows.0.outcome=ok
# What is asked for must be a configuration of this problem.
run 3 bench saxpy/stream --dims 5003 --device cpu --config BLOCK=7
out_empty
err_has BLOCK
run 3 bench saxpy/stream --dims 5003 --device cpu --config NOSUCH=1
many=$(i=0; while [ $i -lt 25 ]; do echo "--config $a"; i=$((i + 1)); done)
# shellcheck disable=SC2086
run 2 bench saxpy/stream --dims 5003 --device cpu $many
err_has "at most 24"

# Of several implementations one is named, in front of each configuration.
run 2 bench saxpy --dims 5003 --device cpu --config $a
err_has "of which implementation of saxpy? Name one, as stream:$a, or bench saxpy/stream"
run 2 bench saxpy --dims 5003 --device cpu --config other:$a
err_has "of an unknown implementation of saxpy? Name one, as stream:$a"
run 2 bench saxpy/plain --dims 5003 --device cpu --config stream:$a
HONE_DB=$work/none.db run 0 bench saxpy --dims 5004 --device cpu \
    --config plain: --config stream:$a --config stream:$b --config stream:$a --format json
json rows.0.implementation=plain rows.0.outcome=ok rows.1.implementation=stream \
    rows.1.outcome=ok "rows.2.implementation=stream" rows.2.outcome=ok
[ "$(grep -o '"name": "config"' "$work/out" | wc -l)" -eq 3 ] || fail "not three rows"
out_has "\"label\": \"stream:$a"
# The winner has its row already.
run 0 bench saxpy --dims 5003 --device cpu --config "stream:$winner" --format json
[ "$(grep -o '"name": "config"' "$work/out" | wc -l)" -eq 0 ] || fail "the winner has two rows"
run 3 bench saxpy --dims 5003 --device cpu --config plain:NOSUCH=1

# Tuned is this problem in this mode, and no other; a GPU is not the cpu.
run 3 bench saxpy --dims 5004 --device cpu
out_empty
err_has "nothing is tuned for saxpy"
err_has "hone tune saxpy --dims 5004,f32 --device cpu"
# The cpu device measures in one way only, and says so.
run 2 bench saxpy --dims 5003 --device cpu --mode cold
err_has "always measures hot"
run 4 bench saxpy --dims 5003
