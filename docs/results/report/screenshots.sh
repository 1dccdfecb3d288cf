#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# screenshots.sh FOLDER RECORDING..: reports and their screenshots at the widths
# of a phone and a desk, light and dark, into FOLDER; the figure of the README;
# how long a report of 100,000 trials takes to open. RECORDING is a file that
# hone tune --device replay:FILE takes. $HONE is the program, in a build folder
# with the tests; chromium is Debian's.
set -eu
HONE=${HONE:-build/bin/hone}
tests=$(dirname "$HONE")/../tests
source=$(cd "$(dirname "$0")/../../.." && pwd)
out=$1
shift
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

browser() {
    rm -rf "$work/profile"
    timeout 300 chromium --headless --no-sandbox --disable-gpu --no-first-run \
        --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>"$work/log"
}

# shots NAME: of NAME.html, from the top and from the first operation.
shots() {
    for theme in light dark; do
        sed "s/<html lang=\"en\">/<html lang=\"en\" data-theme=\"$theme\">/" \
            "$out/$1.html" >"$work/top.html"
        sed 's/<\/head>/<style>header,nav,#overview{display:none}<\/style>&/' \
            "$work/top.html" >"$work/first.html"
        for width in 390 1280; do
            browser --window-size=$width,1400 --virtual-time-budget=5000 \
                --screenshot="$out/$1-$width-$theme.png" "file://$work/top.html"
            browser --window-size=$width,3000 --virtual-time-budget=5000 \
                --screenshot="$out/$1-$width-$theme-first.png" \
                "file://$work/first.html"
        done
    done
}

# ---- recorded searches ------------------------------------------------------------
rm -f "$out/recorded.db" "$out/large.db"
for recording in "$@"; do
    "$HONE" tune --device "replay:$recording" --strategy random --budget 12500 \
        --db "$out/recorded.db" --quiet >"$work/log"
done
"$HONE" report --db "$out/recorded.db" -o "$out/recorded.html"
shots recorded
"$HONE" report --db "$out/recorded.db" --chart heat -o "$out/heat.svg" ||
    echo "choose one recording for the figure"

# ---- 100,000 trials, made up, with baselines ----------------------------------------
"$tests/make_large" "$out/large.db" 100000
"$HONE" sql --write --db "$out/large.db" \
    "$(grep -v '^--' "$source/tests/tools/report_baselines.sql")" >"$work/log"
"$HONE" report --db "$out/large.db" -o "$out/large.html"
shots large

# ---- opening ---------------------------------------------------------------------------
# From the start of the navigation to when something was to be seen, and to the
# end of loading, scripts included, in milliseconds; an empty page beside it.
printf '<!DOCTYPE html><html><head></head><body>empty</body></html>\n' >"$out/empty.html"
for name in empty large recorded; do
    sed 's/<\/body>/<script>addEventListener("load",function(){requestAnimationFrame(function(){setTimeout(function(){var n=performance.getEntriesByType("navigation")[0],p=performance.getEntriesByName("first-contentful-paint")[0];console.log("opened: seen "+(p?Math.round(p.startTime):"?")+" ms, loaded "+Math.round(n.loadEventEnd)+" ms")},0)})})<\/script>&/' \
        "$out/$name.html" >"$work/timed.html"
    i=0
    while [ $i -lt 9 ]; do
        browser --window-size=1280,900 --timeout=20000 --enable-logging=stderr \
            --v=0 --dump-dom "file://$work/timed.html" >"$work/dom"
        sed -n "s/.*\"opened: \(.*\)\".*/$name: \1/p" "$work/log"
        i=$((i + 1))
    done
done
