#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Operations at the shapes of their contracts: each is tuned with BUDGET trials
# from an empty database, its winner in turns with the baselines of its
# contract in the final; the table has its bytes a second beside the device's
# copy rate, and the ratios. VERIFY: that many configurations of each
# operation are verified before.
#
#     sh tests/gpu/operation_tables.sh FOLDER [OP ..]
#
# GPUS: so many, of one kind, share the work (1). SECONDS_MAX: no problem is
# begun later; what is left out is said. SEED: DRAWS (1) more problems of most
# operations are drawn with it (draw.awk), whose sizes nobody chose; they come
# first. PROBLEMS: a file of lines "OP DIMS" to take instead, with "drawn" behind
# those that were, such as the file `left` of a run that was out of time.
. "$(dirname "$0")/steps.sh"
shift
BUDGET=${BUDGET:-150}
VERIFY=${VERIFY:-0}
GPUS=${GPUS:-1}
JOBS=${JOBS:-$(($(nproc) / GPUS))}
SECONDS_MAX=${SECONDS_MAX:-1000000}
COPY=${COPY:-4250} # GB/s, of an H200
echo "$COPY" >"$OUT/copy"
: >"$OUT/done"
: >"$OUT/left"
begin=$(date +%s)

# OP DIMS, the first shapes of all operations, then the second.
[ $# -gt 0 ] || set -- vector_add matrix_add threshold bias_relu bias_gelu \
    rgb_to_gray saxpy transpose transpose_square sum dot norm2 min_index \
    max_index row_sums column_sums scan scan_rows histogram_u8 histogram_f32 \
    softmax log_softmax layer_norm rms_norm convolve2d convolve2d_separable \
    gaussian median stencil2d stencil3d gather scatter_add spmv_csr \
    embedding_bag host_axpb conv1d fft fft2d fft_r2c fft_c2r fft_filter \
    image_pipeline gemm gemm_i8 gemm_f8 gemm_complex gemm_grouped gemv nbody attention
"$HONE" list --arch sm_90 --format json >"$OUT/list.json" || exit 1
for op in "$@"; do
    db_ask :memory: "select (key + 1) || ' $op ' || value from json_each((
        select value -> '\$.shapes' from
        json_each(readfile('$OUT/list.json') -> '\$.operations')
        where value ->> 'op' = '$op'))"
done | sort -n -s -k1,1 >"$scratch/problems"

: >"$OUT/drawn"
if [ -n "${PROBLEMS:-}" ]; then
    awk '{ print NR, $1, $2 }' "$PROBLEMS" >"$scratch/problems"
    awk '$3 == "drawn" { print $1 "_" $2 }' "$PROBLEMS" | tr , - >"$OUT/drawn"
elif [ -n "${SEED:-}" ]; then
    awk -v seed="$SEED" -v draws="${DRAWS:-1}" -v ops=" $* " \
        -f "$(dirname "$0")/draw.awk" >"$scratch/drawn"
    awk '{ print $2 "_" $3 }' "$scratch/drawn" | tr , - >"$OUT/drawn"
    cat "$scratch/problems" >>"$scratch/drawn"
    mv "$scratch/drawn" "$scratch/problems"
fi

problem() { # problem WHICH OP DIMS
    which=$(echo "${2}_$3" | tr , -)
    if [ $(($(date +%s) - begin)) -gt "$SECONDS_MAX" ]; then
        echo "$2 $3$(grep -qx -e "$which" "$OUT/drawn" && echo " drawn")" \
            >>"$OUT/left"
        return
    fi
    [ "$VERIFY" -eq 0 ] || [ "$1" -gt 1 ] ||
        step "verify_$2" hone verify "$2" --limit "$VERIFY" --quiet
    step "tune_$which" hone tune "$2" --dims "$3" --budget "$BUDGET" \
        --jobs "$JOBS" --no-seeds --quiet
    echo "$which" >>"$OUT/done"
}
# worker GPU: takes the next problem that nobody has taken, until none is left.
worker() {
    [ "$GPUS" -eq 1 ] || export CUDA_VISIBLE_DEVICES="$1"
    HONE_DB=$OUT/hone$1.db
    n=0
    while read -r which op dims; do
        n=$((n + 1))
        mkdir "$scratch/taken.$n" 2>/dev/null || continue
        problem "$which" "$op" "$dims" </dev/null
    done <"$scratch/problems"
}

gpu=0
while [ $gpu -lt "$GPUS" ]; do
    worker $gpu >"$OUT/steps$gpu.log" 2>&1 &
    gpu=$((gpu + 1))
done
wait
grep -hv ': exit 0, ' "$OUT"/steps*.log && status=1
sed 's/^/not begun in time: /' "$OUT/left"
[ ! -s "$OUT/left" ] || status=1
sort "$OUT/done" | awk 'BEGIN { printf "[" }
    { printf "%s\"%s\"", (NR > 1 ? "," : ""), $1 }
    END { print "]" }' >"$OUT/problems.json"
awk 'BEGIN { printf "[" } { printf "%s\"%s\"", (NR > 1 ? "," : ""), $1 }
     END { print "]" }' "$OUT/drawn" >"$OUT/drawn.json"
table operation_tables.sql
# The reasons of implementations name templates: not where they are here.
here=$(echo "${HONE_TEMPLATE_PATH%%:*}" | sed "s/'/''/g")
(cd "$OUT" && "$ask" :memory: "select
    json_group_array(json(text -> '\$.shapes[0]')) from (select
    replace(cast(readfile('tune_' || value || '.json') as text), '$here',
    'templates') as text from json_each(readfile('problems.json')))
    where json_valid(text)") >"$OUT/operation_tables.json"
exit $status
