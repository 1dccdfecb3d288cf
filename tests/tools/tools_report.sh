#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone report: what is in the page, that nothing of the database becomes markup,
# that it asks for nothing, filters, charts alone, exit codes. How it looks and
# what its script does: tools_report_browser.sh.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
db=$work/known.db
page=$work/report.html
"$tests/make_db" "$db"
before=$(cksum <"$db")

# page_has TEXT..: each is in the page.
page_has() {
    for text in "$@"; do
        grep -qF -e "$text" "$page" || fail "the page lacks: $text"
    done
}
page_lacks() {
    grep -qF -e "$1" "$page" && fail "the page has: $1"
    return 0
}

# ---- a page ---------------------------------------------------------------------
run 0 report --db "$db" -o "$page"
out_empty
err_has "report.html: "
page_has '<h2 id="g1-h">gemm <small>Test GPU, cold</small></h2>' \
    '<h2 id="g2-h">saxpy <small>Test GPU, cold</small></h2>' \
    '3 shapes, 7 trials' "Content-Security-Policy" "default-src 'none'" \
    'name="viewport"' '<dt>driver</dt><dd>13000 (CUDA 13.0)</dd>' \
    '<dt>NVRTC</dt><dd>nvrtc 13.0</dd>' '<dt>mode</dt><dd>cold</dd>' \
    '<dt>clocks</dt><dd>not recorded</dd>' \
    'default / ours' 'BLOCK=256' 'off by one' '1 of 1 shape, ' \
    'takes 1.5 times as long' 'prefers-color-scheme: dark' '@media print' \
    'No winner has declared work' 'class="skip"' '<caption>Provenance'
# Six charts of each: the ratio of gemm is that of its final.
page_has '<title>default configuration: 1.5 times our time</title>'
page_lacks '>nan'
page_lacks '>inf'
# Nothing to fetch: no address but that of SVG in no page at all, no sources.
grep -nE 'https?:|//[a-z]|src=|@import|url\(' "$page" |
    grep -v '^[0-9]*:.*<p.*data:' >"$work/out" && fail "the page asks for something"
[ "$before" = "$(cksum <"$db")" ] || fail "the database was changed"

# The same bytes again, also on standard output, and in a locale with commas.
run 0 report --db "$db" -o -
cmp -s "$work/out" "$page" || fail "not the same bytes"
err_empty

# ---- one of them ------------------------------------------------------------------
run 0 report --db "$db" -o "$page" --op saxpy --dims 1000 --device 'Test*' \
    --mode cold --quiet
err_empty
page_has '<h2 id="g1-h">saxpy' 'n=1000 T=f32'
page_lacks 'n=2000 T=f64'
page_lacks '>gemm<'
run 0 report --db "$db" -o "$page" --op saxpy --limit 1
page_has "Trials: the 1 fastest by shape, of 4" "the last 1 sessions of 2"

# ---- what is not there ------------------------------------------------------------
cp "$page" "$work/kept"
run 3 report --db "$db" -o "$page" --op nothing
err_has "nothing was tuned for --op nothing"
run 3 report --db "$db" -o "$page" --device "Other GPU" --mode hot
err_has "nothing was tuned for --device Other GPU, --mode hot"
run 3 report --db "$work/none.db" -o "$page"
err_has "none.db"
"$HONE" sql --write --db "$work/empty.db" "delete from trial" >/dev/null 2>&1 || true
run 2 report --db "$db"
err_has "report needs -o FILE"
run 2 report --db "$db" -o ""
run 2 report --db "$db" -o "$page" --limit 0
run 2 report --db "$db" -o "$page" --chart pie
err_has "pie"
run 2 report --db "$db" -o "$page" --chart ratio
err_has "--chart is of one operation on one device in one mode, and there are 2"
run 3 report --db "$db" -o "$page" --op saxpy --chart roofline
err_has "No winner has declared work"
run 3 report --db "$db" -o "$work/no/report.html"
err_has "no/report.html"
cmp -s "$page" "$work/kept" || fail "a report that failed changed the file"

# ---- text that would be markup ------------------------------------------------------
hostile=$work/hostile.db
cp "$db" "$hostile"
evil='</script><script>alert(1)</script><img src=x onerror=alert(2)>"'"''&amp;"
run 0 sql --write --db "$hostile" "update problem set label = '$evil' || char(7) || ' é'"
run 0 sql --write --db "$hostile" "update device set name = '$evil'"
run 0 sql --write --db "$hostile" "update trial set message = '$evil'
    where outcome <> 'ok'"
run 0 sql --write --db "$hostile" "update session set strategy = '$evil',
    budget = cast(x'fe41c3' as text)"
run 0 report --db "$hostile" -o "$page"
page_has '&lt;/script&gt;&lt;script&gt;alert(1)' '&amp;amp;' 'é' "&#39;"
page_lacks 'alert(1)</script>'
page_lacks '<img'
page_lacks "$(printf '\a')"
[ "$(grep -c '</script>' "$page")" -eq 1 ] || fail "more than one script"
# Bytes that are no text came out as U+FFFD.
page_has "$(printf '\357\277\275A\357\277\275')"
LC_ALL=C grep -q "$(printf '\376')" "$page" && fail "a byte that is no UTF-8"

# ---- many trials, with baselines ----------------------------------------------------
large=$work/large.db
"$tests/make_large" "$large" 4000
run 0 sql --write --db "$large" "$(grep -v '^--' "$here/report_baselines.sql")"
run 0 report --db "$large" -o "$page" --op op_3 --device "NVIDIA H200" --mode hot
page_has 'cublaslt / ours' 'cublas / ours' 'measured copy, ' 'tensor cores, ' \
    'at 1980 MHz, the highest clock of the trials' \
    'The fastest baseline takes' '<figure class="ratio">' \
    '<figure class="roofline">' '<figure class="convergence">' \
    '<figure class="times">' '<figure class="outcomes">' 'ok: ' 'wrong: '
page_lacks '>nan'
# The geometric mean is that of what the database has.
run 0 sql --db "$large" --format csv "select printf('%.4g', exp(avg(ln(x)))) from
    (select min(b.time_ns) / w.time_ns as x from winner_v1 w
      join baseline_v1 b on b.problem_id = w.problem_id and b.mode = w.mode
       and b.device_id = w.device_id and b.name <> 'memcpy'
     where w.op = 'op_3' and w.device_name = 'NVIDIA H200' and w.mode = 'hot'
     group by w.problem_id)"
mean=$(sed -n 2p "$work/out" | tr -d '"\r')
page_has "The fastest baseline takes $mean times as long as ours"

# Of more than 40,000 correct trials of an implementation charts of parameters have
# the first, and say so; --dims chooses among them.
cp "$db" "$work/many.db"
run 0 sql --write --db "$work/many.db" "insert into trial (session_id, variant_id,
    outcome, time_ns, n_samples, verified, started_unix_ns, gpu_time_ns)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 41000)
    select session_id, variant_id, outcome, 1000 + (variant_id * 7919 + i) % 100,
      n_samples, verified, started_unix_ns, gpu_time_ns from n,
      (select * from trial where session_id = 1 and outcome = 'ok' limit 1)"
run 0 report --db "$work/many.db" -o "$page" --op saxpy
page_has "correct trials the first 40000, in the order of shapes"
run 0 report --db "$work/many.db" -o "$page" --op gemm
page_lacks "correct trials the first"
# Rows that the script unfolds are counted where there is none.
run 0 report --db "$db" -o "$page"
page_lacks "<noscript>"
run 0 report --db "$work/many.db" -o "$page" --op saxpy --limit 150
page_has "<noscript><p>140 more rows are in this file, and are shown where scripts may run"

# ---- charts alone ---------------------------------------------------------------------
xml_check=$tests/xml_check
chart() {
    name=$1
    shift
    run 0 report --chart "$name" -o "$work/$name.svg" --quiet "$@"
    out_empty
    "$xml_check" <"$work/$name.svg" >"$work/out" || fail "$name is not XML"
    grep -q '<svg xmlns="http://www.w3.org/2000/svg" width="440"' "$work/$name.svg" ||
        fail "$name is no figure"
    grep -q 'nan\|inf"' "$work/$name.svg" && fail "$name has no numbers"
    return 0
}
for name in ratio roofline convergence times outcomes; do
    chart $name --db "$large" --op op_3 --device "NVIDIA H200" --mode hot
done
grep -q 'cublaslt: ' "$work/ratio.svg" || fail "no cublaslt"
grep -q 'class="line c5"' "$work/roofline.svg" || fail "no roof of memory"
chart ratio --db "$hostile" --op gemm
run 0 tune --device "replay:$HONE_SOURCE/tests/replay/recordings/small_t4.json" \
    --db "$work/replay.db" --quiet
for name in heat parallel; do
    chart $name --db "$work/replay.db"
done
grep -q 'class="h0"' "$work/heat.svg" || fail "no best cell"
run 3 report --chart importance -o - --db "$work/replay.db"
err_has "shares need at least 40"
"$tests/make_large" "$large.2" 40000
chart importance --db "$large.2" --op op_3 --device "NVIDIA H200" --mode hot
grep -q 'TILE_N' "$work/importance.svg" || fail "no parameter"

# Ten times the trials are not ten times the page.
run 0 report --db "$large" -o "$page" --op op_3 --limit 10
small=$(wc -c <"$page")
run 0 report --db "$large.2" -o "$page" --op op_3 --limit 10
[ "$(wc -c <"$page")" -lt $((small * 4)) ] || fail "the page grows with trials"
