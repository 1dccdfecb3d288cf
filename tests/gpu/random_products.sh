#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Matrix products that nobody chose (random_products.awk), each by LIMIT
# configurations of every implementation that applies, the default and others
# drawn at random: outputs poisoned and between guards, compared with the
# reference in double precision (where that takes long, elements all over C; on
# a GPU all of them with cuBLAS, if it is there), on integers and on reals, with
# other numbers, alpha and beta at each problem. Nothing is timed: compilers
# and contexts may meet.
#
#     sh tests/gpu/random_products.sh FOLDER
#
# COUNT: problems (2000); SEED: of them, and of inputs and configurations (1);
# LIMIT: configurations of each implementation (2); NAMES: implementations, such
# as "gemm/sm90" (all); LARGEST, LONGEST: sizes (random_products.awk).
# HONE_CUBLAS_LIBRARY=/nonexistent leaves cuBLAS out, which takes a while to load.
# DEVICES: GPUs (as many as there are); PER_DEVICE: processes on each at once (8);
# JOBS: compile processes of each (the cores, shared out); SECONDS_MAX: nothing
# is begun later (170); CHUNK: problems of a process (4).
# FOLDER gets problems.txt, failures.json, broken.txt (processes that did not end,
# with what they said last) and random_products.md. Exit 1: something is wrong.
. "$(dirname "$0")/steps.sh"
COUNT=${COUNT:-2000}
SEED=${SEED:-1}
LIMIT=${LIMIT:-2}
NAMES=${NAMES:-}
if [ "$DEVICE" = cpu ]; then
    DEVICES=cpu
    PER_DEVICE=${PER_DEVICE:-2}
else
    DEVICES=${DEVICES:-$(nvidia-smi -L 2>/dev/null | awk '{ print NR - 1 }')}
    DEVICES=${DEVICES:-0}
    PER_DEVICE=${PER_DEVICE:-8}
fi
SECONDS_MAX=${SECONDS_MAX:-170}
CHUNK=${CHUNK:-4}
# shellcheck disable=SC2086 # words
n_devices=$(set -- $DEVICES && echo $#)
lanes=$((n_devices * PER_DEVICE))
JOBS=${JOBS:-$((($(nproc) + lanes - 1) / lanes))}
begin=$(date +%s)
deadline=$((begin + SECONDS_MAX))
export HONE DEVICE DEVICES LIMIT JOBS NAMES SEED CHUNK deadline

awk -v seed="$SEED" -v n="$COUNT" -v largest="${LARGEST:-}" \
    -v longest="${LONGEST:-}" -f "$(dirname "$0")/random_products.awk" \
    >"$OUT/problems.txt"
# Of the operations that are named alone: a list of no problem is an error.
ops=$(for name in $NAMES; do echo "${name%%/*}"; done | sort -u | tr '\n' ' ')
awk -v ops=" $ops" -v chunk="$CHUNK" -v folder="$scratch" '
    ops == " " || index(ops, " " $1 " ") {
        if (n++ % chunk == 0) {
            close(file)
            file = sprintf("%s/%06d.chunk", folder, place++)
        }
        print >file
    }' "$OUT/problems.txt"

# one FILE: its problems, on the device of this lane (SLOT).
cat >"$scratch/one" <<'SCRIPT'
left=$((deadline - $(date +%s)))
[ "$left" -gt 0 ] || exit 0
# shellcheck disable=SC2086 # words
set -- "$1" $DEVICES
file=$1
shift $((1 + SLOT % ($# - 1)))
[ "$DEVICE" != cuda ] || export CUDA_VISIBLE_DEVICES="$1"
place=$(basename "$file" .chunk | sed 's/^0*\(.\)/\1/')
# Implementations of operations that this file has a line of.
names=
for name in $NAMES; do
    grep -q "^${name%%/*} " "$file" && names="$names $name"
done
# shellcheck disable=SC2086
timeout -k 5 $((left + 60)) "$HONE" verify $names --shapes "$file" \
    --device "$DEVICE" --seed $((SEED + place * CHUNK)) --limit "$LIMIT" \
    --jobs "$JOBS" --trial-timeout 20 --quiet --format json \
    >"$file.json" 2>"$file.err"
code=$?
echo $code >"$file.code"
# What is no whole answer.
[ $code -le 1 ] || mv "$file.json" "$file.broken"
SCRIPT
find "$scratch" -name '*.chunk' | sort |
    xargs -P "$lanes" -n 1 --process-slot-var=SLOT sh "$scratch/one"

# A list of all answers.
{
    echo '['
    comma=
    for file in "$scratch"/*.chunk.json; do
        [ -s "$file" ] || continue
        echo "$comma"
        cat "$file"
        comma=,
    done
    echo ']'
} >"$scratch/answers.json"
for file in "$scratch"/*.chunk.code; do
    [ -e "$file" ] || continue
    code=$(cat "$file")
    [ "$code" -gt 1 ] || continue
    echo "exit $code: $(tail -n 3 "${file%.code}.err" | tr '\n' ' ')"
    sed 's/^/    /' "${file%.code}"
    # What it had said by then.
    grep '"outcome"' "${file%.code}.broken" | head -n 20
done | head -c 500000 >"$OUT/broken.txt"
n_broken=$(grep -c '^exit' "$OUT/broken.txt")
cp "$(dirname "$0")/random_products.sql" "$scratch/table.sql"
ask=$(cd "$(dirname "$HONE")/../tests" && pwd)/db_ask
(cd "$scratch" && "$ask" :memory: "select coalesce(json_group_array(json(f.value)), '[]')
    from json_each(readfile('answers.json')) a,
    json_each(a.value, '\$.failures') f") | head -c 900000 >"$OUT/failures.json"
{
    echo "$(wc -l <"$OUT/problems.txt") problems drawn with seed $SEED, LIMIT $LIMIT;" \
        "$lanes processes on $n_devices devices, $JOBS compilers each;" \
        "$(($(date +%s) - begin)) s; $n_broken processes did not end."
    echo
    (cd "$scratch" && "$ask" :memory: "@table.sql")
} | tee "$OUT/random_products.md"
[ "$n_broken" -eq 0 ] || cat "$OUT/broken.txt"
# Nothing at all is wrong, too.
n_wrong=$(cd "$scratch" && "$ask" :memory: "select coalesce(sum(value ->> 'failed'), 1)
    from json_each(readfile('answers.json')) where value ->> 'checked' > 0")
[ "$n_broken" -eq 0 ] && [ "$n_wrong" = 0 ]
