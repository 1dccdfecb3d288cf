/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling PTX when nobody waits for it: see compile_later.h. */
#include "runtime/compile_later.h"

#include <stdio.h>

enum { MOST_WAITING = 1024 /* more are noted when these are done */ };

/* A problem whose plan could have a better kernel. */
typedef struct hone_waiting {
    hone_context *context;
    char *op;
    size_t n_dims;
    int64_t dims[HONE_MAX_DIMS];
    struct hone_waiting *next;
} hone_waiting;

/* ---- when ---------------------------------------------------------------- */

hone_status hone__compile_read(const char *text, const char *where,
                               hone_compile_when *out, hone_error *err)
{
    static const char *const words[] = {[HONE_COMPILE_NOW] = "now",
                                        [HONE_COMPILE_LATER] = "later",
                                        [HONE_COMPILE_NEVER] = "never"};

    for (int i = HONE_COMPILE_NOW; i <= HONE_COMPILE_NEVER; ++i) {
        if (strcmp(text, words[i]) == 0) {
            *out = (hone_compile_when)i;
            return HONE_OK;
        }
    }
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "%s: '%.64s' is not 'now', 'later' or 'never'", where,
                      text);
}

hone_status hone_compile_select(hone_ctx *ctx, const char *when)
{
    hone_error *err = hone__thread_error(ctx);
    hone_compile_when chosen = HONE_COMPILE_NOW;

    if (!ctx || !when)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_compile_select: %s is NULL",
                          ctx ? "when" : "ctx");
    HONE_TRY(hone__compile_read(when, "hone_compile_select", &chosen, err));
    (void)pthread_mutex_lock(&ctx->lock);
    ctx->compile = chosen;
    (void)pthread_mutex_unlock(&ctx->lock);
    return HONE_OK;
}

/* ---- what waits ---------------------------------------------------------- */

int hone__row_is_compiled(void *user, const hone_store_row *row)
{
    hone_context *const *context = user;

    return hone__module_find(*context, row->cubin_sha256) != NULL;
}

static int is_noted(const hone_context *context, const char *op,
                    const hone_resolved *resolved)
{
    for (const hone_waiting *w = context->ctx->waiting; w; w = w->next)
        if (w->context == context && w->n_dims == resolved->n_dims &&
            strcmp(w->op, op) == 0 &&
            memcmp(w->dims, resolved->dims, w->n_dims * sizeof *w->dims) == 0)
            return 1;
    return 0;
}

static void free_waiting(hone_waiting *w)
{
    if (w)
        hone__free(w->op);
    hone__free(w);
}

void hone__compile_wait(hone_context *context, const char *op,
                        const hone_answer *answer)
{
    hone_ctx *ctx = context->ctx;
    hone_waiting **last = &ctx->waiting;
    hone_waiting *w;

    if (!answer->is_waiting || ctx->compile != HONE_COMPILE_LATER ||
        ctx->n_waiting >= MOST_WAITING ||
        is_noted(context, op, &answer->resolved))
        return;
    w = hone__alloc(sizeof *w);
    if (w)
        w->op = hone__strdup(op);
    if (!w || !w->op) {
        free_waiting(w);
        return;
    }
    w->context = context;
    w->n_dims = answer->resolved.n_dims;
    memcpy(w->dims, answer->resolved.dims, w->n_dims * sizeof *w->dims);
    while (*last)
        last = &(*last)->next;
    *last = w;
    ++ctx->n_waiting;
}

void hone__compile_forget(hone_ctx *ctx)
{
    while (ctx->waiting) {
        hone_waiting *next = ctx->waiting->next;

        free_waiting(ctx->waiting);
        ctx->waiting = next;
    }
    ctx->n_waiting = 0;
}

/* ---- compiling ----------------------------------------------------------- */

/* What is taken along while nothing is locked. */
typedef struct compile_job {
    hone_context *context; /* first, as hone__row_is_compiled() has it */
    hone_store_row row;    /* its texts are these: */
    char cubin_sha256[65];
    char compile_arch[32];
    hone_text names; /* the implementation and the configuration */
    hone_text code;
} compile_job;

/* The answer that is to be: its code, unless it is loaded. Lock held. */
static hone_status take_code(void *user, hone_answer *answer, hone_error *err)
{
    compile_job *job = user;
    const hone_store_row *row = answer->row;

    if (!row->cubin_sha256[0] || answer->resolved.is_nothing ||
        hone__row_is_compiled(job, row))
        return HONE_OK;
    (void)snprintf(job->cubin_sha256, sizeof job->cubin_sha256, "%s",
                   row->cubin_sha256);
    (void)snprintf(job->compile_arch, sizeof job->compile_arch, "%s",
                   row->compile_arch);
    hone__text_append(&job->names, row->implementation,
                      strlen(row->implementation) + 1);
    hone__text_append(&job->names, row->config, strlen(row->config) + 1);
    HONE_TRY(hone__text_check(&job->names, err));
    job->row = (hone_store_row){.cubin_sha256 = job->cubin_sha256,
                                .compile_arch = job->compile_arch,
                                .implementation = job->names.data};
    job->row.config = job->names.data + strlen(row->implementation) + 1;
    return hone__store_cubin(answer->store, row, &job->code, err);
}

static hone_status find_code(const hone_waiting *w, compile_job *job,
                             hone_error *err)
{
    hone_ctx *ctx = w->context->ctx;
    const hone_query query = {.stores = ctx->stores,
                              .n_stores = ctx->n_stores,
                              .target = &w->context->target,
                              .op = w->op,
                              .dims = w->dims,
                              .n_dims = w->n_dims,
                              .use = take_code,
                              .user = job};
    hone_answer answer;

    return hone__match_find(&query, &answer, err);
}

/* The next launch of it takes what is compiled now. Lock held. */
static void renew(const hone_waiting *w, hone_module *module)
{
    hone_context *context = w->context;

    if (module && hone__module_find(context, module->cubin_sha256))
        hone__module_free(module); /* another thread was faster */
    else if (module)
        hone__module_add(context, module);
    hone__plan_cache_drop(
        context->ctx,
        &(hone_plan_key){context->context_id, w->op, w->dims, w->n_dims});
}

/* The context is current, the lock held; it is given up while the driver
 * compiles. */
static hone_status compile(const hone_waiting *w, hone_error *err)
{
    hone_ctx *ctx = w->context->ctx;
    compile_job job = {.context = w->context};
    hone_module *module = NULL;
    hone_status status = find_code(w, &job, err);

    if (status == HONE_OK && job.code.length) {
        (void)pthread_mutex_unlock(&ctx->lock);
        status =
            hone__module_load(w->context, &job.row, &job.code, &module, err);
        (void)pthread_mutex_lock(&ctx->lock);
    }
    if (status == HONE_OK)
        renew(w, module);
    hone__text_free(&job.names);
    hone__text_free(&job.code);
    return status;
}

/* The first that waits, which waits no more; NULL: none. Lock held. */
static hone_waiting *take_first(hone_ctx *ctx)
{
    hone_waiting *first = ctx->waiting;

    if (first) {
        ctx->waiting = first->next;
        --ctx->n_waiting;
    }
    return first;
}

hone_status hone_compile_pending(hone_ctx *ctx, size_t *out_n_left)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status = HONE_OK;
    hone_cu_context popped = NULL;
    hone_waiting *first;

    if (out_n_left)
        *out_n_left = 0;
    if (!ctx)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_compile_pending: ctx is NULL");
    (void)pthread_mutex_lock(&ctx->lock);
    first = take_first(ctx);
    /* Of a context that is gone nothing is wanted. */
    if (first && hone__context_enter(first->context)) {
        status = compile(first, err);
        (void)first->context->driver->context_pop(&popped);
    }
    if (out_n_left)
        *out_n_left = ctx->n_waiting;
    (void)pthread_mutex_unlock(&ctx->lock);
    free_waiting(first);
    return status;
}
