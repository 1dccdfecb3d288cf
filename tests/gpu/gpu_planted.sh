# SPDX-License-Identifier: Apache-2.0
# Broken variants among good ones: each gets its own outcome, the run goes
# on, the winner is right.
. "$(dirname "$0")/gpu_test.sh"

"$HONE" tune "$HONE_SOURCE/tests/gpu/planted.cu" --dims 1000003 \
    --strategy exhaustive
status=$?
expect "the run finishes" test $status -eq 0
outcome() {
    ask "select group_concat(outcome) from (select distinct outcome
         from trial_v1 where config like 'KIND=$1,%')"
}
for pair in good:ok out_of_bounds:fault endless:timeout wrong:wrong \
    greedy:limits off_by_one:wrong; do
    kind=${pair%%:*}
    want=${pair##*:}
    got=$(outcome "$kind")
    echo "$kind: $got"
    expect "$kind is $want" test "$got" = "$want"
done
winner=$(ask "select config from winner_v1")
echo "winner: $winner"
case $winner in
*KIND=good*) expect "the winner is a good one" true ;;
*) expect "the winner is a good one" false ;;
esac
exit $((failures > 0))
