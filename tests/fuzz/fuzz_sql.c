/* SPDX-License-Identifier: Apache-2.0 */
/* SQL that a person wrote, on a small database: whatever it is, it reads or
 * changes rows, or is refused; the file is whole afterwards. */
#include "db/db.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/hone-fuzz-sql-XXXXXX";
static hone_db *db;

static void leave(void)
{
    hone__db_close(db);
    hone__db_remove(path);
}

static void open_database(void)
{
    static const hone_db_device device = {
        .kind = "cuda", .name = "Fuzz", .arch = "sm_90", .driver_version = "1"};
    hone_error err = {0};
    int64_t id;
    const int fd = mkstemp(path);

    /* What goes on for ever ends long before libFuzzer takes it for hung. */
    FUZZ_HOLDS(setenv("HONE_DB_SECONDS", "1", 1) == 0);
    FUZZ_HOLDS(fd >= 0);
    (void)close(fd);
    FUZZ_HOLDS(hone__db_open(path, HONE_DB_CREATE, &db, &err) == HONE_OK);
    (void)hone__db_device_put(db, &device, &id, &err);
    (void)atexit(leave);
}

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    int *n = user;

    (void)row, (void)err;
    return ++*n < 1000 ? HONE_OK : HONE_ERR_INTERRUPTED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    int n = 0;
    const hone_db_asker asker = {NULL, on_row, &n};
    char *text = malloc(size_bytes + 1);
    hone_error err = {0};
    int64_t changed;

    if (!text)
        return 0;
    if (!db)
        open_database();
    memcpy(text, data, size_bytes);
    text[size_bytes] = '\0';
    (void)hone__db_ask(db, text, &asker, &err);
    (void)hone__db_change(db, text, &changed, &err);
    /* Neither left a transaction open, nor a table lost. */
    FUZZ_HOLDS(hone__db_begin(db, &err) == HONE_OK);
    FUZZ_HOLDS(hone__db_end(db, HONE_OK, &err) == HONE_OK);
    n = 0;
    FUZZ_HOLDS(hone__db_ask(db, "SELECT name FROM trial_v1, device LIMIT 1",
                            &asker, &err) != HONE_ERR_DATABASE);
    free(text);
    return 0;
}
