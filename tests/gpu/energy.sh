#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tuning for energy: a sum and a small product, each for time, energy and their
# product, and what NVML's counter said of the finalists. Prints tables; fails
# only where a run does, or where an energy is missing or cannot be true.
#
#     sh tests/gpu/energy.sh
. "$(dirname "$0")/gpu_test.sh"
if [ "$DEVICE" != cuda ]; then
    echo "skipped: only NVML has a counter of energy"
    exit 77
fi
BUDGET=${BUDGET:-60}
for problem in saxpy:16M gemm/simt:1024,1024,1024; do
    op=${problem%%:*}
    dims=${problem#*:}
    code=0
    "$HONE" tune "$op" --dims "$dims" --objective time,energy,edp \
        --budget "$BUDGET" >"$scratch/out" 2>"$scratch/err" || code=$?
    if [ "$code" -eq 4 ]; then
        echo "skipped: $(tail -n 1 "$scratch/err")"
        exit 77
    fi
    expect "$op $dims is tuned for energy" test "$code" -eq 0
    cat "$scratch/err"
    cat "$scratch/out"
done
"$HONE" show pareto --full
"$HONE" show decisions --where kind=objective --full
# Power is energy over time: no card draws less than 5 W or more than 2 kW.
expect "every finalist that was timed has its energy" test "$(ask "
    select count(*) from counter t where t.kernel = '(run)' and t.name = 'time_ns'
    and not exists (select 1 from counter e where e.trial_id = t.trial_id
                    and e.kernel = '(run)' and e.name = 'energy_uj')
    and exists (select 1 from decision d where d.trial_id = t.trial_id
                and d.kind in ('winner', 'tied'))")" -eq 0
expect "powers can be true" test "$(ask "
    select count(*) from counter t join counter e using (trial_id, kernel)
    where t.name = 'time_ns' and e.name = 'energy_uj'
    and 1e3 * e.value / t.value not between 5 and 2000")" -eq 0
"$HONE" sql "SELECT op, label, template_name, config,
    max(CASE name WHEN 'time_ns' THEN value END) AS time_ns,
    max(CASE name WHEN 'energy_uj' THEN value END) AS energy_uj,
    round(1e3 * max(CASE name WHEN 'energy_uj' THEN value END) /
          max(CASE name WHEN 'time_ns' THEN value END), 1) AS watts
    FROM counter_v1 WHERE kernel = '(run)' GROUP BY trial_id ORDER BY op, energy_uj"
exit $((failures > 0))
