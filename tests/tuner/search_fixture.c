/* SPDX-License-Identifier: Apache-2.0 */
/* A template that only has a space. */
#include "tests/tuner/search_fixture.h"

#include <stdio.h>
#include <string.h>

static const char head[] = "#pragma hone op f(n) \"x\"\n"
                           "#pragma hone arg x: inout f32[n]\n";
static const char tail[] =
    "#pragma hone launch f grid(1) block(32)\n"
    "extern \"C\" __global__ void f(float *x, long long n) {}\n";

int hone__search_fixture_open(const char *lines, hone_search_fixture *out)
{
    char source[4096];
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_properties properties;

    *out = (hone_search_fixture){0};
    (void)snprintf(source, sizeof source, "%s%s%s", head, lines, tail);
    if (hone__template_read("t.cu", "", source, strlen(source), &out->tmpl,
                            &diagnostics, &err) != HONE_OK ||
        hone__properties_of_arch("sm_90", &properties, &err) != HONE_OK ||
        hone__space_create(out->tmpl, NULL, &properties, &out->space, &err) !=
            HONE_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        hone__search_fixture_close(out);
        return 0;
    }
    out->view = hone__search_space_of(out->space);
    return 1;
}

void hone__search_fixture_close(hone_search_fixture *fixture)
{
    hone__space_free(fixture->space);
    hone__template_free(fixture->tmpl);
}
