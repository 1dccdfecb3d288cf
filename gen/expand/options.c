/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler options of a configuration, as NVRTC spells them. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "gen/parse/option_table.h"

#include <string.h>

static hone_status write_option(const hone_template *tmpl,
                                const hone_option_row *row,
                                const hone_template_expr *expr,
                                const int64_t *slots, hone_text *out,
                                hone_error *err)
{
    int64_t value;

    HONE_TRY(hone__values_eval(tmpl, expr, slots, &value, err));
    switch (row->kind) {
    case HONE_NVRTC_COUNT:
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
    case HONE_NVRTC_CHOICE:
        hone__text_printf(out, "%s=%s\n", row->spelling,
                          value ? "true" : "false");
        break;
    case HONE_NVRTC_FLAG:
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
    for (size_t r = 0; !status && r < HONE_N_NVRTC_OPTIONS; ++r) {
        for (size_t i = 0; !status && i < tmpl->n_options; ++i) {
            if (!strcmp(tmpl->options[i].name, hone__nvrtc_options[r].name))
                status = write_option(tmpl, &hone__nvrtc_options[r],
                                      &tmpl->options[i].value, slots, out, err);
        }
    }
    hone__free(slots);
    HONE_TRY(status);
    return hone__text_check(out, err);
}
