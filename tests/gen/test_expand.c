/* SPDX-License-Identifier: Apache-2.0 */
/* Expansion against golden files (HONE_UPDATE_GOLDEN=1 rewrites them), launch
 * plans read back by the runtime, and every allocation failing once. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_body.h"

#include <stdlib.h>

static void compare_golden(const char *path, const hone_text *got)
{
    hone_text want = {0};

    if (getenv("HONE_UPDATE_GOLDEN")) {
        assert_int_equal(hone__file_replace(path, got->data, got->length, NULL),
                         HONE_OK);
        return;
    }
    assert_int_equal(hone__text_read_file(&want, path, NULL), HONE_OK);
    if (strcmp(hone__text_str(&want), hone__text_str(got)) != 0)
        fail_msg("%s differs; this came out:\n%s", path, hone__text_str(got));
    hone__text_free(&want);
}

static hone_template *load_golden(void)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    if (hone__template_load("golden/unroll.cu", "", &t, &d, &err))
        fail_msg("%s", err.text);
    return t;
}

static const struct variant {
    const char *name;
    const char *dims;
    const char *config;
} variants[] = {
    {"default", "100", ""},
    {"scalar", "100,f64", "FORM=scalar,U=1,ACC=f64,FAST=true,OFFSET=3G"},
    {"fast", "100,f16", "FAST=true,U=4,OFFSET=0"},
};

static void golden(void **state)
{
    hone_template *t = load_golden();

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        int64_t config[8];
        int64_t dims[HONE_MAX_DIMS];
        hone_text out = {0};
        hone_error err = {0};
        char path[128];

        assert_int_equal(
            hone__template_parse_dims(t, variants[i].dims, dims, &err),
            HONE_OK);
        assert_int_equal(
            hone__config_parse(t, variants[i].config, config, &err), HONE_OK);
        assert_int_equal(hone__expand_source(t, config, dims, &out, &err),
                         HONE_OK);
        (void)snprintf(path, sizeof path, "golden/unroll.%s.expected",
                       variants[i].name);
        compare_golden(path, &out);
        hone__text_clear(&out);
        assert_int_equal(hone__expand_options(t, config, dims, &out, &err),
                         HONE_OK);
        hone__text_puts(&out, "--\n");
        assert_int_equal(hone__expand_launch_spec(t, config, &out, &err),
                         HONE_OK);
        (void)snprintf(path, sizeof path, "golden/unroll.%s.launch",
                       variants[i].name);
        compare_golden(path, &out);
        hone__text_free(&out);
    }
    hone__template_free(t);
}

/* What the runtime makes of the plan. */
static void launch_plan(void **state)
{
    hone_template *t = load_golden();
    const hone_properties properties = properties_of("sm_90");
    int64_t config[8];
    int64_t dims[HONE_MAX_DIMS] = {1000};
    hone_text text = {0};
    hone_launch_spec *spec = NULL;
    hone_resolved r;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__config_parse(t, "U=2,ACC=f64", config, &err),
                     HONE_OK);
    assert_int_equal(hone__expand_launch_spec(t, config, &text, &err), HONE_OK);
    if (hone__launch_spec_parse(hone__text_str(&text), &spec, &err) ||
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 1, &properties}, &r, &err))
        fail_msg("%s\n%s", err.text, hone__text_str(&text));
    assert_string_equal(spec->op, "unroll");
    assert_int_equal(r.n_dims, 2);
    assert_int_equal(r.dims[1], HONE_TYPE_F32);
    assert_int_equal(r.n_args, 3);
    assert_int_equal(r.args[0].type, HONE_TYPE_F32);
    assert_int_equal(r.args[0].count, 1000);
    assert_int_equal(r.args[2].mode, HONE_ARG_SCALAR);
    assert_int_equal(r.n_workspaces, 1);
    assert_int_equal(r.workspaces[0].size_bytes, 2 * 8);
    assert_true(r.workspaces[0].zero);
    assert_int_equal(r.n_launches, 2);
    assert_int_equal(r.launches[0].shape.grid[0], 2);
    assert_int_equal(r.launches[0].shape.block[0], 256);
    assert_int_equal(r.launches[0].shape.shared_bytes, 2048);
    assert_int_equal(r.launches[0].n_passed, 5);
    assert_int_equal(r.launches[0].passed[3].value, 1000);
    assert_int_equal(r.launches[1].shape.grid[1], 2);
    assert_int_equal(r.launches[1].passed[2].kind, HONE_PASS_I32);
    assert_int_equal(r.launches[1].passed[3].value, 999);
    assert_int_equal(r.flops, 2000);
    assert_int_equal(r.bytes, 8000);
    hone__launch_spec_free(spec);
    hone__text_free(&text);
    hone__template_free(t);
}

static hone_status expand(const char *body, hone_text *out, hone_error *err)
{
    char text[1024];
    const int64_t dims[] = {1};
    hone_template *t;
    hone_status status;
    int64_t config[4];

    (void)snprintf(text, sizeof text,
                   "#pragma hone op o(n)\n#pragma hone param Z in {0, 1}\n"
                   "#pragma hone launch k\n" KERNEL "%s",
                   body);
    t = parse_good(text);
    assert_int_equal(hone__config_parse(t, "", config, NULL), HONE_OK);
    status = hone__expand_source(t, config, dims, out, err);
    if (!status)
        status = hone__expand_options(t, config, dims, out, err);
    hone__template_free(t);
    return status;
}

static void failures(void **state)
{
    static const struct {
        const char *body;
        const char *part;
    } cases[] = {
        {"int a = @{1/Z};", "t.cu:5:11: division by zero in '1/Z'"},
        {"#pragma hone if 1/Z\n#pragma hone endif", "t.cu:5:17: division"},
        {"#pragma hone for I in 0..4 step Z\n#pragma hone endfor",
         "t.cu:5: the step of a 'for' is 0"},
        {"#pragma hone for I in 0..1G\n#pragma hone endfor",
         "runs more than 1048576 times"},
        {"#pragma hone for I in 0..99999\n#pragma hone for J in 0..99999\n"
         "#pragma hone endfor\n#pragma hone endfor",
         "t.cu:6: the 'for', with those before and around it, runs more"},
        {"#pragma hone for I in 0..1M-1\nabcdefghijklmnopqrstuvwxyz\n"
         "#pragma hone endfor",
         "larger than 16 MB"},
        {"#pragma hone option maxrregcount(Z - 1)", "is -1, but must be"},
        {"#pragma hone let L = 1/Z\n#pragma hone let M = L + 1\n"
         "int a = @{Z || M};",
         "t.cu:5:22: division by zero in '1/Z'"},
        {"#pragma hone let L = 1/Z\nint a = L;",
         "t.cu:5:22: division by zero in '1/Z'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_text out = {0};
        hone_error err = {0};

        assert_int_equal(expand(cases[i].body, &out, &err), HONE_ERR_INPUT);
        if (!strstr(err.text, cases[i].part))
            fail_msg("%s", err.text);
        hone__text_free(&out);
    }
}

/* A let that nobody needs cannot fail: neither in the code nor at launch. */
static void lazy_lets(void **state)
{
    hone_template *const t = parse_good(
        "#pragma hone op o(n)\n#pragma hone param X in {0, 1}\n"
        "#pragma hone let PER = 64 / X\n#pragma hone let REST = n % PER\n"
        "#pragma hone workspace w: u8[X ? REST + 1 : 7]\n"
        "#pragma hone launch k grid(X == 0 ? 3 : PER) args(w)\n"
        "#pragma hone work flops(X ? REST : n)\n"
        "extern \"C\" __global__ void k(unsigned char *w)\n{\n"
        "#pragma hone if X && PER > 1\n    w[0] = 1;\n#pragma hone endif\n"
        "}\n");
    const hone_properties properties = properties_of("sm_90");
    const int64_t config[] = {0};
    int64_t dims[HONE_MAX_DIMS] = {100};
    int64_t flops = 0, bytes = 0;
    hone_text source = {0}, plan = {0};
    hone_launch_spec *const spec = read_plan(t, config, &plan);
    const hone_launch_case at = {spec, dims, 1, &properties};
    hone_resolved r;
    hone_error err = {0};

    (void)state;
    if (hone__expand_unit(t, config, dims, &source, &err) ||
        hone__launch_spec_resolve(&at, &r, &err) ||
        hone__launch_work(&at, &flops, &bytes))
        fail_msg("%s", err.text);
    assert_int_equal(r.launches[0].shape.grid[0], 3);
    assert_int_equal(r.workspaces[0].size_bytes, 7);
    assert_int_equal(flops, 100);
    hone__launch_spec_free(spec);
    hone__text_free(&source);
    hone__text_free(&plan);
    hone__template_free(t);
}

static const char *line_of(const char *source, int number)
{
    while (--number)
        source = strchr(source, '\n') + 1;
    return source;
}

/* A parameter that the code does not name is not in its source, however it is
 * spoken of elsewhere; so configurations that differ in it share a cubin. */
static void only_what_is_named(void **state)
{
    static const char text[] =
        "#pragma hone op f(n)\n"
        "#pragma hone arg x: inout f32[n]\n"
        "#pragma hone param IN_CODE in {1, 2}\n"
        "#pragma hone param IN_MACRO in {a, b}\n"
        "#pragma hone param IN_LAUNCH in {32, 64}\n"
        "#pragma hone param IN_COMMENT in {1, 2}\n"
        "#pragma hone param IN_STRING in {1, 2}\n"
        "#pragma hone param PART in {1, 2}\n"
        "#pragma hone launch f grid(1) \\\n"
        "    block(IN_LAUNCH)\n"
        "/* IN_COMMENT */ // IN_COMMENT HONE_IN_COMMENT\n"
        "#if HONE_IN_MACRO == HONE_IN_MACRO_a\n"
        "#endif\n"
        "extern \"C\" __global__ void f(float *x, long long n)\n"
        "{ const char *s = \"\\\" IN_STRING\"; x[IN_CODE] = PARTS; }\n";
    static const struct {
        const char *change;
        int matters;
    } cases[] = {{"IN_CODE=2", 1},    {"IN_MACRO=b", 1},  {"IN_LAUNCH=64", 0},
                 {"IN_COMMENT=2", 0}, {"IN_STRING=2", 0}, {"PART=2", 0}};
    hone_template *t = NULL;
    hone_diagnostics diagnostics;
    int64_t config[8];
    const int64_t dims[] = {1};
    hone_text base = {0};

    (void)state;
    assert_int_equal(hone__template_read("t.cu", "", text, strlen(text), &t,
                                         &diagnostics, NULL),
                     HONE_OK);
    assert_int_equal(hone__config_parse(t, "", config, NULL), HONE_OK);
    assert_int_equal(hone__expand_source(t, config, dims, &base, NULL),
                     HONE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_text other = {0};

        assert_int_equal(hone__config_parse(t, cases[i].change, config, NULL),
                         HONE_OK);
        assert_int_equal(hone__expand_source(t, config, dims, &other, NULL),
                         HONE_OK);
        if ((strcmp(base.data, other.data) != 0) != cases[i].matters)
            fail_msg("%s: matters should be %d", cases[i].change,
                     cases[i].matters);
        hone__text_free(&other);
    }
    hone__text_free(&base);
    hone__template_free(t);
}

/* The number that the compiler gives to each line of text is the one it has
 * in the template. */
static void line_numbers(void **state)
{
    hone_template *t = load_golden();
    int64_t config[8];
    const int64_t dims[] = {1, HONE_TYPE_F32};
    hone_text out = {0};
    int number = 1;
    int n_checked = 0;

    (void)state;
    assert_int_equal(hone__config_parse(t, "U=4", config, NULL), HONE_OK);
    assert_int_equal(hone__expand_source(t, config, dims, &out, NULL), HONE_OK);
    for (const char *line = out.data; *line; ++number) {
        const size_t length = strcspn(line, "\n");
        const char *text = line;
        const char *source;

        line += length + 1;
        if (!strncmp(text, "#line ", 6)) {
            number = atoi(text + 6) - 1;
            continue;
        }
        if (!length || *text == '#' || strchr("[us", *text) ||
            !strncmp(text, "enum", 4))
            continue; /* nothing, or the parameters */
        source = line_of(t->source, number);
        if (memchr(source, '@', strcspn(source, "\n")))
            continue; /* has inserts */
        assert_memory_equal(text, source, length);
        ++n_checked;
    }
    assert_true(n_checked >= 8);
    hone__text_free(&out);
    hone__template_free(t);
}

/* Everything that gen does, in one go. */
static hone_status whole_way(const hone_text *source, hone_text *out)
{
    const hone_properties properties = properties_of("sm_90");
    const int64_t dims[] = {1000, HONE_TYPE_F32};
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_space *space = NULL;
    int64_t config[8];
    hone_status status = hone__template_read("t.cu", "", source->data,
                                             source->length, &t, &d, NULL);

    if (!status)
        status = hone__space_create(t, dims, &properties, &space, NULL);
    if (!status)
        status = hone__space_default(space, config, NULL);
    if (!status)
        status = hone__space_check(space, config, NULL);
    if (!status)
        status = hone__config_parse(t, "U=4,FORM=scalar", config, NULL);
    if (!status)
        status = hone__expand_source(t, config, dims, out, NULL);
    if (!status)
        status = hone__expand_options(t, config, dims, out, NULL);
    if (!status)
        status = hone__expand_launch_spec(t, config, out, NULL);
    hone__space_free(space);
    hone__template_free(t);
    hone__diagnostics_free(&d);
    return status;
}

static void no_memory(void **state)
{
    hone_text source = {0};
    hone_status status = HONE_ERR_NO_MEMORY;
    long n;

    (void)state;
    assert_int_equal(hone__text_read_file(&source, "golden/unroll.cu", NULL),
                     HONE_OK);
    for (n = 0; status != HONE_OK; ++n) {
        hone_text out = {0};

        assert_true(n < 2000);
        hone__alloc_fail_after(n);
        status = whole_way(&source, &out);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK && status != HONE_ERR_NO_MEMORY)
            fail_msg("allocation %ld: status %d", n, (int)status);
        hone__text_free(&out);
    }
    assert_true(n > 50);
    /* The same with a template full of mistakes. */
    for (size_t i = 13; i < source.length; i += 97)
        source.data[i] = '?';
    status = HONE_ERR_NO_MEMORY;
    for (n = 0; status == HONE_ERR_NO_MEMORY; ++n) {
        hone_text out = {0};

        hone__alloc_fail_after(n);
        status = whole_way(&source, &out);
        hone__alloc_fail_after(-1);
        hone__text_free(&out);
    }
    assert_int_equal(status, HONE_ERR_INPUT);
    hone__text_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),       cmocka_unit_test(launch_plan),
        cmocka_unit_test(failures),     cmocka_unit_test(lazy_lets),
        cmocka_unit_test(line_numbers), cmocka_unit_test(only_what_is_named),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
