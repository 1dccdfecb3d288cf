/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the program that its output does not show without a GPU: which
 * --dims belong to which template, lists, budgets and devices, exit codes,
 * values as text and CSV. */
#include "runtime/base/alloc.h"
#include "tools/base/arguments.h"
#include "tools/base/exit_code.h"
#include "tools/base/json.h"
#include "tools/base/option_value.h"
#include "tools/base/progress.h"
#include "tools/inputs/references.h"
#include "tools/tune_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ARGS = 24 };
#define MINI "fixtures/mini.cu"
#define EMPTY "fixtures/empty_space.cu"

/* Parse "hone WORDS", split at blanks. `storage` keeps the words. */
static hone_status parse(const char *words, char storage[512],
                         hone_options *out, hone_error *err)
{
    char *argv[MAX_ARGS + 1] = {NULL};
    int argc = 0;
    char *rest = storage, *word;

    assert_true(strlen(words) + 6 < 512);
    memcpy(storage, "hone ", 5);
    memcpy(storage + 5, words, strlen(words) + 1);
    while ((word = strtok_r(rest, " ", &rest)) && argc < MAX_ARGS)
        argv[argc++] = word;
    return hone__options_parse(argc, argv, out, err);
}

/* Tune's shapes as "op:n op:n ..", the first dimension of each. */
static hone_status shapes_of(const char *words, hone_text *out, hone_error *err)
{
    char storage[512];
    hone_options options;
    hone_shapes shapes = {0};
    hone_status status = parse(words, storage, &options, err);

    if (status == HONE_OK)
        status = hone__shapes_read(&options, &shapes, err);
    for (size_t i = 0; status == HONE_OK && i < shapes.n; ++i)
        hone__text_printf(out, "%s%s:%lld", i ? " " : "",
                          shapes.items[i].tmpl->op,
                          (long long)shapes.items[i].dims[0]);
    hone__shapes_free(&shapes);
    hone__options_free(&options);
    return status;
}

static void assert_shapes(const char *words, const char *wanted)
{
    hone_text text = {0};
    hone_error err = {0};
    const hone_status status = shapes_of(words, &text, &err);

    if (status != HONE_OK)
        print_message("%s: %s\n", words, err.text);
    assert_int_equal(status, HONE_OK);
    assert_string_equal(hone__text_str(&text), wanted);
    hone__text_free(&text);
}

static void dims_belong_to_the_templates_before_them(void **state)
{
    (void)state;
    assert_shapes("tune " MINI " --dims 7", "mini:7");
    assert_shapes("tune --dims 7 " MINI, "mini:7");
    assert_shapes("tune " MINI " " EMPTY " --dims 7 --dims 1K",
                  "mini:7 mini:1024 empty:7 empty:1024");
    assert_shapes("tune " MINI " --dims 7 " EMPTY " --dims 8",
                  "mini:7 empty:8");
    assert_shapes("tune --dims 5 " MINI " --dims 7 " EMPTY " --dims 8",
                  "mini:5 mini:7 empty:8");
    /* Twice the same is one problem; one template twice is one template. */
    assert_shapes("tune " MINI " --dims 7 --dims 7,f32 " MINI " --dims 8",
                  "mini:7 mini:8");
}

static void a_template_without_problem_is_refused(void **state)
{
    hone_text text = {0};
    hone_error err = {0};

    (void)state;
    assert_int_equal(shapes_of("tune " MINI " --dims 7 " EMPTY, &text, &err),
                     HONE_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "'empty'"));
    assert_int_equal(shapes_of("tune " MINI " --dims 7,7", &text, &err),
                     HONE_ERR_DIMS);
    hone__text_free(&text);
}

static void no_memory_is_a_status(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;

    (void)state;
    for (long n = 0; status != HONE_OK && n < 5000; ++n) {
        hone_text text = {0};
        hone_error err = {0};

        hone__alloc_fail_after(n);
        status = shapes_of("tune " MINI " --dims 7", &text, &err);
        hone__alloc_fail_after(-1);
        hone__text_free(&text);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
    }
    assert_int_equal(status, HONE_OK);
}

/* An option that may be repeated keeps every value, in order. */
static void configs_are_a_list(void **state)
{
    char storage[512];
    hone_options options;
    hone_error err = {0};

    (void)state;
    assert_int_equal(parse("bench x --dims 7 --config A=1 -c B=2 --config=A=3",
                           storage, &options, &err),
                     HONE_OK);
    assert_string_equal(hone__options_listed(&options, HONE_OPT_CONFIG, 0),
                        "A=1");
    assert_string_equal(hone__options_listed(&options, HONE_OPT_CONFIG, 1),
                        "B=2");
    assert_string_equal(hone__options_listed(&options, HONE_OPT_CONFIG, 2),
                        "A=3");
    assert_null(hone__options_listed(&options, HONE_OPT_CONFIG, 3));
    assert_null(hone__options_listed(&options, HONE_OPT_DIMS, 0));
    assert_string_equal(options.text[HONE_OPT_CONFIG], "A=3");
    assert_int_equal(options.n_args, 1);
    hone__options_free(&options);
    assert_int_equal(parse("expand x", storage, &options, &err), HONE_OK);
    assert_null(hone__options_listed(&options, HONE_OPT_CONFIG, 0));
    hone__options_free(&options);
}

static hone_status budget(const char *words, int64_t *trials, double *s)
{
    char storage[512];
    hone_options options;
    hone_error err = {0};
    hone_status status = parse(words, storage, &options, &err);

    assert_int_equal(status, HONE_OK);
    status = hone__option_budget(&options, trials, s, &err);
    hone__options_free(&options);
    return status;
}

static void budgets_are_trials_or_time(void **state)
{
    static const char *const bad[] = {
        "0", "0s", "-3", "3x", "s", "1e999s", "nans", "99999999999999999999"};
    int64_t trials;
    double s;

    (void)state;
    assert_int_equal(budget("tune x", &trials, &s), HONE_OK);
    assert_int_equal(trials, 0);
    assert_true(s == 0);
    assert_int_equal(budget("tune x --budget 200", &trials, &s), HONE_OK);
    assert_int_equal(trials, 200);
    assert_true(s == 0);
    assert_int_equal(budget("tune x --budget 1.5m", &trials, &s), HONE_OK);
    assert_int_equal(trials, 0);
    assert_true(s == 90);
    assert_int_equal(budget("tune x --budget 2h", &trials, &s), HONE_OK);
    assert_true(s == 7200);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char words[64] = "tune x --budget ";

        memcpy(words + strlen(words), bad[i], strlen(bad[i]) + 1);
        if (budget(words, &trials, &s) != HONE_ERR_ARGUMENT)
            fail_msg("--budget %s was taken", bad[i]);
    }
}

static void devices_have_an_ordinal(void **state)
{
    static const struct {
        const char *words;
        hone_status status;
        int ordinal;
    } cases[] = {
        {"run x", HONE_OK, 0},
        {"run x --device cuda", HONE_OK, 0},
        {"run x --device cuda:3", HONE_OK, 3},
        {"run x --device cuda:", HONE_ERR_ARGUMENT, 0},
        {"run x --device cuda:-1", HONE_ERR_ARGUMENT, 0},
        {"run x --device cuda:1x", HONE_ERR_ARGUMENT, 0},
        {"run x --device gpu", HONE_ERR_ARGUMENT, 0},
        {"run x --device cpu", HONE_OK, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char storage[512];
        hone_options options;
        hone_error err = {0};
        hone_backend backend = HONE_BACKEND_CUDA;
        int ordinal = -1;

        assert_int_equal(parse(cases[i].words, storage, &options, &err),
                         HONE_OK);
        assert_int_equal(hone__option_device(&options, HONE_FOR_TIMES, &backend,
                                             &ordinal, &err),
                         cases[i].status);
        if (cases[i].status == HONE_OK)
            assert_int_equal(ordinal, cases[i].ordinal);
        hone__options_free(&options);
    }
}

/* Every status has a row of its own, and failures never exit with 0. */
static void every_status_has_an_exit_code(void **state)
{
    static const hone_status statuses[] = {
#define STATUS(name, value, text) name,
        HONE_STATUS_MAP(STATUS)
#undef STATUS
    };
    enum {
#define ROW(status, code) ROW_OF_##status,
        HONE_STATUS_EXIT_MAP(ROW)
#undef ROW
            N_ROWS
    };

    (void)state;
    assert_int_equal(N_ROWS, sizeof statuses / sizeof statuses[0]);
    assert_int_equal(hone__exit_of_status(HONE_OK), 0);
    for (size_t i = 1; i < N_ROWS; ++i)
        assert_int_not_equal(hone__exit_of_status(statuses[i]), 0);
    assert_int_equal(hone__exit_of_status(HONE_ERR_NO_GPU), 4);
    assert_int_equal(hone__exit_of_status(HONE_ERR_DIMS), 3);
    assert_int_equal(hone__exit_of_status((hone_status)9999), 5);
}

static void assert_value(const char *json, hone_cell cell, const char *text,
                         const char *csv)
{
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    hone_text out = {0};

    assert_non_null(value);
    hone__value_text(value, cell, &out);
    assert_string_equal(hone__text_str(&out), text);
    hone__text_clear(&out);
    hone__value_csv(value, &out);
    assert_string_equal(hone__text_str(&out), csv);
    hone__text_free(&out);
    json_decref(value);
}

static void values_as_text_and_csv(void **state)
{
    hone_text out = {0};

    (void)state;
    assert_value("\"a,b\"", HONE_CELL_TEXT, "a,b", "\"a,b\"");
    assert_value("\"say \\\"x\\\"\"", HONE_CELL_TEXT, "say \"x\"",
                 "\"say \"\"x\"\"\"");
    assert_value("\"a\\nb\\u001bc\"", HONE_CELL_TEXT, "a b c", "\"a\nb\033c\"");
    assert_value("12", HONE_CELL_NUMBER, "12", "12");
    assert_value("1234.5", HONE_CELL_TIME_NS, "1.234 us", "1234.5");
    assert_value("true", HONE_CELL_TEXT, "yes", "true");
    assert_value("null", HONE_CELL_TIME_NS, "-", "");
    assert_value("{\"ok\": 3, \"wrong\": 1}", HONE_CELL_TEXT, "ok 3, wrong 1",
                 "\"{\"\"ok\"\":3,\"\"wrong\"\":1}\"");
    assert_value("[1, \"f32\"]", HONE_CELL_TEXT, "1, f32",
                 "\"[1,\"\"f32\"\"]\"");
    hone__value_text(NULL, HONE_CELL_NUMBER, &out);
    assert_string_equal(hone__text_str(&out), "-");
    hone__text_free(&out);
}

static void times_have_four_digits(void **state)
{
    static const struct {
        double time_ns;
        const char *text;
    } cases[] = {
        {0.5, "0.500 ns"},    {9.9994, "9.999 ns"}, {12.34, "12.34 ns"},
        {999.4, "999.4 ns"},  {999.97, "1.000 us"}, {1234.4, "1.234 us"},
        {99996, "100.0 us"},  {5.5e6, "5.500 ms"},  {61.25e9, "61.25 s"},
        {3.6e12, "3600.0 s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[32];

        hone__time_text(cases[i].time_ns, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* `check cpu.NAME` of a shipped template names a row of our table. */
static void shipped_checks_have_references(void **state)
{
    static const char *const paths[] = {"../../templates/saxpy_stream.cu",
                                        "../../templates/conv1d.cu",
                                        "../../templates/gemm/gemm_wmma.cu"};
    size_t n, found = 0;
    const hone_reference *references = hone__references(&n);

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        hone_diagnostics diagnostics = {0};
        hone_template *tmpl = NULL;
        hone_error err = {0};

        assert_int_equal(
            hone__template_load(paths[i], "", &tmpl, &diagnostics, &err),
            HONE_OK);
        for (size_t j = 0; j < tmpl->n_checks; ++j) {
            const char *name = tmpl->checks[j].reference;
            size_t k = 0;

            if (strncmp(name, "cpu.", 4) != 0)
                continue;
            while (k < n && strcmp(references[k].name, name + 4) != 0)
                ++k;
            if (k == n)
                fail_msg("%s: no reference %s", paths[i], name);
            ++found;
        }
        hone__diagnostics_free(&diagnostics);
        hone__template_free(tmpl);
    }
    assert_true(found >= 3);
}

static void assert_json(json_t *value, const char *wanted)
{
    hone_text text = {0};

    assert_non_null(value);
    hone__value_json(value, 0, &text);
    assert_string_equal(hone__text_str(&text), wanted);
    hone__text_free(&text);
    json_decref(value);
}

static void objects_by_members(void **state)
{
    (void)state;
    assert_json(hone__json(""), "{}");
    assert_json(hone__json("a:s b:s c:i d:I e:f g:b h:n i:o", "x",
                           (const char *)NULL, -1, INT64_MAX, 0.5, 2,
                           json_array()),
                "{\"a\": \"x\", \"b\": null, \"c\": -1, \"d\": "
                "9223372036854775807, \"e\": 0.5, \"g\": true, \"h\": null, "
                "\"i\": []}");
    assert_json(hone__json("a:p b:p c:P d:P e:F f:F", 1.5, 0.0, INT64_C(7),
                           INT64_C(-7), 1, 0.0, 0, 3.0),
                "{\"a\": 1.5, \"b\": null, \"c\": 7, \"d\": null, "
                "\"e\": 0.0, \"f\": null}");
    assert_json(hone__json_add(hone__json("a:i", 1), "b:i a:s", 2, "new"),
                "{\"a\": \"new\", \"b\": 2}");
    /* What is NULL takes along what it would be in. */
    assert_null(hone__json("a:o b:o", NULL, json_array()));
    assert_null(hone__json_add(NULL, "b:o", json_array()));
    assert_null(hone__json_append(json_array(), NULL));
    assert_null(hone__json_append(NULL, json_array()));
}

static void what_json_does_not_have(void **state)
{
    static const char *const rows[][2] = {
        {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
        {"cut \xe2\x80", "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xff!", "\"\xef\xbf\xbd!\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        assert_json(hone__json_string(rows[i][0], strlen(rows[i][0])),
                    rows[i][1]);
    assert_json(hone__json("a:f b:f c:f", (double)INFINITY, (double)-INFINITY,
                           (double)NAN),
                "{\"a\": \"inf\", \"b\": \"-inf\", \"c\": null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_by_members),
        cmocka_unit_test(what_json_does_not_have),
        cmocka_unit_test(dims_belong_to_the_templates_before_them),
        cmocka_unit_test(configs_are_a_list),
        cmocka_unit_test(a_template_without_problem_is_refused),
        cmocka_unit_test(no_memory_is_a_status),
        cmocka_unit_test(budgets_are_trials_or_time),
        cmocka_unit_test(devices_have_an_ordinal),
        cmocka_unit_test(every_status_has_an_exit_code),
        cmocka_unit_test(values_as_text_and_csv),
        cmocka_unit_test(times_have_four_digits),
        cmocka_unit_test(shipped_checks_have_references),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
