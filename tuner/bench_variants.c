/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of `hone bench`: see bench_variants.h. */
#include "tuner/bench_variants.h"

#include "gen/expand/expand.h"
#include "runtime/base/alloc.h"
#include "tuner/compile/compiler_kind.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
    const hone_stage *stage;
    const hone_tuned *tuned;
    size_t n_configs;
    hone_bench_variants *out;
    hone_text types;
    hone_db *db; /* NULL: there is none */
} reader;

static hone_bench_variant *add(reader *r, const char *name)
{
    hone_bench_variant *variant = &r->out->items[r->out->n++];

    variant->name = name;
    return variant;
}

static void forget(hone_bench_variant *variant)
{
    hone__text_free(&variant->config);
    hone__text_free(&variant->spec);
    hone__text_free(&variant->cubin);
    hone__text_free(&variant->source);
    hone__text_free(&variant->options);
    hone__text_free(&variant->log);
    memset(variant, 0, sizeof *variant);
}

/* ---- from the database -------------------------------------------------- */

static const char winner_sql[] =
    "SELECT config, variant_id, time_ns, is_default, template_sha256,"
    " template_name FROM winner_v1 WHERE op = ?1 AND dims = ?2 AND mode = ?3"
    " AND device_kind = ?4 AND arch = ?5 AND sm_count = ?6"
    " ORDER BY device_name <> ?7, session_id DESC LIMIT 1";

static const char default_sql[] =
    "SELECT config, variant_id, 0.0, 1, template_sha256, implementation"
    " FROM default_v2 WHERE op = ?1 AND arch = ?2 AND types = ?3"
    " AND implementation = ?4";

static const char best_sql[] =
    "SELECT v.config, v.variant_id, r.time_ns, v.is_default, t.sha256, t.name"
    " FROM ranking r JOIN problem p ON p.problem_id = r.problem_id"
    " JOIN device d ON d.device_id = r.device_id"
    " JOIN trial x ON x.trial_id = r.trial_id"
    " JOIN variant v ON v.variant_id = x.variant_id"
    " JOIN template t ON t.template_id = v.template_id"
    " WHERE p.op = ?1 AND p.dims = ?2 AND r.mode = ?3 AND d.kind = ?4"
    " AND d.arch = ?5 AND d.sm_count = ?6 AND t.name = ?8"
    " ORDER BY d.name <> ?7, r.session_id DESC, r.rank LIMIT 1";

static const char config_sql[] =
    "SELECT v.config, v.variant_id, 0.0, v.is_default, t.sha256, t.name"
    " FROM variant v JOIN template t ON t.template_id = v.template_id"
    " WHERE t.op = ?1 AND t.sha256 = ?2 AND v.config = ?3 AND v.arch = ?4"
    " AND v.types = ?5 AND v.outcome = 'ok' AND v.cubin_sha256 IS NOT NULL"
    " ORDER BY v.toolchain_id DESC, v.variant_id DESC LIMIT 1";

typedef struct found_row {
    const hone_tuned *tuned;
    hone_bench_variant *variant;
    int64_t variant_id;        /* 0: none was found */
    const hone_template *tmpl; /* what can be compiled now; NULL: it cannot */
} found_row;

static hone_status take_row(void *user, const hone_db_row *row, hone_error *err)
{
    found_row *found = user;
    hone_bench_variant *out = found->variant;

    hone__text_clear(&out->config);
    hone__text_puts(&out->config, row->values[0].text);
    found->variant_id = row->values[1].integer;
    out->time_ns = row->values[2].real;
    out->is_default = row->values[3].integer != 0;
    for (size_t i = 0; i < found->tuned->n_impls; ++i) {
        if (strcmp(row->values[4].text, found->tuned->impls[i]->sha256) == 0)
            found->tmpl = found->tuned->impls[i];
    }
    (void)snprintf(out->implementation, sizeof out->implementation, "%.63s",
                   row->values[5].text);
    return hone__text_check(&out->config, err);
}

/* Its source, to be compiled with the others that have one. */
static hone_status expand(const reader *r, const hone_template *tmpl,
                          const int64_t *config, hone_bench_variant *variant,
                          hone_error *err)
{
    const hone_tuned *tuned = r->tuned;

    variant->tmpl = tmpl;
    HONE_TRY(hone__variant_source(tmpl, config, tuned->dims,
                                  tuned->farm.backend, &variant->source,
                                  &variant->options, err));
    return hone__expand_launch_spec(tmpl, config, &variant->spec, err);
}

/* What somebody names, or named once, may be anything that is right. */
static hone_status create_space(const reader *r, const hone_template *tmpl,
                                hone_space **out, hone_error *err)
{
    return hone__space_create_whole(tmpl, r->tuned->dims,
                                    &r->stage->device.properties, out, err);
}

/* What is stored of it is damaged. */
static hone_status compile_again(const reader *r, const hone_template *tmpl,
                                 hone_bench_variant *variant, hone_error *err)
{
    hone_space *space = NULL;
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_status status =
        config ? hone__config_parse(tmpl, hone__text_str(&variant->config),
                                    config, err)
               : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");

    if (status == HONE_OK)
        status = create_space(r, tmpl, &space, err);
    if (status == HONE_OK)
        status = hone__space_check(space, config, err);
    if (status == HONE_OK)
        status = expand(r, tmpl, config, variant, err);
    hone__space_free(space);
    hone__free(config);
    variant->is_renewed = 1;
    return status;
}

/* Run one of the queries into `variant`. `*out_found` is 0 if it has no row,
 * or there is no database. */
static hone_status look_up(reader *r, const char *sql,
                           const hone_db_value *params, size_t n_params,
                           hone_bench_variant *variant, int *out_found,
                           hone_error *err)
{
    found_row row = {.tuned = r->tuned, .variant = variant};
    hone_db_launch launch;
    hone_error why = {0};
    hone_error again = {0};
    hone_status status;

    *out_found = 0;
    if (!r->db)
        return HONE_OK;
    HONE_TRY(hone__db_query(r->db, sql, params, n_params, take_row, &row, err));
    if (!row.variant_id)
        return HONE_OK;
    *out_found = 1;
    status = hone__db_launch_get(r->db, row.variant_id, &launch, &why);
    if (status == HONE_OK) {
        hone__text_free(&variant->config);
        variant->config = launch.config; /* moved, all three */
        variant->spec = launch.launch_plan;
        variant->cubin = launch.cubin;
        return HONE_OK;
    }
    if (hone__db_is_damage(&why) && row.tmpl)
        status = compile_again(r, row.tmpl, variant, &again);
    if (status != HONE_OK)
        *err = status == HONE_ERR_NO_MEMORY ? again : why;
    return status == HONE_OK || status == HONE_ERR_NO_MEMORY ? status
                                                             : why.status;
}

/* A damaged one of another template cannot be compiled again: where it is
 * `dispensable`, it is as if it had not been found. */
static hone_status forgive(hone_status status, int dispensable, int *found,
                           hone_error *err)
{
    if (status == HONE_OK || !dispensable || !hone__db_is_damage(err))
        return status;
    hone__error_clear(err);
    *found = 0;
    return HONE_OK;
}

static hone_status nothing_tuned(const reader *r, hone_error *err)
{
    const hone_tuned *tuned = r->tuned;
    hone_text label = {0};
    hone_status status;

    hone__template_label_dims(r->stage->tmpl, tuned->dims, &label);
    status = hone__fail(err, HONE_ERR_NOT_FOUND,
                        "nothing is tuned for %s %s (%s) on %s in %s; run: "
                        "hone tune %s",
                        r->stage->tmpl->op, hone__text_str(&label),
                        hone__mode_name(tuned->mode), r->stage->device.name,
                        hone__text_str(&tuned->db_path), r->stage->tmpl->op);
    hone__text_free(&label);
    return status;
}

/* A row of a ranking of this problem: with `implementation` the best of that
 * one, else the winner. */
static hone_status look_up_ranked(reader *r, const char *implementation,
                                  hone_bench_variant *variant, int *out_found,
                                  hone_error *err)
{
    const hone_tuned *tuned = r->tuned;
    const hone_device_report *device = &r->stage->device;
    hone_text dims = {0};
    hone_status status;

    hone__db_dims_text(tuned->dims, r->stage->tmpl->n_dims, &dims);
    status = hone__text_check(&dims, err);
    if (status == HONE_OK) {
        const hone_db_value params[] = {
            hone__db_text(r->stage->tmpl->op),
            hone__db_text(hone__text_str(&dims)),
            hone__db_text(hone__mode_name(tuned->mode)),
            hone__db_text(r->stage->kind->name),
            hone__db_text(device->arch),
            hone__db_integer(device->properties.value[HONE_PROPERTY_sm_count]),
            hone__db_text(device->name),
            hone__db_text(implementation)};

        status = look_up(r, implementation ? best_sql : winner_sql, params,
                         implementation ? 8 : 7, variant, out_found, err);
    }
    hone__text_free(&dims);
    return status;
}

static hone_status read_winner(reader *r, hone_error *err)
{
    hone_status status =
        look_up_ranked(r, NULL, add(r, "winner"), &r->out->has_winner, err);

    status = forgive(status, r->n_configs > 0, &r->out->has_winner, err);
    if (status != HONE_OK || r->out->has_winner)
        return status;
    forget(&r->out->items[--r->out->n]);
    return r->n_configs ? HONE_OK : nothing_tuned(r, err);
}

/* A random search may not have come to the default: no row then. */
static hone_status read_default(reader *r, hone_error *err)
{
    const hone_db_value params[] = {
        hone__db_text(r->stage->tmpl->op), hone__db_text(r->stage->device.arch),
        hone__db_text(hone__text_str(&r->types)),
        hone__db_text(hone__template_name(r->stage->tmpl))};
    int found = 0;

    if (!r->out->has_winner ||
        (r->out->items[0].is_default &&
         strcmp(r->out->items[0].implementation,
                hone__template_name(r->stage->tmpl)) == 0))
        return HONE_OK;
    HONE_TRY(forgive(look_up(r, default_sql, params,
                             sizeof params / sizeof params[0],
                             add(r, "default"), &found, err),
                     1, &found, err));
    if (!found)
        forget(&r->out->items[--r->out->n]);
    return HONE_OK;
}

/* The best of each other implementation: how good it is for itself. */
static hone_status read_others(reader *r, hone_error *err)
{
    const hone_tuned *tuned = r->tuned;

    for (size_t i = 0;
         r->out->has_winner && tuned->n_impls > 1 && i < tuned->n_impls &&
         r->out->n < HONE_MAX_BENCH_VARIANTS;
         ++i) {
        const char *name = hone__template_name(tuned->impls[i]);
        int found = 0;

        if (strcmp(name, r->out->items[0].implementation) == 0)
            continue;
        HONE_TRY(
            forgive(look_up_ranked(r, name, add(r, "best of"), &found, err), 1,
                    &found, err));
        if (!found)
            forget(&r->out->items[--r->out->n]);
    }
    return HONE_OK;
}

/* ---- configurations that were asked for --------------------------------- */

/* Another implementation may have parameters of the same names. */
static int is_there(const hone_bench_variants *variants,
                    const char *implementation, const char *config)
{
    for (int i = 0; i < variants->n; ++i) {
        const hone_bench_variant *v = &variants->items[i];

        /* Theirs may be cut. */
        if (strncmp(v->implementation, implementation,
                    sizeof v->implementation - 1) == 0 &&
            strcmp(hone__text_str(&v->config), config) == 0)
            return 1;
    }
    return 0;
}

static hone_status read_config(reader *r, const hone_space *space,
                               const hone_bench_config *config, hone_error *err)
{
    const hone_template *tmpl = config->tmpl;
    const char *name = hone__template_name(tmpl);
    hone_bench_variant *variant;
    char arch[16]; /* that it is compiled for */
    hone_text text = {0};
    hone_status status;
    int found = 0;

    hone__arch_for(tmpl, r->stage->device.arch, arch);
    HONE_TRY(hone__space_check(space, config->values, err));
    hone__space_format(space, config->values, &text);
    status = hone__text_check(&text, err);
    if (status != HONE_OK || is_there(r->out, name, hone__text_str(&text))) {
        hone__text_free(&text);
        return status;
    }
    variant = add(r, "config");
    variant->config = text; /* moved */
    (void)snprintf(variant->implementation, sizeof variant->implementation,
                   "%.63s", name);
    {
        const hone_db_value params[] = {
            hone__db_text(tmpl->op), hone__db_text(tmpl->sha256),
            hone__db_text(hone__text_str(&text)), hone__db_text(arch),
            hone__db_text(hone__text_str(&r->types))};

        HONE_TRY(look_up(r, config_sql, params,
                         sizeof params / sizeof params[0], variant, &found,
                         err));
    }
    return found ? HONE_OK : expand(r, tmpl, config->values, variant, err);
}

static hone_status read_configs(reader *r, const hone_bench_config *configs,
                                hone_error *err)
{
    const hone_template *of = NULL;
    hone_space *space = NULL;
    hone_status status = HONE_OK;

    for (size_t i = 0; status == HONE_OK && i < r->n_configs; ++i) {
        if (configs[i].tmpl != of) {
            hone__space_free(space);
            space = NULL;
            of = configs[i].tmpl;
            status = create_space(r, of, &space, err);
        }
        if (status == HONE_OK)
            status = read_config(r, space, &configs[i], err);
    }
    hone__space_free(space);
    return status;
}

/* ---- all of it ---------------------------------------------------------- */

static hone_status open_db(reader *r, hone_error *err)
{
    const hone_status status = hone__db_open(hone__text_str(&r->tuned->db_path),
                                             HONE_DB_READONLY, &r->db, err);

    if (status != HONE_ERR_NOT_FOUND || !r->n_configs)
        return status;
    hone__error_clear(err); /* then nothing is tuned, which is all right */
    return HONE_OK;
}

hone_status hone__bench_variants_read(const hone_stage *stage,
                                      const hone_bench_config *configs,
                                      size_t n_configs,
                                      hone_bench_variants *out, hone_error *err)
{
    reader r = {.stage = stage,
                .tuned = stage->tuned,
                .n_configs = n_configs,
                .out = out};
    hone_status status;

    memset(out, 0, sizeof *out);
    hone__tune_types(r.stage->tmpl, r.tuned->dims, &r.types);
    status = hone__text_check(&r.types, err);
    if (status == HONE_OK)
        status = open_db(&r, err);
    if (status == HONE_OK)
        status = read_winner(&r, err);
    if (status == HONE_OK)
        status = read_default(&r, err);
    if (status == HONE_OK)
        status = read_others(&r, err);
    if (status == HONE_OK)
        status = read_configs(&r, configs, err);
    hone__db_close(r.db);
    hone__text_free(&r.types);
    return status == HONE_OK ? hone__bench_variants_compile(stage, out, err)
                             : status;
}

void hone__bench_variants_free(hone_bench_variants *variants)
{
    for (int i = 0; i < HONE_MAX_BENCH_VARIANTS; ++i)
        forget(&variants->items[i]);
}
