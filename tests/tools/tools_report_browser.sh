#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone report in headless Chromium (Debian's package): sorting, filtering, themes
# and the rest of its script (report_script.js), on a phone's width and a desk's;
# no console message, no request to anywhere.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
command -v chromium >/dev/null || {
    echo "skipped: there is no chromium (Debian's package chromium)"
    exit 77
}

# browse WIDTH PAGE [OPTION..]: the page's elements once its scripts ran, in
# $work/dom; what the browser logged in $work/log, its requests in $work/net.
browse() {
    width=$1
    address=file://$2
    shift 2
    # shellcheck disable=SC2034 # fail() says it
    command="chromium --window-size=$width,900 $address"
    rm -rf "$work/profile"
    : >"$work/net"
    code=0
    timeout 300 chromium --headless --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update \
        --disable-sync --disable-default-apps --user-data-dir="$work/profile" \
        --host-resolver-rules="MAP * ~NOTFOUND" --window-size="$width,900" \
        --enable-logging=stderr --v=0 --log-net-log="$work/net" \
        --virtual-time-budget=20000 --dump-dom "$@" "$address" \
        >"$work/dom" 2>"$work/log" || code=$?
    cp "$work/log" "$work/err"
    [ "$code" -eq 0 ] || fail "the browser failed"
}
# Addresses that the page asked for, and lines of the console. Chromium has
# requests of its own, which belong to no page.
requests() {
    grep -F '"network_isolation_key":"file:' "$work/net" |
        grep -oE '"url":"[^"]*"' | grep -v '"url":"data:' >"$1" || true
}
console() { grep ':CONSOLE' "$work/log" >"$1" || true; }

# ---- can it be seen at all? -------------------------------------------------------
# A page that asks for something and says something, so that silence means something.
printf '%s\n' '<!DOCTYPE html><script>console.error("heard")</script>' \
    '<img src="http://asked.example/x.png"><p id="x">there' >"$work/control.html"
browse 800 "$work/control.html"
grep -q 'id="x"' "$work/dom" || {
    echo "skipped: this chromium shows no page here: $(tail -n 1 "$work/log")"
    exit 77
}
requests "$work/out"
out_has "asked.example"
console "$work/out"
out_has "heard"

# ---- the page ---------------------------------------------------------------------
db=$work/large.db
"$tests/make_large" "$db" 20000
run 0 sql --write --db "$db" "$(grep -v '^--' "$here/report_baselines.sql")"
run 0 tune --device "replay:$HONE_SOURCE/tests/replay/recordings/small_t4.json" \
    --db "$db" --quiet
run 0 report --db "$db" -o "$work/report.html"
run 0 report --db "$db" -o "$work/small.html" --device 'replay*'
grep -q '<figure class="parallel">' "$work/report.html" || fail "not all charts"

# with_script PAGE: a copy of it in $work/tried.html with the reader's script.
with_script() {
    sed '/^<\/body>$/d; /^<\/html>$/d' "$1" >"$work/tried.html"
    {
        printf '<script>\n'
        cat "$here/report_script.js"
        printf '</script>\n</body>\n</html>\n'
    } >>"$work/tried.html"
}
with_script "$work/report.html"
# In a frame: a window of Chromium is never as narrow as a phone.
for frame in 390 1280; do
    cat >"$work/frame.html" <<END
<!DOCTYPE html><html><body><iframe src="tried.html"
 style="border:0;width:${frame}px;height:900px"></iframe>
<script>window.addEventListener("message", function (event) {
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = event.data;
    document.body.append(result);
});</script></body></html>
END
    browse 1400 "$work/frame.html"
    sed -n '/<pre id="result">/,/^end/p' "$work/dom" >"$work/out"
    grep -q '^end' "$work/out" || fail "the script did not come to its end"
    grep -q '^not ok\|>not ok' "$work/out" && fail "at a width of $frame"
    [ "$(grep -c 'ok ' "$work/out")" -ge 20 ] || fail "not all was tried"
    seen=$(sed -n 's/^width was //p' "$work/out")
    { [ "$seen" -gt $((frame - 30)) ] && [ "$seen" -le "$frame" ]; } ||
        fail "the frame is $seen wide"
done

# ---- silent, and alone --------------------------------------------------------------
for name in report small; do
    browse 390 "$work/$name.html"
    console "$work/out"
    out_empty
    requests "$work/out"
    out_empty
    grep -q '<button type="button" class="theme">' "$work/dom" ||
        fail "its script did not run"
done
