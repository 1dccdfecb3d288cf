#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever command runs a template's code on the cpu device, it may not write
# files: not in a kernel, and not while an object is loaded.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_SANDBOX=off
HONE_DB=$work/off.db
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_SANDBOX
template=$work/writes.cu
mkdir "$work/here"
sed "s|HERE|$work/here|g" "$fixtures/writes.cu" >"$template"

# confined ARGUMENTS..: it writes as it likes without the sandbox, and nothing
# in it. Each way has a database of its own, so that neither finds its work done.
confined() {
    HONE_SANDBOX=off
    HONE_DB=$work/off.db
    run 0 "$@"
    [ -e "$work/here/loaded" ] || fail "it does not write while it is loaded"
    [ -e "$work/here/ran" ] || fail "its kernel does not write"
    rm "$work/here/loaded" "$work/here/ran"
    HONE_SANDBOX=
    HONE_DB=$work/on.db
    run 0 "$@"
    [ -z "$(ls "$work/here")" ] || fail "was written: $(ls "$work/here")"
}

HONE_SANDBOX=
"$HONE" doctor 2>/dev/null | grep -q '^sandbox.*Landlock' || {
    echo "this kernel has no Landlock"
    exit 77
}
confined tune "$template" --dims 1000 --device cpu --budget 2
confined bench "$template" --dims 1000 --device cpu
confined bench "$template" --dims 1000 --device cpu --config BLOCK=32
confined run "$template" --dims 1000 --device cpu
confined verify "$template" --device cpu
