#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone check finds what is damaged, kind by kind and page by page; hone gc removes
# what older texts of a template left, and nothing else.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
tests=$(dirname "$HONE")/../tests
cd "$work"
damage() { # damage SQL: bad.db is whole.db with that
    cp whole.db bad.db
    "$tests/damage_db" bad.db "$1" >/dev/null || fail "no damage: $1"
}
cat >scale.cu <<'END'
#pragma hone op scale(n) "x = alpha*x"
#pragma hone arg alpha: f32, x: inout f32[n]
#pragma hone param BLOCK in {64, 128, 256} default 128
#pragma hone launch scale grid(ceildiv(n, BLOCK)) block(BLOCK) args(alpha, x, i64(n))

extern "C" __global__ void scale(float alpha, float *x, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        x[i] *= alpha;
}
END
tune() { run 0 tune scale.cu --dims 1000 --device cpu --db "$1"; }
tune whole.db
"$tests/make_db" known.db
run 0 merge known.db --db whole.db

# ---- check --------------------------------------------------------------------
run 0 check --db whole.db --format json
json schema_version=1 checks.0.check=pages checks.0.state=ok \
    checks.1.check=references checks.1.state=ok checks.2.check=artifacts \
    checks.2.state=ok checks.3.check=launches checks.3.looked_at=3 \
    checks.3.state=ok checks.4.check=counts checks.4.state=ok
found() { # found N WORDS..: that check alone, and it says so
    before=$(cksum <bad.db)
    run 1 check --db bad.db --format json
    json "checks.$1.state=damaged" "checks.$1.advice"
    [ "$(grep -c '"state": "damaged"' out)" -eq 1 ] || fail "more than one"
    out_has "$2"
    [ "$before" = "$(cksum <bad.db)" ] || fail "it was changed"
}
damage "delete from toolchain"
found 1 "refers to a row of toolchain"
damage "update artifact set size_bytes = size_bytes + 1 where kind = 'cubin'"
found 2 "its size is wrong"
damage "update variant set launch_lines = launch_lines || 'x' where launch_sha256 is not null"
found 3 "is launched with is not what was stored"
damage "update tally set n_trials = n_trials + 1"
found 4 "the counts of"
damage "delete from tally_won"
found 5 "the counts of"
# Any page of zeros is found, or the file is none.
pages=$(($(wc -c <whole.db) / 4096))
page=1
while [ "$page" -lt "$pages" ]; do
    cp whole.db bad.db
    dd if=/dev/zero of=bad.db bs=4096 seek="$page" count=1 conv=notrunc \
        2>/dev/null
    code=0
    "$HONE" check --db bad.db >out 2>err || code=$?
    case $code in
    1 | 3) ;;
    *) fail "page $page of zeros: exit $code" ;;
    esac
    page=$((page + 5))
done
"$tests/make_version" old.db 3 "$here/../db/version_1.sql"
run 0 check --db old.db
out_has "none"
run 3 check --db missing.db
run 0 check whole.db
out_has "whole.db"
run 3 check missing.db

# ---- packs and caches ------------------------------------------------------------
run 0 pack -o whole.pack --db whole.db
run 0 check whole.pack --format json
json checks.0.check=index checks.0.state=ok checks.1.check=blobs \
    checks.1.state=ok checks.2.check=variants checks.2.state=ok
before=$(cksum <whole.pack)
# A byte anywhere: in the index, in a blob, or the file is no pack.
bytes=$(wc -c <whole.pack)
at=0
while [ "$at" -lt "$bytes" ]; do
    cp whole.pack bad.pack
    byte=$(dd if=whole.pack bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1)
    # shellcheck disable=SC2059 # an octal escape
    printf "\\$(printf %03o $(((byte + 1) % 256)))" |
        dd of=bad.pack bs=1 seek="$at" conv=notrunc 2>/dev/null
    code=0
    "$HONE" check bad.pack >out 2>err || code=$?
    case $code in
    1) out_has damaged ;;
    3) [ "$at" -lt 8 ] || fail "byte $at: it is a pack" ;;
    0) [ "$byte" -eq 0 ] || fail "byte $at" ;; # between blobs
    *) fail "byte $at changed: exit $code" ;;
    esac
    at=$((at + bytes / 40 + 1))
done
[ "$before" = "$(cksum <whole.pack)" ] || fail "the pack was changed"
head -c 1000 whole.pack >bad.pack
run 1 check bad.pack
out_has "breaks off"
run 0 tune scale.cu --dims 1000 --device cpu --db cached.db --cache-dir cache
run 0 check cache --format json
json checks.0.check=entries checks.0.state=ok
out_has '"looked_at": 3'
for entry in cache/??/*; do
    printf x >>"$entry"
    break
done
run 1 check cache
out_has "does not match its SHA-256"
out_has "$(basename "$entry")"
mkdir empty
run 3 check empty
err_has "is no cubin cache"
"$tests/make_version" old8.db 8 "$here/../db/version_1.sql"
before=$(cksum <old8.db)
run 3 gc --dry-run --db old8.db
err_has "has format 8"
[ "$before" = "$(cksum <old8.db)" ] || fail "a dry run changed the format"

# ---- gc -------------------------------------------------------------------------
# Nothing is stale yet.
cp whole.db gc.db
run 0 gc --db gc.db --format json
json dry_run=false templates=0 trials=0
run 0 sql "SELECT * FROM trial_v1" --db gc.db --format csv
cp out all.csv
run 0 sql "SELECT * FROM trial_v1" --db whole.db --format csv
cmp out all.csv || fail "trials are others"
# The text changes: its trials go, with cubins and winner. Others stay.
cp scale.cu first.cu
sed -i 's/x\[i\] \*= alpha/x[i] = alpha * x[i]/' scale.cu
tune gc.db
run 0 show stale --db gc.db --format json
"$tests/db_ask" gc.db "select count(*) from template" >n
[ "$(cat n)" -eq 4 ] || fail "not four templates"
before=$(cksum <gc.db)
cp gc.db running.db
run 0 sql --write "UPDATE session SET status = 'running'" --db running.db
run 0 sql --write "UPDATE session SET started_unix_s = unixepoch()" --db running.db
run 0 gc --db running.db --format json
json templates=0 sessions=0
run 0 gc --dry-run --db gc.db --format json
json dry_run=true templates=1 variants=3 trials=3 sessions=1
[ "$before" = "$(cksum <gc.db)" ] || fail "a dry run changed it"
run 0 gc --db gc.db --format json
json dry_run=false templates=1 variants=3 trials=3 sessions=1
# Bytes by part: cubins and trials of the older text went, the other template's
# trials did not.
json parts.0.part=templates parts.2.part=cubins parts.6.part=trials
part() { # part NAME before|after
    sed -n "s/.*\"part\": \"$1\".*\"$2_bytes\": \([0-9]*\).*/\1/p" bytes
}
tr '}' '\n' <out >bytes
for name in templates variants cubins trials sessions; do
    [ "$(part $name before)" -gt "$(part $name after)" ] || fail "$name: nothing went"
    [ "$(part $name after)" -gt 0 ] || fail "$name: all went"
done
size=$(wc -c <gc.db)
out_has "\"bytes_after\": $size"
run 0 check --db gc.db
run 0 run scale.cu --dims 1000 --device cpu --db gc.db --format json
json correct=true match=exact
run 0 tune scale.cu --dims 1000 --device cpu --db gc.db --format json
out_has '"n_compiles": 0'
run 0 show winners --db gc.db --format json
json winners.0.op=gemm winners.1.op=saxpy winners.2.op=scale
run 0 gc --db gc.db --format json
json templates=0 trials=0 artifacts=0
# A file with rows that refer to none is left as it is.
damage "delete from toolchain"
before=$("$tests/db_ask" bad.db "select count(*) from trial")
run 3 gc --db bad.db
err_has "nothing was removed"
[ "$before" -eq "$("$tests/db_ask" bad.db "select count(*) from trial")" ] ||
    fail "trials went"
# What answers a launch is not the winner.
damage "update answer set time_ns = time_ns + 1"
run 1 check --db bad.db
out_has "is not its winner"
run 3 gc --db missing.db
