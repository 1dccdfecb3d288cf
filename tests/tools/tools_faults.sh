#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Broken variants, a killed worker and two tuners at once, on the cpu device:
# each is recorded as what it is, and the run goes on.
. "$(dirname "$0")/hone_test.sh"
# Its kernels or compilers write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/faults.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
template=$work/faults.cu
sed "s|HERE|$work|g" "$fixtures/faults.cu" >"$template"
: >"$work/go"

# The newest outcome of each KIND. Even size: odd_nan is found by the shapes
# of the final.
run 0 tune "$template" --dims 4096 --device cpu --strategy exhaustive \
    --format json
json shapes.0.winner=KIND=good shapes.0.trials=7
run 0 show trials --format csv
cp "$work/out" "$work/trials"
for pair in good:ok waits:ok crash:fault leaves:fault second_run:wrong \
    input_changed:wrong odd_nan:wrong; do
    out_has_line() { grep "KIND=$1" "$work/trials" | grep -q ",$2,"; }
    out_has_line "${pair%%:*}" "${pair##*:}" ||
        fail "${pair%%:*} is not ${pair##*:}: $(cat "$work/trials")"
done
run 0 show decisions --format csv

# A worker that somebody else kills says nothing about the variant: it is
# tried again, and no trial is lost. The variant waits in its worker, whose
# number it writes down.
HONE_DB=$work/killed.db
rm "$work/go"
"$HONE" tune "$template" --dims 4098 --device cpu --strategy exhaustive \
    --budget 2 --trial-timeout 600 --format json >"$work/out" 2>"$work/err" &
tuner=$!
wait_until "a variant waits in its worker" [ -e "$work/waiting" ]
kill -9 "$(cat "$work/waiting")"
: >"$work/go"
command="tune with a killed worker"
code=0
wait $tuner || code=$?
[ $code -eq 0 ] || fail "the run did not survive"
json shapes.0.outcomes.ok=2 shapes.0.n_retried=1 shapes.0.trials=2
run 0 show decisions --format csv
out_has retried

# Compile processes that somebody kills, twice each, say nothing about their
# variants: no outcome is stored, and the next run tries them again.
HONE_DB=$work/compilers.db
sed '/pragma hone param KIND/a #pragma hone require KIND == good || KIND == crash "two"' \
    "$template" >"$work/two.cu"
cat >"$work/c++" <<'END'
#!/bin/sh
case "$*" in
*hone-unit*)
    [ ! -e "$DEADLY" ] || { kill -KILL $PPID && exec sleep 100; }
    ;;
esac
exec "$REAL_CXX" "$@"
END
chmod +x "$work/c++"
REAL_CXX=${CXX:-c++} DEADLY=$work/deadly
CXX=$work/c++
HONE_CACHE_DIR=$work/cache_of_the_killed
export REAL_CXX DEADLY CXX HONE_CACHE_DIR
: >"$DEADLY"
run 1 tune "$work/two.cu" --dims 4104 --device cpu --strategy exhaustive \
    --format json
json shapes.0.n_interrupted=2 shapes.0.trials=0
out_has "interrupted by the machine"
run 0 show decisions --format csv
out_has "two compile processes were killed over this variant"
rm "$DEADLY"
run 0 tune "$work/two.cu" --dims 4104 --device cpu --strategy exhaustive \
    --format json
json shapes.0.n_interrupted=0 shapes.0.resumed=0 shapes.0.trials=2 \
    shapes.0.winner=KIND=good
CXX=$REAL_CXX
HONE_CACHE_DIR=$work/cache

# Two tuners on one database: the second waits, then finds everything done.
HONE_DB=$work/two.db
two() {
    "$HONE" tune "$template" --dims 4100 --device cpu --strategy exhaustive \
        --budget 2 --format json >"$work/two.$1" 2>"$work/two.$1.err"
}
two first &
first=$!
two second &
second=$!
wait $first || fail "the first tuner: $(cat "$work/two.first.err")"
wait $second || fail "the second tuner: $(cat "$work/two.second.err")"
cat "$work/two.first" "$work/two.second" | grep -c '"resumed": 2' |
    grep -qx 1 || fail "one of the two should have found all trials done"
run 0 show trials --format csv
[ "$(grep -c KIND= "$work/out")" -eq 2 ] || fail "a trial was done twice"

# Without the lock that keeps a second tuner away nothing is measured.
HONE_DB=$work/unlocked.db
HONE_LOCK_DIR=$work/nowhere
export HONE_LOCK_DIR
run 3 tune "$template" --dims 4100 --device cpu --budget 1
err_has "$work/nowhere/hone-cpu.lock"
err_has "No such file or directory"
err_has "set HONE_LOCK_DIR to a folder"
HONE_LOCK_DIR=$work

# Every variant gets as many samples as asked for.
HONE_DB=$work/samples.db
run 0 tune saxpy --dims 5003 --device cpu --budget 3 --samples 5 --format json
json shapes.0.n_samples=15 shapes.0.trials=3
