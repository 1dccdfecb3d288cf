#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What limits winners: ncu's counters of the kernels of the best configuration
# that a database has for each problem, clocks as they are.
#
#     sh tests/gpu/counters.sh DATABASE OP:DIMS ..
#
# Per cent of each unit's peak; `longest wait`: what warps waited for, cycles
# for each instruction. Times are ncu's, one cold launch, and no measurement.
. "$(dirname "$0")/gpu_test.sh"
HONE_DB=${1:?give the database}
shift
NCU=${NCU:-$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)}
if [ -z "$NCU" ]; then
    echo "skipped: no ncu here"
    exit 77
fi
peak=avg.pct_of_peak_sustained_elapsed
stall=smsp__average_warps_issue_stalled
METRICS=gpu__time_duration.sum,dram__throughput.$peak,lts__throughput.$peak
METRICS=$METRICS,l1tex__throughput.$peak,sm__inst_issued.$peak
METRICS=$METRICS,sm__inst_executed_pipe_alu.$peak,sm__inst_executed_pipe_fma.$peak
METRICS=$METRICS,sm__inst_executed_pipe_xu.$peak,sm__inst_executed_pipe_fp64.$peak
METRICS=$METRICS,sm__warps_active.avg.pct_of_peak_sustained_active
METRICS=$METRICS,launch__registers_per_thread
for what in barrier long_scoreboard short_scoreboard lg_throttle \
    mio_throttle math_pipe_throttle wait dispatch_stall not_selected; do
    METRICS=$METRICS,${stall}_${what}_per_issue_active.ratio
done

# kernels OP: names in the launch lines of its implementations that are no
# references, as an expression.
kernels() {
    for path in "$HONE_SOURCE"/templates/*.cu "$HONE_SOURCE"/templates/*/*.cu; do
        grep -q "^#pragma hone implements $1/\|^#pragma hone op $1(" "$path" &&
            ! grep -q "^#pragma hone implements [^ ]* reference" "$path" &&
            sed -n 's/^#pragma hone launch \([A-Za-z0-9_]*\).*/\1/p' "$path"
    done | sort -u | paste -s -d '|'
}
echo "| operation | dims | kernel | us | DRAM | L2 | L1 | issue | ALU | FMA | XU | FP64 | warps | registers | longest wait |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for problem in "$@"; do
    op=${problem%%:*}
    dims=${problem#*:}
    timeout "${LIMIT:-100}" "$NCU" --clock-control none --target-processes all \
        --csv --print-units base --metrics "$METRICS" \
        --kernel-name "regex:^($(kernels "$op"))$" \
        --launch-count "${LAUNCHES:-3}" "$HONE" run "$op" --dims "$dims" \
        --device "$DEVICE" >"$scratch/csv" 2>"$scratch/err" ||
        expect "$op $dims is profiled" false
    grep -q '"Metric Value"' "$scratch/csv" || tail -n 3 "$scratch/csv" "$scratch/err"
    sed 's/^"//; s/"$//; s/","/\t/g' "$scratch/csv" |
        awk -F '\t' -v op="$op" -v dims="$dims" -v stall="$stall" '
        $1 == "ID" {
            for (i = 1; i <= NF; i++) column[$i] = i
            next
        }
        !("Metric Value" in column) || NF < column["Metric Value"] { next }
        {
            kernel = $column["Kernel Name"]
            sub(/\(.*/, "", kernel)
            id = $1 " " kernel
            if (!(id in seen)) { seen[id] = 1; order[++n] = id; of[id] = kernel }
            name = $column["Metric Name"]
            number = $column["Metric Value"]
            gsub(/,/, "", number)
            if (index(name, stall) == 1) {
                if (number + 0 > most[id]) {
                    most[id] = number + 0
                    sub(stall "_", "", name)
                    sub(/_per_issue_active.*/, "", name)
                    wait[id] = sprintf("%s %.1f", name, number)
                }
                next
            }
            sub(/\..*/, "", name)
            value[id, name] = number
        }
        function per_cent(id, name) {
            return sprintf("%.0f %%", value[id, name])
        }
        END {
            for (i = 1; i <= n; i++) {
                id = order[i]
                printf "| %s | %s | %s | %.1f", op, dims, of[id],
                       value[id, "gpu__time_duration"] / 1000
                split("dram__throughput lts__throughput l1tex__throughput " \
                      "sm__inst_issued sm__inst_executed_pipe_alu " \
                      "sm__inst_executed_pipe_fma sm__inst_executed_pipe_xu " \
                      "sm__inst_executed_pipe_fp64 sm__warps_active", names, " ")
                for (k = 1; k <= 9; k++) printf " | %s", per_cent(id, names[k])
                printf " | %d | %s |\n",
                       value[id, "launch__registers_per_thread"], wait[id]
            }
        }'
done
exit $((failures > 0))
