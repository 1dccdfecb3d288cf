/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory, clusters, cooperative launches, workspaces that are zeroed
 * for each run and types that are parameters: what is parsed, written and
 * read back, and the room in constant memory as a constraint of the space. */
#include "tests/gen/gen_test.h"

#include <stdlib.h>

static hone_template *load_fir(void)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    if (hone__template_load("golden/fir.cu", "", &t, &d, &err))
        fail_msg("%s", err.text);
    return t;
}

static void parsed(void **state)
{
    hone_template *t = load_fir();

    (void)state;
    assert_int_equal(t->workspaces[0].zero, HONE_ZERO_EACH);
    assert_int_equal(t->workspaces[1].zero, HONE_ZERO_ONCE);
    assert_int_equal(t->n_constants, 1);
    assert_string_equal(t->constants[0].name, "taps");
    assert_int_equal(t->constants[0].arg, 1);
    assert_non_null(t->constants[0].condition.expr);
    assert_string_equal(hone__expr_text(t->constants[0].count.expr), "K");
    assert_non_null(t->launches[0].cluster[0].expr);
    assert_null(t->launches[0].cluster[1].expr);
    assert_false(t->launches[0].cooperative);
    assert_true(t->launches[1].cooperative);
    assert_int_equal(t->n_requires, 1);
    assert_non_null(t->requires_[0].bytes.expr);
    assert_true(t->requires_[0].condition.reads_dims);
    hone__template_free(t);
}

static hone_text plan_of(const hone_template *t, const char *config_text)
{
    int64_t config[8];
    hone_text text = {0};
    hone_error err = {0};

    if (hone__config_parse(t, config_text, config, &err) ||
        hone__expand_launch_spec(t, config, &text, &err))
        fail_msg("%s", err.text);
    return text;
}

static void golden(void **state)
{
    static const char path[] = "golden/fir.launch";
    hone_template *t = load_fir();
    hone_text got = plan_of(t, "CLUSTER=16,ACC=f64");
    hone_text want = {0};

    (void)state;
    if (getenv("HONE_UPDATE_GOLDEN"))
        assert_int_equal(hone__file_replace(path, got.data, got.length, NULL),
                         HONE_OK);
    assert_int_equal(hone__text_read_file(&want, path, NULL), HONE_OK);
    assert_string_equal(hone__text_str(&got), hone__text_str(&want));
    hone__text_free(&got);
    hone__text_free(&want);
    hone__template_free(t);
}

static void read_back(const hone_template *t, const char *config,
                      const int64_t *dims, size_t n_dims, hone_resolved *out,
                      hone_launch_spec **spec)
{
    const hone_properties properties = properties_of("sm_90");
    hone_text text = plan_of(t, config);
    hone_error err = {0};

    if (hone__launch_spec_parse(hone__text_str(&text), spec, &err) ||
        hone__launch_spec_resolve(
            &(hone_launch_case){*spec, dims, n_dims, &properties}, out, &err))
        fail_msg("%s\n%s", err.text, hone__text_str(&text));
    hone__text_free(&text);
}

static void resolved(void **state)
{
    const int64_t dims[] = {5000, 31, HONE_TYPE_C64};
    hone_template *t = load_fir();
    hone_launch_spec *spec = NULL;
    hone_resolved r;

    (void)state;
    read_back(t, "CLUSTER=16,ACC=f64", dims, 3, &r, &spec);
    assert_int_equal(r.args[0].type, HONE_TYPE_C64);
    assert_int_equal(r.args[0].size_bytes, 16 * 5000);
    assert_int_equal(r.workspaces[0].size_bytes, 32 * 8);
    assert_int_equal(r.workspaces[0].zero, HONE_ZERO_EACH);
    assert_int_equal(r.workspaces[1].zero, HONE_ZERO_ONCE);
    assert_int_equal(r.n_constants, 1);
    assert_int_equal(r.constants[0].arg, 1);
    assert_int_equal(r.constants[0].size_bytes, 31 * 16);
    assert_int_equal(r.launches[0].shape.grid[0], 32);
    assert_int_equal(r.launches[0].shape.cluster[0], 16);
    assert_int_equal(r.launches[1].shape.cooperative, 1);
    hone__launch_spec_free(spec);
    read_back(t, "TAPS=global_memory", dims, 2, &r, &spec);
    assert_int_equal(r.workspaces[0].size_bytes, 20 * 4);
    assert_int_equal(r.n_constants, 0);
    assert_int_equal(r.launches[0].shape.cluster[0], 1);
    hone__launch_spec_free(spec);
    hone__template_free(t);
}

/* What needs nothing new is written as it was. */
static void lowest_version(void **state)
{
    static const struct {
        const char *text;
        int version;
    } rows[] = {
        {"#pragma hone launch k\n", 1},
        {"#pragma hone workspace w: f32[n] zero\n#pragma hone launch k\n", 1},
        {"#pragma hone workspace w: f32[n] zero each\n"
         "#pragma hone launch k\n",
         2},
        {"#pragma hone launch k cluster(1)\n", 2},
        {"#pragma hone launch k cooperative\n", 2},
        {"#pragma hone launch k early\n", 8},
        {"#pragma hone arg h: in f32[n]\n"
         "#pragma hone constant c: f32[n] from h\n"
         "#pragma hone launch k\n__constant__ float c[4];\n",
         2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        char first[32];
        hone_template *t;
        hone_text plan;

        (void)snprintf(text, sizeof text, "#pragma hone op o(n)\n%s" KERNEL,
                       rows[i].text);
        (void)snprintf(first, sizeof first, "hone-launch %d\n",
                       rows[i].version);
        t = parse_good(text);
        plan = plan_of(t, "");
        assert_memory_equal(plan.data, first, strlen(first));
        hone__text_free(&plan);
        hone__template_free(t);
    }
}

/* ---- the room in constant memory ----------------------------------------
 */

static void try_config(const hone_template *t, const hone_space *space,
                       const char *config_text, const char *part)
{
    int64_t config[8];
    hone_error err = {0};
    const hone_status wanted = part ? HONE_ERR_CONSTRAINT : HONE_OK;

    assert_int_equal(hone__config_parse(t, config_text, config, &err), HONE_OK);
    if (hone__space_check(space, config, &err) != wanted ||
        (part && !strstr(err.text, part)))
        fail_msg("%s: %s", config_text, err.text);
}

static void too_large_a_filter(void **state)
{
    const hone_properties properties = properties_of("sm_90");
    int64_t dims[] = {1000, 16384, HONE_TYPE_F32};
    hone_template *t = load_fir();
    hone_space *space = NULL;

    (void)state;
    assert_int_equal(hone__space_create(t, dims, &properties, &space, NULL),
                     HONE_OK);
    assert_int_equal(space->count, 12);
    try_config(t, space, "", NULL);
    hone__space_free(space);
    ++dims[1];
    assert_int_equal(hone__space_create(t, dims, &properties, &space, NULL),
                     HONE_OK);
    assert_int_equal(space->count, 6);
    try_config(t, space, "TAPS=global_memory", NULL);
    try_config(t, space, "",
               "taps must fit the 65536 bytes of constant memory; this "
               "configuration takes 65540");
    hone__space_free(space);
    /* Unknown sizes: decided at launch. */
    assert_int_equal(hone__space_create(t, NULL, &properties, &space, NULL),
                     HONE_OK);
    assert_int_equal(space->count, 12);
    hone__space_free(space);
    hone__template_free(t);
}

static void no_configuration_fits(void **state)
{
    const hone_properties properties = properties_of("sm_90");
    const int64_t dims[] = {8193};
    hone_template *t = parse_good(
        "#pragma hone op o(n)\n#pragma hone param A in {1, 2}\n"
        "#pragma hone arg h: in f32[n], g: in f32[n]\n"
        "#pragma hone constant c: f32[n] from h\n"
        "#pragma hone constant d: f32[n] from g\n"
        "#pragma hone launch k\n__constant__ float c[4], d[4];\n" KERNEL);
    hone_space *space = NULL;
    hone_error err = {0};
    int64_t config[1];

    (void)state;
    assert_int_equal(hone__space_create(t, dims, &properties, &space, &err),
                     HONE_OK);
    assert_int_equal(space->count, 0);
    assert_int_equal(hone__space_default(space, config, &err),
                     HONE_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "t.cu:4:30: '(n)*sizeof(f32) + "
                                     "(n)*sizeof(f32) <= 65536' (c and d must "
                                     "fit the 65536 bytes of constant "
                                     "memory) rejects every configuration"));
    hone__space_free(space);
    hone__template_free(t);
}

static void any_allocation_may_fail(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    (void)state;
    for (; status != HONE_OK && n < 5000; ++n) {
        hone_template *t = NULL;
        hone_diagnostics d = {0};
        hone_error err = {0};

        hone__alloc_fail_after(n);
        status = hone__template_load("golden/fir.cu", "", &t, &d, &err);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        hone__diagnostics_free(&d);
        hone__template_free(t);
    }
    assert_in_range(n, 20, 4999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parsed),
        cmocka_unit_test(golden),
        cmocka_unit_test(resolved),
        cmocka_unit_test(lowest_version),
        cmocka_unit_test(too_large_a_filter),
        cmocka_unit_test(no_configuration_fits),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
