#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What values of a parameter are worth: problems are tuned, with an empty database,
# and of each problem and each value the fastest trial is told, beside the fastest of
# all of these. Trials are not finals: a difference of a few per cent says nothing alone.
#
#     IMPLEMENTATION=gemm/sm90_across sh tests/gpu/values.sh FOLDER LIST PARAMETER ..
#
# LIST: a file of problems, as for hone tune --shapes. Several parameters: each
# combination of their values. BUDGET (80), SEED (1), SECONDS_MAX (500): of all.
. "$(dirname "$0")/steps.sh"
list=${2:?give a list of problems}
shift 2
[ $# -gt 0 ] || {
    echo "name a parameter" >&2
    exit 2
}
[ ! -e "$HONE_DB" ] || {
    echo "$OUT has results already: name another folder" >&2
    exit 2
}
names=$(printf "'%s'," "$@")

step values timeout -s INT "${SECONDS_MAX:-500}" "$HONE" tune \
    "${IMPLEMENTATION:?name one, as gemm/sm90}" --shapes "$list" --quiet \
    --budget "${BUDGET:-80}" --seed "${SEED:-1}" --no-seeds --no-portfolio \
    --device "$DEVICE" --format json
cat >"$scratch/values.sql" <<END
WITH tried AS
   (SELECT trial_id, dims, time_ns,
           group_concat(parameter || '=' || value, ' ') AS value
      FROM (SELECT * FROM trial_parameter_v1
             WHERE outcome = 'ok' AND parameter IN (${names%,})
             ORDER BY trial_id, parameter)
     GROUP BY trial_id),
 fastest AS (SELECT dims, min(time_ns) AS time_ns FROM tried GROUP BY dims)
SELECT '| ' || t.dims || ' | ' || value || ' | ' || count(*) || ' | ' ||
       printf('%.2f', min(t.time_ns) / 1e3) || ' | ' ||
       printf('%.3f', min(t.time_ns) / f.time_ns) || ' |'
  FROM tried t JOIN fastest f USING (dims)
 GROUP BY t.dims, value ORDER BY t.dims, min(t.time_ns);
END
echo
{
    echo '| problem | value | trials | fastest us | of the fastest |'
    echo '|---|---|---|---|---|'
    db_ask "$HONE_DB" "@$scratch/values.sql"
} | tee "$OUT/values.md"
grep -q '=' "$OUT/values.md" || {
    echo "no trial has such a parameter" >&2
    exit 1
}
exit "$status"
