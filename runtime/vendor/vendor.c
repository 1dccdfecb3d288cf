/* SPDX-License-Identifier: Apache-2.0 */
/* What is common to all functions of vendors' libraries: see vendor.h. */
#include "runtime/vendor/vendor_handles.h"

#include "runtime/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct row {
    const char *name;
    const hone_vendor_kind *kind;
    const char *library;
    const char *summary;
} rows[] = {
#define ROW(name, kind, library, summary)                                      \
    {name, &hone__vendor_##kind, library, summary},
    HONE_VENDOR_MAP(ROW)
#undef ROW
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

int hone__vendor_n_algorithms(const char *function)
{
    for (size_t i = 0; i < N_ROWS; ++i) {
        if (strcmp(rows[i].name, function) == 0)
            return rows[i].kind->algorithms ? HONE_VENDOR_MOST_ALGORITHMS : 1;
    }
    return 0;
}

int hone__vendor_about(size_t i, const char **out_name,
                       const char **out_summary)
{
    if (i >= N_ROWS)
        return 0;
    *out_name = rows[i].name;
    *out_summary = rows[i].summary;
    return 1;
}

hone_status hone__vendor_misplaced(const hone_vendor *self, hone_error *err)
{
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "%s: an array does not lie at a multiple of the size of "
                      "its elements",
                      self->name);
}

/* ---- opening ------------------------------------------------------------- */

static hone_status find_row(const char *function, const struct row **out,
                            hone_error *err)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (!strcmp(rows[i].name, function)) {
            *out = &rows[i];
            return HONE_OK;
        }
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "this hone has no function '%.100s' of a vendor's "
                      "library; a newer one may",
                      function);
}

/* Nothing of the library is open yet. */
static hone_status start(hone_vendors *vendors, const char *function,
                         const char *op, hone_vendor **out, hone_error *err)
{
    const struct row *row = NULL;
    hone_vendor *self;

    HONE_TRY(find_row(function, &row, err));
    if (hone__vendors_driver(vendors)->kind)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s runs on GPUs, not on the device '%s'",
                          row->library,
                          hone__vendors_driver(vendors)->kind->name);
    self = hone__alloc(sizeof *self);
    if (!self)
        return hone__out_of_memory(err, " for a function of a library");
    self->kind = row->kind;
    self->vendors = vendors;
    self->name = row->name;
    self->library = row->library;
    self->op = op;
    self->state = hone__alloc(row->kind->state_bytes);
    if (!self->state) {
        hone__free(self);
        return hone__out_of_memory(err, " for a function of a library");
    }
    *out = self;
    return HONE_OK;
}

void hone__vendor_close(hone_vendor *vendor)
{
    if (!vendor)
        return;
    vendor->kind->close(vendor);
    hone__free(vendor->state);
    hone__free(vendor);
}

hone_status hone__vendor_open(hone_vendors *vendors, const char *op,
                              const hone_resolved *problem,
                              const hone_vendor_algorithm *wanted,
                              hone_vendor **out, hone_error *err)
{
    hone_vendor *self = NULL;
    hone_status status;
    int mode;

    *out = NULL;
    HONE_TRY(start(vendors, wanted->function, op, &self, err));
    mode = hone__vendors_relax(vendors, HONE_CU_CAPTURE_RELAXED);
    status = self->kind->open(self, problem, wanted, err);
    (void)hone__vendors_relax(vendors, mode);
    self->op = NULL;
    if (status != HONE_OK) {
        hone__vendor_close(self);
        return status;
    }
    if (wanted->version && wanted->version != self->version && !self->note[0])
        (void)snprintf(self->note, sizeof self->note,
                       "found with %s %" PRId64 ", this is %" PRId64,
                       self->library, wanted->version, self->version);
    *out = self;
    return HONE_OK;
}

/* ---- loading kernels early ----------------------------------------------- */

/* Arguments of a run that never happens. Some libraries take other kernels
 * for beta = 0. */
static void pretend(const hone_resolved *problem, int beta_is_zero,
                    uint64_t values[HONE_MAX_ARGS], void *args[HONE_MAX_ARGS])
{
    for (size_t i = 0; i < problem->n_args; i++) {
        const hone_resolved_arg *arg = &problem->args[i];
        const int is_zero = beta_is_zero && !strcmp(arg->name, "beta");
        const float one = is_zero ? 0.0f : 1.0f;
        const double wide = (double)one;

        values[i] = (uint64_t)(i + 1) << 40; /* an address like any */
        if (arg->mode == HONE_ARG_SCALAR && arg->type == HONE_TYPE_F64)
            memcpy(&values[i], &wide, sizeof wide);
        else if (arg->mode == HONE_ARG_SCALAR)
            memcpy(&values[i], &one, sizeof one);
        args[i] = &values[i];
    }
}

typedef struct rehearsal {
    hone_vendor *vendor;
    const hone_resolved *problem;
} rehearsal;

static hone_status enqueue_pretended(const void *user, hone_stream stream,
                                     hone_error *err)
{
    const rehearsal *const of = user;
    const hone_cu_ptr workspace =
        of->vendor->workspace_bytes ? (hone_cu_ptr)1 << 46 : 0;
    uint64_t values[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];

    for (int i = 0; i < 2; i++) {
        pretend(of->problem, i, values, args);
        HONE_TRY(
            hone__vendor_enqueue(of->vendor, args, workspace, stream, err));
        if (hone__vendor_find_arg(of->problem, "beta") < 0)
            break;
    }
    return HONE_OK;
}

hone_status hone__vendor_warm(hone_vendor *vendor, const hone_resolved *problem,
                              hone_error *err)
{
    const rehearsal of = {vendor, problem};
    hone_error found = {.status = HONE_OK};
    hone_status status;

    vendor->is_rehearsed = 1;
    status =
        hone__vendors_rehearse(vendor->vendors, enqueue_pretended, &of, &found);
    vendor->is_rehearsed = 0;
    if (status != HONE_ERR_UNSUPPORTED)
        return HONE_OK;
    return hone__fail_native(err, HONE_ERR_UNSUPPORTED, found.domain,
                             found.native, "%s", found.text);
}

/* ---- algorithms ---------------------------------------------------------- */

static hone_status ask(hone_vendor *self, const hone_resolved *problem,
                       hone_vendor_algorithm *list, size_t most, size_t *out_n,
                       hone_error *err)
{
    const hone_vendor_algorithm any = {.function = self->name};

    if (self->kind->algorithms)
        return self->kind->algorithms(self, problem, list, most, out_n, err);
    HONE_TRY(self->kind->open(self, problem, &any, err));
    list[0] = (hone_vendor_algorithm){.version = self->version,
                                      .workspace_bytes =
                                          (int64_t)self->workspace_bytes};
    *out_n = 1;
    return HONE_OK;
}

hone_status hone__vendor_algorithms(hone_vendors *vendors, const char *function,
                                    const char *op,
                                    const hone_resolved *problem,
                                    hone_vendor_algorithm *list, size_t most,
                                    size_t *out_n, hone_error *err)
{
    hone_vendor *self = NULL;
    hone_status status;

    *out_n = 0;
    if (!most)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "asking a library for its algorithms needs room for "
                          "one");
    HONE_TRY(start(vendors, function, op, &self, err));
    status = ask(self, problem, list, most, out_n, err);
    for (size_t i = 0; i < *out_n; i++)
        list[i].function = self->name;
    hone__vendor_close(self);
    return status;
}

void hone__vendor_lines(const hone_vendor_algorithm *wanted, hone_text *out)
{
    hone__text_printf(out, "vendor %s\n", wanted->function);
    hone__text_printf(out, "vendor-rank %" PRId64 "\n", wanted->rank);
    if (wanted->version)
        hone__text_printf(out, "vendor-version %" PRId64 "\n", wanted->version);
    if (wanted->n_algorithm_bytes) {
        hone__text_puts(out, "vendor-algorithm ");
        for (size_t i = 0; i < wanted->n_algorithm_bytes; i++)
            hone__text_printf(out, "%02x", wanted->algorithm[i]);
        hone__text_puts(out, "\n");
    }
    hone__text_printf(out, "vendor-workspace %" PRId64 "\n",
                      wanted->workspace_bytes);
}
