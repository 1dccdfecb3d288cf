/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_fixture.h. */
#include "tests/tuner/tune_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
    "#pragma hone op axpy(n) \"y = alpha*x + y, right and wrong\"\n"
    "#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]\n"
    "#pragma hone param KIND in {good, other, wrong, no_compile, aborts, "
    "killed, hangs, odd}\n"
    "#pragma hone launch axpy grid(ceildiv(n, 64)) block(64) "
    "args(alpha, x, y, i64(n))\n"
    "#pragma hone work flops(2*n) bytes(12*n)\n"
    "#pragma hone check cpu.axpy tolerance(4)\n"
    "#if HONE_KIND == HONE_KIND_aborts\n"
    "extern \"C\" void abort(void);\n"
    "#elif HONE_KIND == HONE_KIND_killed\n"
    "extern \"C\" int raise(int);\n"
    "#elif HONE_KIND == HONE_KIND_hangs\n"
    "extern \"C\" int pause(void);\n"
    "#elif HONE_KIND == HONE_KIND_no_compile\n"
    "#error not today\n"
    "#endif\n"
    "extern \"C\" __global__ void axpy(float alpha, const float *x, float *y,"
    " long long n)\n"
    "{\n"
    "    const long long i = blockIdx.x * 64ll + threadIdx.x;\n"
    "    if (i >= n)\n"
    "        return;\n"
    "#if HONE_KIND == HONE_KIND_aborts\n"
    "    abort();\n"
    "#elif HONE_KIND == HONE_KIND_killed\n"
    "    raise(9);\n"
    "#elif HONE_KIND == HONE_KIND_hangs\n"
    "    for (;;)\n"
    "        pause();\n"
    "#endif\n"
    "    float value = alpha * x[i] + y[i];\n"
    "#if HONE_KIND == HONE_KIND_wrong\n"
    "    value = value + 1;\n"
    "#elif HONE_KIND == HONE_KIND_odd\n"
    "    if (n % 2 && i == n - 1)\n"
    "        value = value + 1;\n"
    "#endif\n"
    "    y[i] = value;\n"
    "}\n";

const char *const kinds[N_KINDS] = {
    "KIND=good",   "KIND=other",  "KIND=wrong", "KIND=no_compile",
    "KIND=aborts", "KIND=killed", "KIND=hangs", "KIND=odd"};

seen_search seen;

hone_status __real_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err);
hone_status __real_hone__search_tell(hone_search *search, int64_t index,
                                     double time_ns, hone_error *err);
hone_status __real_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err);
hone_status __wrap_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err);
hone_status __wrap_hone__search_tell(hone_search *search, int64_t index,
                                     double time_ns, hone_error *err);
hone_status __wrap_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err);

hone_status __wrap_hone__search_open(const char *name,
                                     const hone_search_space *space,
                                     const hone_search_options *options,
                                     hone_search **out, hone_error *err)
{
    seen.budget = options->budget_trials;
    return __real_hone__search_open(name, space, options, out, err);
}

hone_status __wrap_hone__search_tell(hone_search *search, int64_t index,
                                     double time_ns, hone_error *err)
{
    told *one = &seen.told[seen.n_told++];

    assert_in_range(seen.n_told, 1, 63);
    *one = (told){index, time_ns, 0};
    for (int i = 0; i < seen.n_asked; ++i)
        one->was_asked |= seen.asked[i] == index;
    return __real_hone__search_tell(search, index, time_ns, err);
}

hone_status __wrap_hone__search_next(hone_search *search, int64_t *out_index,
                                     hone_error *err)
{
    const hone_status status = __real_hone__search_next(search, out_index, err);

    if (!seen.n_asked)
        seen.n_told_first = seen.n_told;
    if (*out_index >= 0)
        seen.asked[seen.n_asked++] = *out_index;
    return status;
}

/* Which kind this configuration is. */
static const char *kind_of(int64_t index)
{
    static char text[64];
    hone_text config = {0};
    int64_t values[8];

    hone__space_get(seen.space, index, values);
    hone__config_format(seen.tmpl, values, NULL, &config);
    (void)snprintf(text, sizeof text, "%s", hone__text_str(&config));
    hone__text_free(&config);
    return text;
}

const told *told_of(const char *kind)
{
    for (int i = 0; i < seen.n_told; ++i) {
        if (strcmp(kind_of(seen.told[i].index), kind) == 0)
            return &seen.told[i];
    }
    return NULL;
}

int times_told(const char *kind)
{
    int n = 0;

    for (int i = 0; i < seen.n_told; ++i)
        n += strcmp(kind_of(seen.told[i].index), kind) == 0;
    return n;
}

void seen_nothing(void)
{
    seen.n_told = seen.n_asked = seen.n_told_first = 0;
}

int tune_fixture_set_up(void **state)
{
    static fixture f;
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_properties properties;
    const int64_t dims[] = {100};

    (void)snprintf(f.folder, sizeof f.folder, "/tmp/hone-test-XXXXXX");
    if (!mkdtemp(f.folder))
        return -1;
    (void)snprintf(f.db_path, sizeof f.db_path, "%s/t.db", f.folder);
    (void)snprintf(f.cache, sizeof f.cache, "%s/cache", f.folder);
    hone__properties_of_host(&properties);
    if (hone__template_read("axpy.cu", "", source, strlen(source), &f.tmpl,
                            &diagnostics, &err) != HONE_OK ||
        hone__space_create(f.tmpl, dims, &properties, &f.space, &err) !=
            HONE_OK)
        return -1;
    seen.tmpl = f.tmpl;
    seen.space = f.space;
    *state = &f;
    return 0;
}

int tune_fixture_tear_down(void **state)
{
    fixture *f = *state;
    char command[128];

    hone__space_free(f->space);
    hone__template_free(f->tmpl);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    return system(command);
}
