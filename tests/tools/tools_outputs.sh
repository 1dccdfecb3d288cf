#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every array that is written is compared, on the cpu device: a variant that is
# wrong in the first, the second or the third of three neither verifies nor
# wins, 64-bit integers are compared as integers, and arrays may have bounds of
# their own. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/outputs.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY
cp "$fixtures/row_stats.cu" "$fixtures/row_stats_plain.cu" "$work"
stats=$work/row_stats.cu

run 1 verify "$stats" --format json
json checked=4 failed=3
out_has "template.row_stats_plain of 'mean'"
out_has "template.row_stats_plain of 'largest'"
out_has "template.row_stats_plain of 'place'"
run 0 tune "$stats" --dims 77,33 --device cpu --strategy exhaustive \
    --format json
json shapes.0.outcomes.ok=1 shapes.0.outcomes.wrong=3 shapes.0.winner=FORM=right
run 0 run "$stats" --dims 77,33 --device cpu --format json
json correct=true

# Without its own bound the mean is held to that of all: none.
sed 's/ for mean tolerance(columns + 2)//' "$fixtures/row_stats.cu" \
    >"$work/strict.cu"
run 1 verify "$work/strict.cu" --config FORM=right --dims 8,1000 --format json
out_has "of 'mean'"

# refused EXPRESSION WORDS: a mistake, with its place.
refused() {
    sed -e "$1" "$fixtures/row_stats.cu" >"$work/refused.cu"
    run 3 expand "$work/refused.cu"
    err_has "refused.cu:9:"
    err_has "$2"
}
refused 's/for mean/for x/' "'x' is not an array that is written"
refused 's/for mean/for nothing/' "'nothing' is not an array that is written"
refused 's/for mean.*/for mean exact(1) for mean exact(1)/' \
    "'mean' has bounds already"
refused 's/for mean/of mean/' "not 'of'"
