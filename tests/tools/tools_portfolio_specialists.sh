#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# More variants than a portfolio has members, each of them the cheapest at some
# sizes alone, by their template: choosers know them as specialists, who are
# measured at a few problems, and find those that are right for a size.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
needs sqlite3 "sqlite3 is not installed"
cd "$work"
ask() { sqlite3 t.db "$1"; }

# Sizes come in bins, 14 to an octave, variants in 75 kinds; where both have the
# same number, the variant costs an eighth of what others do. At tuned sizes, which
# end in 001, all cost the same, so that nothing but COST tells them apart. Another
# implementation does not say what it costs, so that members of it cover nothing;
# elsewhere it may be thought to take what it takes at tuned sizes, which is four
# times what the right variant does.
mkdir kernels
cp "$HONE_TEMPLATE_PATH/saxpy.cuh" kernels
sed 's|implements saxpy/stream|implements saxpy/other|' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >kernels/saxpy_other.cu
sed 's|^#pragma hone launch|#pragma hone let BIN = ((n*14 >> log2(n)) + 14*log2(n)) % 75\n#pragma hone let KIND = (VEC + 13*log2(BLOCK) + 47*ITEMS + 101*STREAM + 7*BLOCKS_PER_SM) % 75\n#pragma hone feature COST = n % 1000 == 1 ? 4*n : KIND == BIN ? n : 8*n\n&|' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >kernels/saxpy_stream.cu
grep -q 'feature COST' kernels/saxpy_stream.cu || fail "the template has no COST"
export HONE_TEMPLATE_PATH="$work/kernels"
for n in 2001 8001 25001 70001 100001; do
    echo "saxpy $n"
done >shapes
run 0 tune --shapes shapes --device cpu --budget 4 --db t.db \
    --no-portfolio --format json
# Times agree with that: trials at other sizes would teach that costs are wrong.
param() { # param NAME: of a configuration
    echo "cast(substr(v.config, instr(v.config, '$1=') + length('$1=')) as int)"
}
octave='cast(log2(p.dims) as int)'
tell_times t.db "CASE WHEN p.dims % 1000 = 1 THEN 4 WHEN
    (p.dims * 14 / (1 << $octave) + 14 * $octave) % 75 =
    ($(param VEC) + 13 * cast(log2($(param BLOCK)) as int) + 47 * $(param ITEMS)
        + 101 * (instr(v.config, 'STREAM=true') > 0) + 7 * $(param BLOCKS_PER_SM)) % 75
    THEN 1 ELSE 8 END"

# Most of the kinds that are no member's, though members of the other implementation have no
# place in what specialists cover.
run 0 tune saxpy --portfolio --device cpu --db t.db --format json
json portfolios.0.problems=5 portfolios.0.n_members=32 portfolios.0.chooser=true
n=$(sed -n 's/.*"specialists": \([0-9]*\),.*/\1/p' out)
[ "$n" -ge 32 ] || fail "$n specialists of 43 kinds that are left"
out_has '"implementation": "other"'
n=$(ask "select count(*) from (select count(distinct problem_id) as n
    from trial_v1 group by template_name, config having n between 2 and 4)")
[ "$n" -ge 6 ] || fail "$n variants were measured at a few problems"

# kind CONFIGURATION, and bin N, as the template counts them.
kind() {
    echo "$1" | tr ',' '\n' | awk -F= '
        $1 == "BLOCK" { k += 13 * int(log($2) / log(2) + 0.5) }
        $1 == "VEC" { k += $2 } $1 == "ITEMS" { k += 47 * $2 }
        $1 == "STREAM" { k += 101 * ($2 == "true") }
        $1 == "BLOCKS_PER_SM" { k += 7 * $2 }
        END { print k % 75 }'
}
bin() {
    awk -v n="$1" 'BEGIN { for (p = 1; p * 2 <= n; p *= 2) l++
        print (int(n * 14 / p) + 14 * l) % 75 }'
}
# chosen FILE..: how many of ten sizes get a variant of their own kind.
chosen() {
    n_right=0
    for n in 3003 4103 6003 9003 13003 21003 34003 47003 73003 91003
    do
        run 0 run saxpy --dims $n --device cpu "$@" --format json
        json match=chosen
        config=$(sed -n 's/.*"config": "\(.*\)",/\1/p' out)
        [ "$(kind "$config")" -ne "$(bin $n)" ] || n_right=$((n_right + 1))
    done
    # One of 75 is right by chance.
        [ $n_right -ge 4 ] || fail "$n_right of 10 sizes have the right kind: $*"
}
chosen --db t.db
run 0 check t.db
run 0 pack --db t.db --output p.hpk
chosen --db p.hpk
