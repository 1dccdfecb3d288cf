/* SPDX-License-Identifier: Apache-2.0 */
/* make_seed DATABASE PACK: a small pack to begin fuzzing with, of a database
 * that is made for it. */
#include "tests/runtime/pack_fixture.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    runtime_fixture fixture = {.db = NULL};
    hone_db_pack_summary summary;
    hone_text pack = {0};
    hone_error err = {0};
    int failed = 1;

    if (argc == 3 &&
        hone__db_open(argv[1], HONE_DB_CREATE, &fixture.db, &err) == HONE_OK) {
        pack_put_all(&fixture);
        failed = hone__db_pack(fixture.db, &(hone_db_pack_request){.n_ops = 0},
                               &pack, &summary, &err) != HONE_OK ||
                 hone__file_replace(argv[2], pack.data, pack.length, &err) !=
                     HONE_OK;
        hone__db_pack_summary_free(&summary);
    }
    if (failed)
        (void)fprintf(stderr, "make_seed: %s\n", err.text);
    hone__text_free(&pack);
    hone__db_close(fixture.db);
    return failed;
}
