#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone pack --with-ptx: beside each kernel that is not for one architecture alone
# its PTX, made of the template as it was tuned; what has none is said.
. "$(dirname "$0")/hone_test.sh"
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || {
    echo "NVRTC is not installed"
    exit 77
}
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
command -v sqlite3 >/dev/null || {
    echo "there is no sqlite3"
    exit 77
}
HONE_DB=$work/hone.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
pack=$work/a.pack

# Objects of the cpu device have none.
run 0 tune saxpy/stream --dims 5003 --device cpu --budget 3 -q
run 0 pack -o "$pack" --with-ptx
out_has "ptx: 0"
variants=$(sed -n 's/^variants: //p' "$work/out")

# As if they were cubins of a GPU: what is packed is not launched here.
sqlite3 "$HONE_DB" "UPDATE device SET kind = 'cuda', arch = 'sm_90';
    UPDATE variant SET arch = 'sm_90', launch_sha256 = NULL"
run 0 pack -o "$pack"
out_has "ptx: 0"
run 0 pack -o "$pack" --with-ptx
out_has "ptx: $variants"
out_has "variants: $((2 * variants))"
[ ! -s "$work/err" ] || fail "$(cat "$work/err")"
grep -aq compute_90 "$pack" || fail "no PTX for sm_90 and newer"
grep -rlaq '\.target sm_90' "$HONE_CACHE_DIR" || fail "no PTX was compiled"
cp "$pack" "$work/first"
run 0 pack -o "$pack" --with-ptx
cmp "$pack" "$work/first" || fail "the same input gives other bytes"

# Code for one architecture alone is not compiled.
sqlite3 "$HONE_DB" "UPDATE variant SET arch = 'sm_90a'"
run 0 pack -o "$pack" --with-ptx
out_has "ptx: 0"
[ ! -s "$work/err" ] || fail "$(cat "$work/err")"
sqlite3 "$HONE_DB" "UPDATE variant SET arch = 'sm_90'"

# A template that was edited since is another one.
cp -r "$HONE_SOURCE/templates" "$work/edited"
sed 's/^#pragma hone param BLOCK .*/& /; s/default 256/default 128/' \
    "$HONE_SOURCE/templates/saxpy_stream.cu" >"$work/edited/saxpy_stream.cu"
cmp -s "$HONE_SOURCE/templates/saxpy_stream.cu" \
    "$work/edited/saxpy_stream.cu" && fail "the template was not edited"
run 0 pack -o "$pack" --with-ptx --template-path "$work/edited"
out_has "ptx: 0"
err_has " without PTX; the first: the template is not there"
