#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Named lists of matrix products, each by one implementation alone, or by all that
# are ours, with BUDGET trials a product and an empty database, beside cuBLAS and the
# fastest of cuBLASLt's heuristics: one table for each list that is named.
#
#     sh tests/gpu/lists.sh FOLDER aligned unaligned heads padded ..
#
# TYPE: of A and B (f16 and bf16 in turns; the latter with B transposed); results
# are of the same type, tf32's are f32. BUDGET (150), IMPLEMENTATION (gemm/sm90; gemm:
# all that are ours, no library among the variants).
# SECONDS_MAX (500): of each list; what is done by then is in the table.
. "$(dirname "$0")/steps.sh"
shift
[ $# -gt 0 ] || {
    echo "name a list: squares aligned unaligned narrow heads padded gelu" >&2
    exit 2
}
BUDGET=${BUDGET:-150}
IMPLEMENTATION=${IMPLEMENTATION:-gemm/sm90}

# Without vendors' functions.
if [ "$IMPLEMENTATION" = gemm ]; then
    cp -r "$HONE_TEMPLATE_PATH" "$scratch/ours"
    HONE_TEMPLATE_PATH=$scratch/ours
    sed -i '/^#pragma hone vendor /d' "$HONE_TEMPLATE_PATH/gemm/gemm.cuh"
fi

# products NAME: "M N K [layout and what comes behind it]" of each.
products() {
    case $1 in
    squares) printf '%s\n' '2048 2048 2048' '4096 4096 4096' '8192 8192 8192' \
        '16384 16384 16384' ;;
    aligned) printf '%s\n' '5120 5120 5120' '2560 10240 2560' '1536 1536 1536' \
        '200 12288 4096' '3000 520 776' '33 4096 11008' '7 8192 8192' \
        '1 16384 4096' '65536 48 512' '8192 8192 64' '64 64 65536' \
        '96 96 100000' '1024 1024 1024' '16 4096 4096' '32 4096 4096' \
        '64 4096 4096' '128 4096 4096' '128 8192 8192' '4096 256 1024' \
        '256 256 16384' ;;
    unaligned) printf '%s\n' '4097 4097 4097' '12345 321 555' '6144 77 768' \
        '511 513 1023' '24 8190 4094' '3 3 1000000' '1000 1001 1003' \
        '2047 2047 2047' '8190 1022 3078' '3000 517 777' ;;
    narrow) printf '%s\n' '262144 8 1024' '262144 4 1024' ;;
    # Heads of language models: the product, and both of its backward pass.
    heads | padded)
        for head in "8192 50257 768" "4096 32001 4096" "16384 30522 768" \
            "512 50257 1600"; do
            # shellcheck disable=SC2086 # three numbers
            set -- "$1" $head
            v=$3
            [ "$1" = heads ] || v=$((($3 + 63) / 64 * 64))
            printf '%s\n' "$2 $v $4 0,1" "$2 $4 $v 0,0" "$v $4 $2 1,0"
        done
        ;;
    # With bias and gelu, as the layers of transformers are.
    gelu) printf '%s\n' '8192 3072 768 0,1,EPILOGUE=36' \
        '4096 11008 4096 0,1,EPILOGUE=36' '2048 4096 1024 0,1,EPILOGUE=36' \
        '512 4096 4096 0,1,EPILOGUE=36' '16384 4096 1024 0,1,EPILOGUE=36' ;;
    *) return 1 ;;
    esac
}

for list in "$@"; do
    products "$list" >"$scratch/list" || {
        echo "no list $list" >&2
        exit 2
    }
    awk -v type="${TYPE:-}" '{
        t = type ? type : NF > 3 || NR % 2 == 0 ? "bf16" : "f16"
        out = t == "tf32" ? "f32" : t
        layout = NF > 3 ? $4 : t == "bf16" ? "0,1" : "0,0"
        print "gemm " $1 "," $2 "," $3 "," t "," out "," layout ",ADD=0"
    }' "$scratch/list" >"$OUT/$list.shapes"
    step unseen timeout -s INT "${SECONDS_MAX:-500}" "$HONE" tune \
        "$IMPLEMENTATION" --shapes "$OUT/$list.shapes" --budget "$BUDGET" \
        --no-portfolio --quiet --device "$DEVICE" --format json \
        --db "$OUT/$list.db"
    table unseen.sql
    mv "$OUT/unseen.json" "$OUT/$list.json"
    mv "$OUT/unseen.md" "$OUT/$list.md"
done
exit $status
