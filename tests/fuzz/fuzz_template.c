/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: read, spelled, expanded for their default configuration. The
 * launch plan that comes out has to be one that the runtime reads. */
#include "gen/expand/expand.h"
#include "gen/expand/meaning.h"
#include "gen/space.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void expand(const hone_template *t)
{
    int64_t config[HONE_GRAPH_VARS];
    int64_t dims[HONE_MAX_DIMS];
    hone_text text = {0}, plan = {0};
    hone_launch_spec *spec = NULL;
    hone_error err = {0};

    for (size_t i = 0; i < t->n_dims; ++i)
        dims[i] = t->dims[i].n_types ? t->dims[i].types[0] : 1000;
    if (hone__config_parse(t, "", config, &err) != HONE_OK)
        return;
    hone__config_format(t, config, NULL, &text);
    (void)hone__expand_unit(t, config, dims, &text, &err);
    (void)hone__expand_source(t, config, dims, &text, &err);
    (void)hone__expand_options(t, config, dims, &text, &err);
    if (hone__expand_launch_spec(t, config, &plan, &err) == HONE_OK) {
        const hone_status status =
            hone__launch_spec_parse(hone__text_str(&plan), &spec, &err);

        if (status != HONE_OK)
            (void)fprintf(stderr, "%s\n%s\n", err.text, hone__text_str(&plan));
        FUZZ_HOLDS(status == HONE_OK);
    }
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    hone_diagnostics diagnostics;
    hone_template *t = NULL;
    hone_text shown = {0};
    hone_error err = {0};
    char *text = malloc(size_bytes + 1);

    if (!text)
        return 0;
    memcpy(text, data, size_bytes);
    text[size_bytes] = '\0';
    if (hone__template_read("t.cu", "", text, size_bytes, &t, &diagnostics,
                            &err) == HONE_OK)
        expand(t);
    else
        hone__diagnostics_format(&diagnostics, "t.cu", text, &shown);
    hone__diagnostics_free(&diagnostics);
    hone__template_free(t);
    hone__text_free(&shown);
    free(text);
    return 0;
}
