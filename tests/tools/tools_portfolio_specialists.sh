#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# More variants than a portfolio has members, each of them the cheapest at some
# sizes alone, by their template: choosers know them as specialists, who are
# measured at a few problems, and find those that are right for a size.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
command -v sqlite3 >/dev/null || {
    echo "sqlite3 is not installed"
    exit 77
}
cd "$work"
ask() { sqlite3 t.db "$1"; }

# Sizes come in bins, 18 to an octave, variants in 97 kinds; where both have the
# same number, the variant costs half of what others do. At tuned sizes, which end
# in 001, all cost the same, so that nothing but COST tells them apart.
mkdir kernels
sed 's|^#pragma hone launch|#pragma hone let BIN = ((n*18 >> log2(n)) + 18*log2(n)) % 97\n#pragma hone let KIND = (VEC + 5*log2(BLOCK) + 31*ITEMS + 17*STREAM + 3*BLOCKS_PER_SM) % 97\n#pragma hone feature COST = n % 1000 == 1 \|\| KIND == BIN ? n : 2*n\n&|' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >kernels/saxpy_stream.cu
grep -q 'feature COST' kernels/saxpy_stream.cu || fail "the template has no COST"
cp "$HONE_TEMPLATE_PATH/saxpy.cuh" kernels
export HONE_TEMPLATE_PATH="$work/kernels"
for n in 25001 40001 76001 150001 250001 500001 700001 1000001; do
    echo "saxpy/stream $n"
done >shapes
run 0 tune --shapes shapes --device cpu --budget 3 --db t.db \
    --no-portfolio --format json

# Trials are told their times, as in tools_portfolio_costs.sh.
told="outcome = 'ok', time_ns = (SELECT (2000.0 + p.dims / 3)
    * (1 + length(v.config) % 7 / 100.0)
    FROM session s JOIN problem p USING (problem_id), variant v
    WHERE s.session_id = trial.session_id AND v.variant_id = trial.variant_id)
    WHERE outcome IN ('ok', 'unstable')"
ask "UPDATE trial SET $told;
    CREATE TRIGGER told AFTER INSERT ON trial BEGIN
        UPDATE trial SET $told AND trial_id = new.trial_id;
    END"
run 0 tune saxpy/stream --portfolio --device cpu --db t.db --format json
json portfolios.0.problems=8 portfolios.0.n_members=32 portfolios.0.chooser=true
n=$(sed -n 's/.*"specialists": \([0-9]*\).*/\1/p' out)
[ "$n" -ge 40 ] || fail "$n specialists"
n=$(ask "select count(*) from (select count(distinct problem_id) as n
    from trial_v1 group by config having n between 3 and 5)")
[ "$n" -ge 15 ] || fail "$n variants were measured at a few problems"

# kind CONFIGURATION, and bin N, as the template counts them.
kind() {
    echo "$1" | tr ',' '\n' | awk -F= '
        $1 == "BLOCK" { k += 5 * int(log($2) / log(2) + 0.5) }
        $1 == "VEC" { k += $2 } $1 == "ITEMS" { k += 31 * $2 }
        $1 == "STREAM" { k += 17 * ($2 == "true") }
        $1 == "BLOCKS_PER_SM" { k += 3 * $2 }
        END { print k % 97 }'
}
bin() {
    awk -v n="$1" 'BEGIN { for (p = 1; p * 2 <= n; p *= 2) l++
        print (int(n * 18 / p) + 18 * l) % 97 }'
}
# chosen FILE..: how many of ten sizes get a variant of their own kind.
chosen() {
    n_right=0
    for n in 30003 41003 60003 90003 130003 210003 340003 470003 730003 910003
    do
        run 0 run saxpy --dims $n --device cpu "$@" --format json
        json match=chosen
        config=$(sed -n 's/.*"config": "\(.*\)",/\1/p' out)
        [ "$(kind "$config")" -ne "$(bin $n)" ] || n_right=$((n_right + 1))
    done
    # One of 97 is right by chance.
    [ $n_right -ge 4 ] || fail "$n_right of 10 sizes have the right kind: $*"
}
chosen --db t.db
run 0 check t.db
run 0 pack --db t.db --output p.hpk
chosen --db p.hpk
