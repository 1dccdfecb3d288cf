/* SPDX-License-Identifier: Apache-2.0 */
/* Trials that are one search space: see grid_rows.h. */
#include "tools/exchange/grid_rows.h"

#include "runtime/base/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- configurations ---------------------------------------------------------
 */

static hone_status add_value(hone_grid_param *param, const char *value,
                             hone_error *err)
{
    for (size_t i = 0; i < param->n_values; ++i)
        if (strcmp(param->values[i], value) == 0)
            return HONE_OK;
    if (!HONE_GROW(param->values, param->n_values))
        return hone__out_of_memory(err, "");
    param->values[param->n_values] = hone__strdup(value);
    if (!param->values[param->n_values])
        return hone__out_of_memory(err, "");
    ++param->n_values;
    return HONE_OK;
}

/* Its place; a new one stands behind the one that stood before it. */
static hone_status find_param(hone_grid_rows *rows, const char *name,
                              size_t behind, size_t *out, hone_error *err)
{
    hone_grid_param param = {0};

    for (*out = 0; *out < rows->n_params; ++*out)
        if (strcmp(rows->params[*out].name, name) == 0)
            return HONE_OK;
    param.name = hone__strdup(name);
    if (!param.name || !HONE_GROW(rows->params, rows->n_params)) {
        hone__free(param.name);
        return hone__out_of_memory(err, "");
    }
    *out = behind;
    memmove(rows->params + behind + 1, rows->params + behind,
            (rows->n_params - behind) * sizeof param);
    rows->params[behind] = param;
    ++rows->n_params;
    /* Trials before this one did not have it. */
    return rows->n_trials > 1 ? add_value(&rows->params[behind], "", err)
                              : HONE_OK;
}

/* "BM=128,BN=64": the next pair, cut apart. */
static char *next_pair(char **rest, char **out_value)
{
    char *name = *rest;
    char *end = name + strcspn(name, ",");

    if (!*name)
        return NULL;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    *out_value = strchr(name, '=');
    if (*out_value)
        *(*out_value)++ = '\0';
    return name;
}

static hone_status copy_config(hone_grid_rows *rows,
                               const hone_db_value *values, hone_error *err)
{
    hone__text_clear(&rows->config);
    hone__text_append(&rows->config, values[HONE_DB_FIELD_config].text,
                      values[HONE_DB_FIELD_config].size_bytes);
    return hone__text_check(&rows->config, err);
}

static hone_status fail_config(const hone_db_value *values, hone_error *err)
{
    return hone__fail(err, HONE_ERR_DATABASE,
                      "the configuration '%.200s' is not a list of NAME=VALUE",
                      values[HONE_DB_FIELD_config].text);
}

static hone_status learn_config(hone_grid_rows *rows,
                                const hone_db_value *values, hone_error *err)
{
    char *rest = rows->config.data, *value;
    size_t behind = 0, n_found = 0;

    for (char *name; (name = next_pair(&rest, &value)); ++n_found) {
        size_t at;

        if (!value)
            return fail_config(values, err);
        HONE_TRY(find_param(rows, name, behind, &at, err));
        HONE_TRY(add_value(&rows->params[at], value, err));
        behind = at + 1;
    }
    for (size_t i = 0; n_found < rows->n_params && i < rows->n_params; ++i) {
        const char *text = values[HONE_DB_FIELD_config].text;
        const size_t n = strlen(rows->params[i].name);
        int is_there = 0;

        for (const char *at = text; at && *at && !is_there;
             at = strchr(at, ','), at = at ? at + 1 : NULL)
            is_there =
                strncmp(at, rows->params[i].name, n) == 0 && at[n] == '=';
        if (!is_there)
            HONE_TRY(add_value(&rows->params[i], "", err));
    }
    return HONE_OK;
}

/* ---- what they have in common -----------------------------------------------
 */

static const struct {
    hone_db_field_id field;
    size_t at;
    const char *what;
    const char *choose; /* "'" and the value come behind it */
} commons[] = {
    {HONE_DB_FIELD_dims, offsetof(hone_grid_rows, dims), "problems", "--dims "},
    {HONE_DB_FIELD_mode, offsetof(hone_grid_rows, mode), "modes", "--mode "},
    {HONE_DB_FIELD_device_kind, offsetof(hone_grid_rows, device_kind),
     "kinds of devices", "--where device_kind="},
    {HONE_DB_FIELD_device_name, offsetof(hone_grid_rows, device_name),
     "devices", "--where device_name="},
    {HONE_DB_FIELD_driver_version, offsetof(hone_grid_rows, driver_version),
     "drivers", "--where driver_version="},
    {HONE_DB_FIELD_template_name, offsetof(hone_grid_rows, template_name),
     "implementations", "--where template_name="},
    {HONE_DB_FIELD_template_sha256, offsetof(hone_grid_rows, template_sha256),
     "texts of a template", "--where template_sha256="},
    {HONE_DB_FIELD_op, offsetof(hone_grid_rows, op), "operations", ""}};
enum { N_COMMONS = sizeof commons / sizeof commons[0] };

static hone_text *common(hone_grid_rows *rows, size_t i)
{
    return (hone_text *)(void *)((char *)rows + commons[i].at);
}

static hone_status check_common(hone_grid_rows *rows,
                                const hone_db_value *values, hone_error *err)
{
    for (size_t i = 0; i < N_COMMONS; ++i) {
        const char *value = values[commons[i].field].text;
        hone_text *text = common(rows, i);
        hone_text sentence = {0};

        if (rows->n_trials == 1) {
            hone__text_append(text, "", 0);
            hone__text_puts(text, value);
            HONE_TRY(hone__text_check(text, err));
            continue;
        }
        if (strcmp(hone__text_str(text), value) == 0)
            continue;
        hone__text_printf(&sentence,
                          "these trials are of several %s, and a file of this "
                          "format has one; choose with %s",
                          commons[i].what, commons[i].choose);
        hone__shell_word(hone__text_str(text), &sentence);
        hone__text_printf(&sentence, " or ");
        hone__shell_word(value, &sentence);
        return hone__text_fail(&sentence, HONE_ERR_INPUT, err);
    }
    return HONE_OK;
}

/* ---- walking
 * ------------------------------------------------------------------ */

static hone_status learn(void *user, const hone_db_row *row, hone_error *err)
{
    hone_grid_rows *rows = user;

    ++rows->n_trials;
    HONE_TRY(check_common(rows, row->values, err));
    HONE_TRY(copy_config(rows, row->values, err));
    return learn_config(rows, row->values, err);
}

static hone_status walk(hone_grid_rows *rows, hone_db_row_fn each, void *user,
                        hone_error *err)
{
    const hone_export *export = rows->export;

    return hone__db_export(export->db, hone__text_str(&rows->wanted),
                           export->values, export->n_values,
                           export->implementation, each, user, err);
}

/* Numbers ascend, whatever was tried first; others stay. */
static void sort_values(hone_grid_param *param)
{
    double numbers[2];
    char *end;

    for (size_t i = 0; i < param->n_values; ++i) {
        (void)strtod(param->values[i], &end);
        if (*end || !param->values[i][0])
            return;
    }
    for (size_t i = 1; i < param->n_values; ++i) {
        for (size_t at = i; at > 0; --at) {
            char *value = param->values[at];

            numbers[0] = strtod(param->values[at - 1], NULL);
            numbers[1] = strtod(value, NULL);
            if (numbers[0] <= numbers[1])
                break;
            param->values[at] = param->values[at - 1];
            param->values[at - 1] = value;
        }
    }
}

hone_status hone__grid_rows_open(hone_export *export, hone_grid_rows *out,
                                 hone_error *err)
{
    *out = (hone_grid_rows){.export = export};
    hone__text_printf(&out->wanted,
                      "SELECT max(lt.trial_id) AS trial_id FROM trial lt"
                      " JOIN variant lv ON lv.variant_id = lt.variant_id"
                      " JOIN session ls ON ls.session_id = lt.session_id"
                      " WHERE lt.trial_id IN (SELECT trial_id FROM (%s))"
                      " GROUP BY ls.problem_id, ls.device_id, ls.mode,"
                      " lv.template_id, lv.config",
                      export->wanted);
    HONE_TRY(hone__text_check(&out->wanted, err));
    HONE_TRY(walk(out, learn, out, err));
    for (size_t i = 0; i < out->n_params; ++i)
        sort_values(&out->params[i]);
    out->row = hone__alloc((out->n_params + 1) * sizeof *out->row);
    return out->row ? HONE_OK : hone__out_of_memory(err, "");
}

typedef struct grid_walk {
    hone_grid_rows *rows;
    hone_grid_fn *each;
} grid_walk;

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    const grid_walk *w = user;
    hone_grid_rows *rows = w->rows;
    char *rest, *value;

    HONE_TRY(copy_config(rows, row->values, err));
    for (size_t i = 0; i < rows->n_params; ++i)
        rows->row[i] = "";
    rest = rows->config.data;
    for (char *name; (name = next_pair(&rest, &value));)
        for (size_t i = 0; i < rows->n_params; ++i)
            if (strcmp(rows->params[i].name, name) == 0)
                rows->row[i] = value;
    ++rows->export->n_rows;
    return w->each(rows, row->values, err);
}

hone_status hone__grid_rows_each(hone_grid_rows *rows, hone_grid_fn *each,
                                 hone_error *err)
{
    grid_walk w = {rows, each};

    return walk(rows, on_row, &w, err);
}

void hone__grid_rows_free(hone_grid_rows *rows)
{
    for (size_t i = 0; i < rows->n_params; ++i) {
        for (size_t v = 0; v < rows->params[i].n_values; ++v)
            hone__free(rows->params[i].values[v]);
        hone__free(rows->params[i].values);
        hone__free(rows->params[i].name);
    }
    hone__free(rows->params);
    hone__free(rows->row);
    hone__text_free(&rows->config);
    hone__text_free(&rows->wanted);
    for (size_t i = 0; i < N_COMMONS; ++i)
        hone__text_free(common(rows, i));
}
