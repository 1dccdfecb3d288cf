/* SPDX-License-Identifier: Apache-2.0 */
/* An edit of a template leaves many of its variants as they were: their trials
 * are kept. A variant is the same if its key is, a hash over all that decides
 * about its code, launch and verdict. Rejected: a copy of its rows, after
 * which the runtime would find the winners of other problems outdated. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <string.h>

/* ---- keys --------------------------------------------------------------- */

/* Others that decide about the verdict. */
static void pack_references(const hone_tune_run *run, hone_text *all)
{
    const hone_reference_templates *others = run->reference_templates;

    for (size_t i = 0; others && i < others->n; ++i) {
        const hone_reference_template *other = &others->items[i];

        if (other->role == HONE_ROLE_BASELINE || !other->tmpl)
            continue;
        hone__pack_string(all, other->name);
        hone__pack_string(all, other->tmpl->sha256);
    }
}

/* There is no source: what refused it decides. */
static void pack_refusal(const hone_tune_impl *impl, const hone_tune_job *job,
                         hone_text *all)
{
    hone__pack_string(all, "refused");
    hone__pack_string(all, impl->tmpl->sha256);
    hone__pack_string(all, hone__text_str(&job->config));
}

hone_status hone__tune_key_write(hone_tune_run *run, hone_tune_impl *impl,
                                 const int64_t *config, hone_tune_job *job,
                                 hone_error *err)
{
    hone_text all = {0};
    hone_status status;

    if (!impl->meaning)
        HONE_TRY(hone__meaning_create(impl->tmpl, &impl->meaning, err));
    hone__pack_string(&all, "meaning 1");
    hone__pack_string(&all, impl->compile_arch);
    hone__pack_string(&all, hone__text_str(&job->options));
    hone__toolchain_pack(&all, hone__farm_toolchain(run->farm));
    pack_references(run, &all);
    if (job->refusal.length) {
        pack_refusal(impl, job, &all);
        status = hone__text_check(&all, err);
    } else {
        status = hone__meaning_write(
            impl->meaning, hone__text_str(&job->source),
            hone__text_str(&job->spec), config, run->request->dims, &all, err);
    }
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, job->key);
    hone__text_free(&all);
    return status;
}

/* ---- variants of earlier texts ------------------------------------------ */

/* One that this text has not changed. */
typedef struct same_variant {
    int64_t variant_id;
    hone_text spec;
    int is_default;
    size_t carried; /* 1 + its place among those that were tried; 0: none */
} same_variant;

typedef struct carry_walk {
    hone_tune_run *run;
    hone_tune_impl *impl;
    int64_t *config; /* scratch */
    char *last;      /* configuration of the row before; NULL: none */
    int is_valid;    /* it is one of this text, and `job` is what it is */
    int is_here;     /* and one of this problem and device */
    hone_tune_job job;
    same_variant *same;
    size_t n_same;
    hone_text types;
} carry_walk;

static void forget_job(hone_tune_job *job)
{
    hone__text_free(&job->config);
    hone__text_free(&job->source);
    hone__text_free(&job->options);
    hone__text_free(&job->spec);
    hone__text_free(&job->refusal);
}

/* What the configuration is with this text, if it is one. */
static hone_status read_config(carry_walk *walk, const char *config,
                               hone_error *err)
{
    hone_tune_impl *impl = walk->impl;
    hone_error why = {0};
    hone_status status;

    if (walk->last && strcmp(walk->last, config) == 0)
        return HONE_OK;
    hone__free(walk->last);
    walk->last = hone__strdup(config);
    if (!walk->last)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    forget_job(&walk->job);
    status = hone__config_parse(impl->tmpl, config, walk->config, &why);
    if (status == HONE_OK)
        status = hone__tune_job_write(walk->run, impl, walk->config, &walk->job,
                                      &why);
    walk->is_valid = status == HONE_OK;
    walk->job.index =
        walk->is_valid ? hone__space_find(impl->space, walk->config) : -1;
    /* A list's space has those of the list only. */
    walk->is_here =
        walk->is_valid &&
        (walk->job.index >= 0 ||
         hone__space_check(impl->space, walk->config, NULL) == HONE_OK);
    return status == HONE_ERR_NO_MEMORY
               ? hone__fail(err, status, "%s", why.text)
               : HONE_OK;
}

static hone_status add_carried(hone_tune_impl *impl, int64_t index,
                               hone_error *err)
{
    if (!HONE_GROW(impl->carried, impl->n_carried))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    impl->carried[impl->n_carried++] = (hone_carried){.index = index};
    return HONE_OK;
}

static hone_status add_same(carry_walk *walk, int64_t variant_id,
                            size_t carried, hone_error *err)
{
    same_variant *same;

    if (!HONE_GROW(walk->same, walk->n_same))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    same = &walk->same[walk->n_same++];
    *same = (same_variant){.variant_id = variant_id, .carried = carried};
    same->is_default =
        walk->is_here ? walk->job.index == walk->impl->default_index : -1;
    hone__text_puts(&same->spec, hone__text_str(&walk->job.spec));
    return hone__text_check(&same->spec, err);
}

static hone_status on_variant(void *user, const hone_db_earlier *variant,
                              hone_error *err)
{
    carry_walk *walk = user;
    hone_tune_impl *impl = walk->impl;
    size_t carried = 0;

    HONE_TRY(read_config(walk, variant->config, err));
    if (!walk->is_valid)
        return HONE_OK;
    if (variant->is_tried && walk->job.index >= 0) {
        if (!impl->n_carried ||
            impl->carried[impl->n_carried - 1].index != walk->job.index)
            HONE_TRY(add_carried(impl, walk->job.index, err));
        carried = impl->n_carried;
    }
    return strcmp(variant->compile_key, walk->job.key) == 0
               ? add_same(walk, variant->variant_id, carried, err)
               : HONE_OK;
}

static hone_status move_same(carry_walk *walk, hone_error *err)
{
    hone_tune_impl *impl = walk->impl;
    hone_status status = HONE_OK;

    for (size_t i = 0; status == HONE_OK && i < walk->n_same; ++i) {
        const same_variant *same = &walk->same[i];
        const hone_db_variant as = {.template_id = impl->template_id,
                                    .launch_plan = hone__text_str(&same->spec),
                                    .is_default = same->is_default};
        int is_moved = 0;

        status = hone__db_variant_move(walk->run->request->db, same->variant_id,
                                       &as, &is_moved, err);
        if (is_moved && same->carried)
            impl->carried[same->carried - 1].is_kept = 1;
    }
    return status;
}

hone_status hone__tune_carry(hone_tune_run *run, hone_tune_impl *impl,
                             hone_error *err)
{
    const hone_db_trial_key key = hone__tune_trial_key(run, impl);
    carry_walk walk = {.run = run, .impl = impl};
    hone_status status;

    walk.config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *walk.config);
    hone__tune_types(impl->tmpl, run->request->dims, &walk.types);
    status = walk.config ? hone__text_check(&walk.types, err)
                         : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK)
        status = hone__db_variants_earlier(
            run->request->db, &key, impl->compile_arch,
            hone__text_str(&walk.types), on_variant, &walk, err);
    if (status == HONE_OK && walk.n_same)
        status = hone__db_begin(run->request->db, err);
    if (status == HONE_OK && walk.n_same)
        status = hone__db_end(run->request->db, move_same(&walk, err), err);
    for (size_t i = 0; i < walk.n_same; ++i)
        hone__text_free(&walk.same[i].spec);
    hone__free(walk.same);
    hone__free(walk.last);
    forget_job(&walk.job);
    hone__text_free(&walk.types);
    hone__free(walk.config);
    return status;
}
