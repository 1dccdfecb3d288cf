#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cases that tests/gpu/sanitize_gemm.sh examines apply on compute capability
# 9.0, and what `require` rejects among such is named: without a GPU.
set -u
list=$HONE_SOURCE/tests/gpu/sanitize_gemm.list
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates
export HONE_TEMPLATE_PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
n=0

plan() { # plan TEMPLATE DIMS CONFIG
    config=$3
    [ "$config" != - ] || config=
    "$HONE" expand "$1" --dims "$2" --arch sm_90 --launch-plan \
        ${config:+--config "$config"} >"$work/plan" 2>"$work/why"
}
grep '^[^#]' "$list" >"$work/cases"
while read -r name template dims config; do
    n=$((n + 1))
    plan "$template" "$dims" "$config" || {
        echo "FAIL: $name does not apply: $(cat "$work/why")"
        failures=$((failures + 1))
    }
done <"$work/cases"
[ "$(awk '{ print $1 }' "$work/cases" | sort -u | wc -l)" -eq "$n" ] || {
    echo "FAIL: two cases have the same name"
    failures=$((failures + 1))
}
if plan gemm/sm90 100,104,136 SWAP=true,RUN=2 ||
    ! grep -q 'runs of tiles are for rows of C' "$work/why"; then
    echo "FAIL: a run of tiles with SWAP should be refused as such"
    failures=$((failures + 1))
fi
echo "$n cases, $failures failures"
[ "$failures" -eq 0 ] && [ "$n" -gt 40 ]
