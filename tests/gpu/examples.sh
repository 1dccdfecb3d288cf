#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs of examples/ on a GPU: tunes what they launch, builds the one for
# nvcc, and prints a line for each: right, failed, or skipped and why. PREFIX is
# an installed tree; without it the libraries beside $HONE are taken.
#
#     [PREFIX=DIR] sh tests/gpu/examples.sh FOLDER
set -u
OUT=${1:?give the folder of the results}
HONE_SOURCE=${HONE_SOURCE:-$PWD}
HONE=${HONE:-build/bin/hone}
include=${PREFIX:+$PREFIX/include}
include=${include:-$HONE_SOURCE/runtime}
library=${PREFIX:+$PREFIX/lib}
library=${library:-$(dirname "$HONE")/../lib}
python=${PREFIX:+$PREFIX/lib/hone}
python=${python:-$HONE_SOURCE/runtime}
export HONE_SOURCE HONE
mkdir -p "$OUT" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
say() { # say NAME RESULT..
    printf '%-18s %s\n' "$1" "$2"
    case $2 in failed*) failed=1 ;; esac
}
result() { # result NAME STATUS: what its log says
    if [ "$2" -eq 0 ] && grep -qx right "$OUT/$1.log"; then
        say "$1" right
        sed '/^right$/d; s/^/    /' "$OUT/$1.log"
    else
        say "$1" "failed: exit $2; $(tail -n 1 "$OUT/$1.log")"
    fi
}
tune() { # tune DB ARGUMENTS..
    db=$1
    shift
    timeout 120 "$HONE" tune "$@" --db "$OUT/$db" -q >>"$OUT/tune.log" 2>&1 ||
        say "tune $1" "failed: $(tail -n 1 "$OUT/tune.log")"
}
rm -f "$OUT"/examples.db*
tune examples.db saxpy --dims 1048576 --budget 8
tune examples.db gemm --dims 512,256,384,f16,f16 --budget 12
tune examples.db layer_norm --dims 64,1000 --budget 12
HONE_PATH=$OUT/examples.db
LD_LIBRARY_PATH=$library:${LD_LIBRARY_PATH:-}
export HONE_PATH LD_LIBRARY_PATH

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    "$nvcc" -arch=native -o "$scratch/mixed_stream" \
        "$HONE_SOURCE/examples/mixed_stream.cu" -I "$include" -L "$library" \
        -lhone >"$OUT/mixed_stream.log" 2>&1 &&
        timeout 60 "$scratch/mixed_stream" >"$OUT/mixed_stream.log" 2>&1
    result mixed_stream $?
else
    say mixed_stream "skipped: there is no nvcc"
fi
for module in torch cupy; do
    if ! python3 -c "import $module" >"$OUT/$module.log" 2>&1; then
        say "$module" "skipped: $(tail -n 1 "$OUT/$module.log")"
        continue
    fi
    program=$HONE_SOURCE/examples/torch_operators.py
    [ $module = torch ] || program=$HONE_SOURCE/tests/gpu/cupy_arrays.py
    PYTHONPATH=$python \
        PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$program" \
        >"$OUT/$module.log" 2>&1
    result "$module" $?
done
exit $failed
