/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch keeps of its tuning.
 *
 * TunableOp (torch/cuda/tunable.py) writes tunableop_results.csv:
 *   Validator,PT_VERSION,2.2.0
 *   GemmTunableOp_float_NT,nt_25088_4096_64,Gemm_Hipblaslt_1219,1.262
 * the fastest function of each problem with its milliseconds.
 *
 * Inductor's *.best_config names a configuration and what tuning took, not what
 * the kernel takes: there is no measurement in it. */
#include "tools/exchange/foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

hone_status hone__read_inductor(hone_import *import, hone_error *err)
{
    return hone__fail(
        err, HONE_ERR_INPUT,
        "%s is what PyTorch's inductor chose, without a time of the kernel "
        "(time_taken_ms is what its tuning took), so there is no trial in it; "
        "set TRITON_CACHE_AUTOTUNING=1 and import Triton's *.autotune.json",
        import->path);
}

/* ---- TunableOp -------------------------------------------------------------
 */

enum { MOST_FIELDS = 16 };

typedef struct tunable_reader {
    hone_import *import;
    hone_lines lines;
    hone_text text, device, op, dims, config;
    char hash[HONE_SHA256_HEX];
    int64_t line;
    int64_t n_sessions;
} tunable_reader;

/* Names and values of the validators: what it was measured with. */
static void read_validator(tunable_reader *r, char *const *fields)
{
    hone__text_printf(&r->device, "%s%s %s",
                      r->device.length ? ", " : "TunableOp with ", fields[1],
                      fields[2]);
}

static int is_number(const char *part, size_t length)
{
    return length && strspn(part, "0123456789") >= length;
}

/* Names of numbers, in an order that the operation fixes. */
static int is_known(const char *part, size_t length)
{
    static const char *const names[] = {"ld", "B", "rw"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strlen(names[i]) == length && !strncmp(names[i], part, length))
            return 1;
    return 0;
}

/* "nt", with which "GemmTunableOp_float_NT" ends as well. */
static int ends_with(const char *op, const char *part, size_t length)
{
    const size_t n = strlen(op);

    return n > length && op[n - length - 1] == '_' &&
           strncasecmp(op + n - length, part, length) == 0;
}

/* "tn_25088_4096_64_ld_64_64_25088_rw_1_bias_BFloat16": its numbers are the
 * dims. Words that say something else belong to the operation, "_bias_BFloat16"
 * here: problems that differ in one are two. */
static void read_key(tunable_reader *r, const char *op, const char *key)
{
    int is_first = 1;

    hone__text_clear(&r->dims);
    hone__text_append(&r->dims, "", 0);
    hone__text_clear(&r->op);
    hone__text_puts(&r->op, op);
    for (const char *at = key; *at; is_first = 0) {
        const size_t n = strcspn(at, "_");
        const char *next = at + n + (at[n] == '_');

        if (is_number(at, n)) {
            hone__text_puts(&r->dims, r->dims.length ? "," : "");
            hone__text_append(&r->dims, at, n);
        } else if (!(is_first && ends_with(op, at, n)) &&
                   !(is_known(at, n) && is_number(next, strcspn(next, "_")))) {
            hone__text_puts(&r->op, "_");
            hone__text_append(&r->op, at, n);
        }
        at = next;
    }
}

static hone_status put_result(tunable_reader *r, char *const *fields,
                              hone_error *err)
{
    const hone_foreign what = {
        .op = hone__text_str(&r->op),
        .dims = hone__text_str(&r->dims),
        .label = fields[1],
        .device = r->device.length ? hone__text_str(&r->device) : "TunableOp",
        .by = "TunableOp",
        .sha256 = r->hash,
        .mode = "hot",
        .session = ++r->n_sessions};
    hone_error inner = {0};
    char *end;
    const double time = strtod(fields[3], &end);

    if (end == fields[3] || *end || !isfinite(time) || time < 0)
        return hone__import_fail(r->import, r->line, err,
                                 "the fourth column has to be a time in "
                                 "milliseconds, not '%.60s'",
                                 fields[3]);
    /* TunableOp writes 0 for the function that it did not have to measure. */
    if (time == 0) {
        ++r->import->n_left_out;
        --r->n_sessions;
        return HONE_OK;
    }
    hone__text_clear(&r->config);
    if (hone__foreign_param(&r->config, "solution", fields[2], &inner) !=
        HONE_OK)
        return hone__import_fail(r->import, r->line, err, "%s", inner.text);
    HONE_TRY(hone__foreign_begin(r->import, &what, err));
    HONE_TRY(hone__foreign_trial(r->import, hone__text_str(&r->config),
                                 HONE_OUTCOME_OK, time, fields[3], 6, err));
    return hone__import_put(r->import, r->line, err);
}

static hone_status read_row(tunable_reader *r, hone_error *err)
{
    char *fields[MOST_FIELDS];
    size_t n = 0;
    char *at = r->text.data;

    do {
        fields[n++] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    } while (at && n < MOST_FIELDS);
    if (strcmp(fields[0], "Validator") == 0 && n == 3) {
        read_validator(r, fields);
        return HONE_OK;
    }
    if (n < 4 || at || !*fields[0] || !*fields[1] || !*fields[2])
        return hone__import_fail(r->import, r->line, err,
                                 "a row has an operation, a problem, a "
                                 "function and its time, with commas between");
    read_key(r, fields[0], fields[1]);
    HONE_TRY(hone__text_check(&r->op, err));
    HONE_TRY(hone__text_check(&r->dims, err));
    return put_result(r, fields, err);
}

static hone_status read_rows(tunable_reader *r, hone_error *err)
{
    for (;;) {
        int is_there, has_end;

        r->line = r->lines.line;
        HONE_TRY(
            hone__lines_read(&r->lines, &r->text, &is_there, &has_end, err));
        if (!is_there)
            return HONE_OK;
        if (!has_end)
            return hone__import_fail(r->import, r->line, err,
                                     "the last row does not end: the file was "
                                     "cut off");
        if (r->text.length)
            HONE_TRY(read_row(r, err));
    }
}

hone_status hone__read_tunableop(hone_import *import, hone_error *err)
{
    tunable_reader *r = hone__alloc(sizeof *r);
    hone_status status;

    if (!r)
        return hone__out_of_memory(err, "");
    r->import = import;
    status = hone__foreign_hash(import->path, r->hash, err);
    if (status == HONE_OK)
        status = hone__lines_open(import->path, &r->lines, err);
    if (status == HONE_OK)
        status = read_rows(r, err);
    if (status == HONE_OK && import->n_left_out)
        hone__text_printf(&import->note,
                          "%lld rows have no time and were left out: TunableOp "
                          "did not measure them",
                          (long long)import->n_left_out);
    hone__lines_close(&r->lines);
    hone__text_free(&r->text);
    hone__text_free(&r->device);
    hone__text_free(&r->op);
    hone__text_free(&r->dims);
    hone__text_free(&r->config);
    hone__free(r);
    return status;
}
