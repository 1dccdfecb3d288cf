/* SPDX-License-Identifier: Apache-2.0 */
/* The table of compiler options and the NVRTC text of a configuration. */
#include "gen/expand/options.h"

#include "gen/expand/expand.h"
#include "gen/expand/values.h"

#include <string.h>

const hone_option_row hone__options[HONE_N_OPTIONS] = {
#define OPTION_ROW(name, spelling, kind) {#name, spelling, kind},
    HONE_OPTION_MAP(OPTION_ROW)
#undef OPTION_ROW
};

const hone_option_row *hone__option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < HONE_N_OPTIONS; ++i) {
        if (strlen(hone__options[i].name) == length &&
            !memcmp(hone__options[i].name, name, length))
            return &hone__options[i];
    }
    return NULL;
}

static hone_status write_option(const hone_template *tmpl,
                                const hone_option_row *row,
                                const hone_template_expr *expr,
                                const int64_t *slots, hone_text *out,
                                hone_error *err)
{
    int64_t value;

    HONE_TRY(hone__values_eval(tmpl, expr, slots, &value, err));
    switch (row->kind) {
    case HONE_OPTION_COUNT:
        if (value < 0 || value > 255)
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s:%d: %s(%s) is %lld, but must be 0 (leave "
                              "it to the compiler) to 255",
                              tmpl->path, expr->line, row->name,
                              hone__expr_text(expr->expr), (long long)value);
        if (value)
            hone__text_printf(out, "%s=%lld\n", row->spelling,
                              (long long)value);
        break;
    case HONE_OPTION_CHOICE:
        hone__text_printf(out, "%s=%s\n", row->spelling,
                          value ? "true" : "false");
        break;
    case HONE_OPTION_FLAG:
        if (value)
            hone__text_printf(out, "%s\n", row->spelling);
        break;
    }
    return HONE_OK;
}

hone_status hone__expand_options(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_text *out, hone_error *err)
{
    int64_t *slots = NULL;
    hone_status status = hone__values_create(tmpl, config, dims, &slots, err);

    /* In the order of the table, which is sorted by spelling. */
    for (size_t r = 0; !status && r < HONE_N_OPTIONS; ++r) {
        for (size_t i = 0; !status && i < tmpl->n_options; ++i) {
            if (!strcmp(tmpl->options[i].name, hone__options[r].name))
                status = write_option(tmpl, &hone__options[r],
                                      &tmpl->options[i].value, slots, out, err);
        }
    }
    hone__free(slots);
    HONE_TRY(status);
    return hone__text_check(out, err);
}
