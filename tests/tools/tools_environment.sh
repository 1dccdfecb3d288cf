#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without GPU and without NVRTC: a sentence that says what to do, exit 4, no
# result on stdout.
. "$(dirname "$0")/hone_test.sh"
mini=$fixtures/mini.cu

HONE_CUDA_LIBRARY=$work/nowhere/libcuda.so.1
HONE_NVRTC_LIBRARY=$work/nowhere/libnvrtc.so
export HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

run 4 compile "$mini" --arch sm_90
out_empty
err_has "NVRTC"
err_has "$work/nowhere/libnvrtc.so"
run 4 tune saxpy --dims 1M
out_empty
err_has "hone: error: "
run 4 run saxpy --dims 1M
out_empty
err_has "hone: error: "

run 0 doctor
out_has "missing"
run 0 doctor --format json
json schema_version=1 gpu=false nvrtc=false checks.0.name=hone \
    checks.0.state=ok
run 4 doctor --require gpu
err_has "a GPU is required"
run 4 doctor --require nvrtc
err_has "NVRTC is required"
run 4 doctor --require all

# The folders it names are those the options and the environment name.
run 0 doctor --db "$work/x.db" --cache-dir "$work/cache"
out_has "$work/x.db"
out_has "$work/cache"
XDG_DATA_HOME=$work/data XDG_CACHE_HOME=relative
export XDG_DATA_HOME XDG_CACHE_HOME
run 0 doctor
out_has "$work/data/hone/hone.db"
out_has "$HOME/.cache/hone" # a relative value is ignored
HONE_DB=$work/env.db
export HONE_DB
run 0 doctor
out_has "$work/env.db"

# A database is ok only if it can be used, and what is wrong is said.
is_unusable() { # is_unusable FILE WORD..
    run 3 doctor --db "$1" --format json
    json checks.3.name=database checks.3.state=unusable
    shift
    for word in "$@"; do
        out_has "$word"
        err_has "$word"
    done
}
"$(dirname "$HONE")/../tests/make_db" "$work/known.db"
run 0 doctor --db "$work/known.db" --format json
json checks.3.name=database checks.3.state=ok
out_has "known.db, format 6, 2 winners, 7 trials"
cp "$work/known.db" "$work/newer.db"
printf '\144' | dd of="$work/newer.db" bs=1 seek=63 conv=notrunc 2>/dev/null
is_unusable "$work/newer.db" "format 100" "newer hone"
cp "$work/known.db" "$work/short.db"
truncate -s -8192 "$work/short.db"
is_unusable "$work/short.db" "damaged" "short.db"
truncate -s 0 "$work/empty.db"
is_unusable "$work/empty.db" "not a database of hone"
echo "a shopping list that somebody called hone.db: milk, bread, butter" \
    >"$work/text.db"
is_unusable "$work/text.db" "not a database" "text.db"

# The packages that tests and documents need are named, with what to do.
run 0 doctor --db "$work/known.db"
sed -n 's/^PACKAGE([to][^,]*, "[^"]*", "\([^"]*\)".*/\1/p' \
    "$HONE_SOURCE/tools/packages.def" >"$work/packages"
[ -s "$work/packages" ] || fail "no packages"
while read -r package; do
    out_has "$package "
done <"$work/packages"
env PATH="$work/nothing" "$HONE" doctor --db "$work/known.db" >"$work/out"
out_has "apt-get install scdoc"
