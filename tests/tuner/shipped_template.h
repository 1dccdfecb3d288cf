/* SPDX-License-Identifier: Apache-2.0 */
/* A template of ours, for tests that run in their folder. Behind cmocka. */
#ifndef HONE_TESTS_TUNER_SHIPPED_TEMPLATE_H
#define HONE_TESTS_TUNER_SHIPPED_TEMPLATE_H

#include "gen/parse/parse.h"

#include <stdio.h>

/* "gemm/gemm_simt.cu"; free it with hone__template_free(). */
static inline hone_template *shipped_template(const char *name)
{
    static const char templates[] = "../../templates";
    hone_diagnostics diagnostics = {0};
    hone_template *tmpl = NULL;
    hone_error err = {0};
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", templates, name);
    if (hone__template_load(path, templates, &tmpl, &diagnostics, &err))
        fail_msg("%s", err.text);
    return tmpl;
}

#endif
