#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command that a message says to run does what the message promises, with
# the words as they are printed; an operation is found by its name whatever
# its file is called.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/hone.db
export HONE_CACHE_DIR HONE_DB
mkdir "$work/own"
cat >"$work/own/file.cu" <<'CU'
#pragma hone op own_scale(n, T in {f32, f64}) "y = 2*x"
#pragma hone arg x: in T[n], y: out T[n]
#pragma hone launch own_scale grid(ceildiv(n, 64)) block(64) args(x, y, i64(n))
#pragma hone check none
extern "C" __global__ void own_scale(const T *x, T *y, long long n)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[i];
}
CU
run 0 tune "$work/own/file.cu" --dims 5,f32 --device cpu
# By its path, with a type among the dimensions.
run 3 bench "$work/own/file.cu" --dims 1000,f64 --device cpu
run_hint 0
run 0 bench "$work/own/file.cu" --dims 1000,f64 --device cpu
# By its name, from another folder.
HONE_TEMPLATE_PATH=$work/own
run 3 bench own_scale --dims 77,f32 --device cpu
run_hint 0
run 0 run own_scale --dims 77,f32 --device cpu
unset HONE_DB
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates
# With the files and folders of the command line.
run 3 bench own_scale --dims 78,f64 --device cpu --db "$work/it's.db" \
    -I "$work/own" --cache-dir "$work/cache"
err_has "there is no database"
sed 's/own_scale/tiny/' "$work/own/file.cu" >"$work/tiny.cu"
run 0 tune "$work/tiny.cu" --dims 7,f32 --device cpu --db "$work/other.db"
for asking in run bench; do
    run 3 $asking own_scale --dims 79,f64 --device cpu --db "$work/other.db" \
        -I "$work/own"
    run_hint 0
    run 0 $asking own_scale --dims 79,f64 --device cpu --db "$work/other.db" \
        -I "$work/own"
    rm "$work/other.db"*
    run 0 tune "$work/tiny.cu" --dims 7,f32 --device cpu --db "$work/other.db"
done
# Those of the runtime, which has no template: types are codes where nothing
# tells.
HONE_TEMPLATE_PATH=$work/own
plan() { # DB DIM..
    command="plan_error $*"
    file=$1
    shift
    : >"$work/out"
    "$(dirname "$json_check")/plan_error" "$file" cpu own_scale "$@" \
        2>"$work/err" || return 1
}
plan "$work/other.db" 80 5 && fail "it is not in the database"
err_has "run: hone tune own_scale --dims 80,5 --device cpu --db $work/other.db"
run_hint 0
plan "$work/other.db" 80 5 || fail "it is in the database"
sed -i.good 's/2 \* x/2 **x/' "$work/own/file.cu"
run 1 tune own_scale --dims 81,f64 --device cpu --db "$work/other.db"
err_has "'hone show trials --db $work/other.db'"
run 0 show trials --db "$work/other.db"
mv "$work/own/file.cu.good" "$work/own/file.cu"
HONE_DB=$work/hone.db
# Two files of one operation.
cp "$work/own/file.cu" "$work/own/copy.cu"
run 3 space own_scale --count
err_has "2 templates in '$work/own' have the name or the operation 'own_scale'"
err_has copy.cu
err_has file.cu
rm "$work/own/copy.cu"
# In another folder the first one is taken, which is said, once; not of the
# same file.
mkdir "$work/mine"
sed 's/2 \* x/x[i] + x/' "$work/own/file.cu" >"$work/mine/own_scale.cu"
run 0 verify own_scale -I "$work/mine" --limit 1
err_has "'own_scale' is $work/mine/own_scale.cu; $work/own/file.cu, which"
[ "$(grep -c "not used" "$work/err")" -eq 1 ] || fail "it is said twice"
run 0 expand own_scale --dims 5,f32 -I "$work/mine" -q
err_empty
cp "$work/own/file.cu" "$work/mine/own_scale.cu"
run 0 expand own_scale --dims 5,f32 -I "$work/mine"
err_empty
cp "$work/own/file.cu" "$work/own/own_scale.cu"
run 3 space own_scale --count
err_has "2 templates in '$work/own' have the name or the operation 'own_scale'"
