/* SPDX-License-Identifier: Apache-2.0 */
/* Asked are the documented views (db/FORMAT.md), once for each shape. Packs
 * keep no times of the vendor's: they promise nothing. The vendor's is the best
 * of its baselines, measured in the session of the winner, and of its functions
 * in the ranking; at its fast end, and the winner at its slow one, there is a
 * gain of 2 % at least. */
#include "blas/promise.h"

#include "blas/blas_device.h"
#include "blas/gemm.h"
#include "blas/mode.h"
#include "runtime/base/alloc.h"
#include "runtime/search_path.h"
#include "runtime/store/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };
#define LEAST_GAIN 1.02
/* Of one more launch: 3.3 us on the host of an H200. A program whose host is
 * the slower one would pay it. */
#define LAUNCH_NS 4000.0

static hone_database databases[MOST];
static size_t n_databases;
static int are_open;

static const char question[] =
    "WITH w AS ("
    " SELECT problem_id, device_id, mode, time_ns, ci_high_ns, template_name,"
    "        config"
    "   FROM winner_v1"
    "  WHERE op = 'gemm' AND dims = ?1 AND arch = ?2 AND sm_count = ?3"
    "    AND device_name = ?4 AND template_is_latest"
    "  ORDER BY mode, time_ns LIMIT 1)"
    "SELECT w.time_ns, coalesce(w.ci_high_ns, w.time_ns), w.template_name,"
    "       (SELECT min(b.time_ns - coalesce(b.spread_ns, 0))"
    "          FROM baseline_v1 b"
    "         WHERE b.op = 'gemm' AND b.dims = ?1"
    "           AND b.problem_id = w.problem_id AND b.device_id = w.device_id"
    "           AND b.mode = w.mode AND b.name GLOB 'cublas*'),"
    "       (SELECT min(coalesce(r.ci_low_ns, r.time_ns))"
    "          FROM ranked_v1 r"
    "         WHERE r.op = 'gemm' AND r.dims = ?1"
    "           AND r.problem_id = w.problem_id AND r.device_id = w.device_id"
    "           AND r.mode = w.mode AND r.template_name GLOB 'cublas*'),"
    "       w.config"
    "  FROM w";

/* What cannot be opened is said once, and left out. */
static hone_status open_one(void *user, const hone_store_source *source,
                            hone_error *err)
{
    hone_database *db = &databases[n_databases];
    hone_error why = {0};
    char head[16] = "";
    int64_t version = 0;
    FILE *file = source->path ? fopen(source->path, "rb") : NULL;

    (void)user;
    (void)err;
    if (!file)
        return HONE_OK;
    if (fread(head, 1, sizeof head, file) != sizeof head)
        head[0] = '\0';
    (void)fclose(file);
    if (memcmp(head, "SQLite format 3", 15) != 0 || n_databases == MOST)
        return HONE_OK;
    if (hone__database_open(source->path, HONE_DATABASE_READ, db, &version,
                            &why) != HONE_OK) {
        hone__blas_say(0, "%s", why.text);
        return HONE_OK;
    }
    if (version)
        ++n_databases;
    else
        hone__database_close(db);
    return HONE_OK;
}

/* 1: it has a winner. */
static int ask(const hone_database *db, const char *dims,
               const hone_about_device *about, hone_promise *out,
               double *slow_ns)
{
    sqlite3_stmt *s = NULL;
    hone_error why = {0};
    int found = 0;

    if (hone__database_prepare(db, "read what was tuned", question, &s, &why) !=
        HONE_OK) {
        hone__blas_say(0, "%s", why.text);
        return 0;
    }
    (void)sqlite3_bind_text(s, 1, dims, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 2, about->arch, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 3, about->sm_count);
    (void)sqlite3_bind_text(s, 4, about->name, -1, SQLITE_STATIC);
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 2);
        const char *config = (const char *)sqlite3_column_text(s, 5);

        found = 1;
        out->ours_ns = sqlite3_column_double(s, 0);
        *slow_ns = sqlite3_column_double(s, 1);
        (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                       name ? name : "");
        (void)snprintf(out->config, sizeof out->config, "%s",
                       config ? config : "");
        for (int i = 3; i < 5; ++i) {
            const double ns = sqlite3_column_double(s, i);

            if (ns > 0 && (out->vendor_ns <= 0 || ns < out->vendor_ns))
                out->vendor_ns = ns;
        }
    }
    (void)sqlite3_finalize(s);
    return found;
}

static void judge(hone_promise *p, double slow_ns)
{
    if (strncmp(p->implementation, "cublas", 6) == 0)
        p->why = "the library's own function won";
    else if (p->vendor_ns <= 0)
        p->why = "the library was not measured beside the winner";
    else if (p->vendor_ns < LEAST_GAIN * slow_ns)
        p->why = "the winner is not faster than the library by more than the "
                 "noise";
    else
        p->is_kept = 1;
}

/* The first database that has a winner for so many dims. 1: one has. */
static int ask_all(const int64_t *dims, size_t n,
                   const hone_about_device *about, hone_promise *out)
{
    hone_text key = {0};
    double slow_ns = 0;
    int found = 0;

    hone__gemm_key(dims, n, &key);
    for (size_t i = 0; i < n_databases && !key.failed && !found; ++i)
        found = ask(&databases[i], hone__text_str(&key), about, out, &slow_ns);
    hone__text_free(&key);
    if (!found)
        return 0;
    out->n_dims = n;
    out->why = NULL;
    judge(out, slow_ns);
    return 1;
}

void hone__promise_find(int device, int64_t *dims, hone_promise *out)
{
    hone_about_device about;
    hone_error ignored = {0};

    *out = (hone_promise){0};
    if (!hone__blas_about(device, &about)) {
        out->why = "the device does not say what it is";
        return;
    }
    if (!are_open)
        (void)hone__search_path(open_one, NULL, &ignored);
    are_open = 1;
    out->why =
        n_databases ? "nobody tuned it on this device" : "there is no database";
    do {
        for (size_t n = HONE_GEMM_DIMS; n >= hone__gemm_least(dims); --n)
            if (ask_all(dims, n, &about, out))
                return;
    } while (hone__gemm_add(dims));
}

int hone__promise_pays(const hone_promise *p, size_t workspace_bytes)
{
    return !workspace_bytes || p->vendor_ns - p->ours_ns >= LAUNCH_NS;
}

void hone__promise_forget(void)
{
    /* Connections are not carried across fork(): left as they are. */
    n_databases = 0;
    are_open = 0;
}
