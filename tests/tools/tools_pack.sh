#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone pack: what was tuned on the cpu device is launched from the pack alone,
# with the answer that the database gave; the same input gives the same bytes;
# as C it is the same bytes; what cannot be done is said.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/hone.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
pack=$work/my-lib.pack

# Wrong use, and nothing to pack.
run 2 pack
err_has "needs -o FILE"
run 2 pack -o "$pack" --format json
run 3 pack -o "$pack"
err_has "there is no database"
run 2 pack -o "$pack" FILE

run 0 tune saxpy/stream sum/stream --dims 5003 --device cpu --budget 3 -q
run 0 pack -o "$pack"
out_has "sha256: $(sha256sum "$pack" | cut -d' ' -f1)"
out_has "operations: 2"
out_has "winners: 2"
cp "$pack" "$work/first"
run 0 pack -o "$pack"
cmp "$pack" "$work/first" || fail "the same input gives other bytes"

# The same winner and match, for the tuned shape, another and one far away.
for dims in 5003 7001 1000003; do
    run 0 run saxpy --dims "$dims" --device cpu
    grep -E '^(match|config|implementation|correct|reason)' "$work/out" \
        >"$work/expected"
    mv "$HONE_DB" "$HONE_DB.away"
    run 0 run saxpy --dims "$dims" --device cpu --db "$pack"
    mv "$HONE_DB.away" "$HONE_DB"
    grep -E '^(match|config|implementation|correct|reason)' "$work/out" \
        >"$work/got"
    cmp "$work/expected" "$work/got" ||
        fail "$(diff "$work/expected" "$work/got")"
done

# The first places of a ranking are damaged: the next one answers from both.
cp "$HONE_DB" "$work/whole.db"
run 0 sql --write "UPDATE variant SET launch_sha256 = replace(launch_sha256,
        substr(launch_sha256, 1, 1), 'x')
    WHERE variant_id IN (SELECT variant_id FROM ranked_v1 WHERE op = 'saxpy' AND rank < 3)"
run 0 pack -o "$work/places"
out_has "winners: 2"
run 0 run saxpy --dims 5003 --device cpu
out_has "match: exact"
run 0 run saxpy --dims 5003 --device cpu --db "$work/places"
out_has "match: exact"

# A function of a library that was imported has no plan: it is no default.
cp "$work/whole.db" "$HONE_DB"
run 0 sql --write "INSERT INTO template (op, name, sha256, source_sha256, last_put_unix_ns, kind)
    SELECT op, 'lib', sha256, source_sha256, 1, 'vendor' FROM template WHERE op = 'saxpy'"
run 0 sql --write "INSERT INTO variant (template_id, toolchain_id, config, types, arch, options,
        outcome, launch_lines, is_default)
    SELECT template_id, 1, '', '', 'cpu', '', 'ok', '', 1 FROM template WHERE name = 'lib'"
run 0 pack -o "$work/vendors"
! grep damaged "$work/out" "$work/err" || fail "what was imported is damaged"
run 0 run saxpy --dims 1000003 --device cpu
! grep damaged "$work/out" "$work/err" || fail "what was imported is damaged"

# A later text of the template: nothing of the older one is launched, no default.
cp "$work/whole.db" "$HONE_DB"
run 0 sql --write "DELETE FROM ranking WHERE problem_id IN (SELECT problem_id FROM problem WHERE op = 'saxpy')"
run 0 run saxpy --dims 1000003 --device cpu
out_has "match: default"
run 0 sql --write "INSERT INTO template (op, name, sha256, source_sha256, last_put_unix_ns, kind)
    SELECT op, name, source_sha256, source_sha256, last_put_unix_ns + 1, kind
      FROM template WHERE op = 'saxpy'"
run 3 run saxpy --dims 1000003 --device cpu
err_has "only kernels of an older template of 'saxpy'"
run 0 pack -o "$work/later"
out_has "operations: 1"
cp "$work/whole.db" "$HONE_DB"

# Only what was asked for; a name that is not there is a mistake.
run 0 pack -o "$work/part" --op sum --arch cpu
out_has "operations: 1"
run 3 run saxpy --dims 5003 --device cpu --db "$work/part"
err_has "operation 'saxpy' is not in pack '$work/part', which has sum"
run 3 pack -o "$work/none" --op sum --op fft
err_has "nothing of fft in database"
err_has "it has saxpy (cpu), sum (cpu)"
run 3 pack -o "$work/none" --arch sm_90
err_has "nothing for sm_90"
[ ! -e "$work/none" ] || fail "a file was written"

# As C: the array has the bytes of the pack.
run 0 pack -o "$work/my-lib.c" --format c
cat >"$work/dump.c" <<'END'
#include <hone.h>
#include <stdio.h>
HONE_PACK_DECLARE(my_lib);
int main(void)
{
    return my_lib_register() != HONE_OK || my_lib_register() != HONE_OK ||
           fwrite(my_lib, 1, my_lib_bytes, stdout) != my_lib_bytes;
}
END
library=$(dirname "$HONE")/../lib
sanitize=
! nm -D "$library/libhone.so" | grep -q __asan_init ||
    sanitize=-fsanitize=address,undefined
for compiler in "cc -std=c11" "c++ -x c++ -std=c++11"; do
    command -v "${compiler%% *}" >/dev/null || continue
    # shellcheck disable=SC2086 # a list of flags
    $compiler $sanitize -Wall -Wextra -Wpedantic -Werror -I"$HONE_SOURCE/runtime" \
        -o "$work/dump" "$work/my-lib.c" "$work/dump.c" -L"$library" -lhone \
        "-Wl,-rpath,$library" || fail "$compiler: the source does not compile"
    "$work/dump" | cmp - "$pack" || fail "$compiler: the array has other bytes"
done
# A pack is taken as it is: the same source, unless it is damaged.
mkdir "$work/copy"
run 0 pack --db "$pack" -o "$work/copy/my-lib.c" --format c
out_has "winners: 2"
cmp "$work/my-lib.c" "$work/copy/my-lib.c" || fail "the copy is another"
run 2 pack --db "$pack" -o "$work/none" --op sum
err_has "which is taken as it is: --op, --arch and --with-ptx are for databases"
size=$(stat -c %s "$pack")
{
    head -c $((size - 1)) "$pack"
    tail -c 1 "$pack" | tr '\000-\377' '\001-\377\000'
} >"$work/flipped"
run 3 pack --db "$work/flipped" -o "$work/none"
err_has "pack '$work/flipped' is damaged: "

# Damage is refused, and where it is.
head -c 1000 "$pack" >"$work/cut"
run 3 run saxpy --dims 5003 --device cpu --db "$work/cut"
err_has "it breaks off (bytes 1000 to "
# A pack is for launching: the commands that write want a database.
run 3 show --db "$pack"
err_has "a pack is for launching alone"
# What is damaged in the database is left out, and said.
"$(dirname "$HONE")/../tests/damage_db" "$HONE_DB" artifact data \
    "select a.rowid, length(a.data) / 2 from artifact a
        join winner_v1 w on w.cubin_sha256 = a.sha256
        where w.op = 'saxpy'" || fail "nothing was damaged"
run 0 pack -o "$pack"
err_has "left out, damaged in the database"
