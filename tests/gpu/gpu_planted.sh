# SPDX-License-Identifier: Apache-2.0
# Broken variants among good ones: each gets its own outcome, the run goes
# on, the winner is right.
. "$(dirname "$0")/gpu_test.sh"

"$HONE" tune "$HONE_SOURCE/tests/gpu/planted.cu" --dims 1000003 \
    --strategy exhaustive --format json >"$scratch/tune.json" \
    2>"$scratch/log"
status=$?
cat "$scratch/log"
expect "the run finishes" test $status -eq 0
"$HONE" show trials --format json >"$scratch/trials.json"
outcome() {
    json "$scratch/trials.json" \
        "sorted({t['outcome'] for t in d['trials'] if 'KIND=$1,' in t['config']})"
}
for pair in good:ok out_of_bounds:fault endless:timeout wrong:wrong \
    greedy:limits off_by_one:wrong; do
    kind=${pair%%:*}
    want=${pair##*:}
    got=$(outcome "$kind")
    echo "$kind: $got"
    expect "$kind is $want" test "$got" = "['$want']"
done
winner=$(json "$scratch/tune.json" "d['shapes'][0]['winner']")
echo "winner: $winner"
case $winner in
*KIND=good*) expect "the winner is a good one" true ;;
*) expect "the winner is a good one" false ;;
esac
exit $((failures > 0))
