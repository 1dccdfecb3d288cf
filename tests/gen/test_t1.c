/* SPDX-License-Identifier: Apache-2.0 */
/* T1 definitions: what is read, and where mistakes are. */
#include "tests/gen/gen_test.h"

#define BEGIN "{\"ConfigurationSpace\": {\"TuningParameters\": [\n"
#define MIDDLE "],\n\"Conditions\": [\n"
#define END "]}}\n"
#define A "{\"Name\": \"a\", \"Values\": \"[1, 2, 4]\"}"

static hone_status read_text(const char *text, hone_t1 **out,
                             hone_diagnostics *diagnostics, hone_error *err)
{
    return hone__t1_read("t.json", text, strlen(text), out, diagnostics, err);
}

static hone_t1 *read_good(const char *text)
{
    hone_diagnostics diagnostics;
    hone_error err = {0};
    hone_t1 *t1 = NULL;

    if (read_text(text, &t1, &diagnostics, &err))
        fail_msg("%s: %s", err.text,
                 diagnostics.n ? diagnostics.items[0].text : "");
    return t1;
}

/* ---- what is read ------------------------------------------------------ */

static void values(void **state)
{
    static const struct {
        const char *values; /* as JSON */
        const char *texts;
        const char *json;
    } cases[] = {
        {"\"[1, 2, 4]\"", "1 2 4", "1 2 4"},
        {"\"list(range(32, 97, 32))\"", "32 64 96", "32 64 96"},
        {"\"[True, False]\"", "True False", "true false"},
        {"\"[0.1, 2.0, 1e30]\"", "0.1 2.0 1e+30", "0.1 2.0 1e+30"},
        {"\"['row', 'col']\"", "row col", "\"row\" \"col\""},
        {"\"[\\\"row\\\"]\"", "row", "\"row\""},
        {"[1, 2.5, \"x\"]", "1 2.5 x", "1 2.5 \"x\""},
        {"[true, false]", "True False", "true false"},
        {"[-1, 1e2, 1.5e-5, 0.1]", "-1 100.0 1.5e-05 0.1",
         "-1 100.0 1.5e-05 0.1"},
        {"[\"a\\\"b\", \"\\u00e9\"]", "a\"b \xc3\xa9",
         "\"a\\\"b\" \"\xc3\xa9\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        hone_text texts = {0};
        hone_text json = {0};
        hone_t1 *t1;

        (void)snprintf(text, sizeof text,
                       BEGIN "{\"Name\": \"p\", \"Values\": %s}" MIDDLE END,
                       cases[i].values);
        t1 = read_good(text);
        for (size_t v = 0; v < t1->params[0].n_values; ++v) {
            hone__text_printf(&texts, "%s%s", v ? " " : "",
                              t1->params[0].texts[v]);
            hone__text_printf(&json, "%s%s", v ? " " : "",
                              t1->params[0].json[v]);
        }
        assert_string_equal(hone__text_str(&texts), cases[i].texts);
        assert_string_equal(hone__text_str(&json), cases[i].json);
        hone__text_free(&texts);
        hone__text_free(&json);
        hone__t1_free(t1);
    }
}

static void counts(void **state)
{
    static const struct {
        const char *conditions;
        int64_t count; /* of three times two */
    } cases[] = {
        {"", 6},
        {"{\"Expression\": \"a*b <= 4\"}", 5},
        {"{\"Expression\": \"1 < a <= 4\"}, {\"Expression\": \"b == 2\"}", 2},
        {"\"a % b == 0\"", 5}, /* a bare string will do */
        {"{\"Expression\": \"a in (1, 4)\", \"Parameters\": [\"a\"]}", 4},
        {"{\"Expression\": \"s == 'one'\"}", 6},
        {"{\"Expression\": \"4 % (a/b) == 0\"}", 6},
        {"{\"Expression\": \"3 % (a/b) == 0\"}", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        hone_t1 *t1;
        hone_space *space;
        hone_error err = {0};

        (void)snprintf(text, sizeof text,
                       BEGIN A
                       ", {\"Name\": \"b\", \"Values\": \"[1, 2]\"},\n"
                       "{\"Name\": \"s\", \"Values\": \"['one']\"}" MIDDLE
                       "%s" END,
                       cases[i].conditions);
        t1 = read_good(text);
        if (hone__space_create_t1(t1, &space, &err))
            fail_msg("%s", err.text);
        if (space->count != cases[i].count)
            fail_msg("%s: %lld", cases[i].conditions, (long long)space->count);
        hone__space_free(space);
        hone__t1_free(t1);
    }
}

static void names(void **state)
{
    hone_t1 *t1 = read_good(
        "{\"General\": {\"BenchmarkName\": \"gemm\", \"x\": [null, -1e5]},\n"
        "\"ConfigurationSpace\": {\"TuningParameters\": [" A "]}}");

    (void)state;
    assert_string_equal(t1->name, "gemm");
    assert_string_equal(t1->path, "t.json");
    assert_int_equal(t1->n_params, 1);
    assert_string_equal(t1->params[0].name, "a");
    assert_int_equal(t1->n_conditions, 0);
    hone__t1_free(t1);
}

/* ---- mistakes ---------------------------------------------------------- */

static const struct {
    const char *text;
    int line;
    int column;
    const char *part;
} bad[] = {
    {"", 1, 1, "the text ends too early"},
    {"[1, 2]", 1, 1, "a T1 definition is an object"},
    {"{}", 1, 1, "\"ConfigurationSpace\" is missing here"},
    {"{\"ConfigurationSpace\": 3}", 1, 24, "has to be an object"},
    {"{\"ConfigurationSpace\": {}}", 1, 24, "\"TuningParameters\" is missing"},
    {"{\"a\": 1,}", 1, 9, "expected a name in quotes, not '}'"},
    {"{\"a\" 1}", 1, 6, "expected ':'"},
    {"{\"a\": tru}", 1, 7, "'tru' is not a value"},
    {"{\"a\": \"x", 1, 9, "the text ends inside a string"},
    {"{\"a\": \"\\q\"}", 1, 9, "expected an escape, not 'q'"},
    {"{} {}", 1, 4, "expected nothing after the value"},
    {BEGIN "3" MIDDLE END, 2, 1, "\"Name\" is missing here"},
    {BEGIN "{\"Name\": \"a\"}" MIDDLE END, 2, 1, "\"Values\" is missing"},
    {BEGIN A ",\n" A MIDDLE END, 3, 11, "'a' is declared twice"},
    {BEGIN "{\"Name\": \"a\", \"Values\": \"[]\"}" MIDDLE END, 2, 26,
     "the list of values is empty"},
    {BEGIN "{\"Name\": \"a\", \"Values\": \"[1, 2, 1]\"}" MIDDLE END, 2, 26,
     "the value 1 is listed twice"},
    {BEGIN "{\"Name\": \"a\", \"Values\": \"[1, 1.0]\"}" MIDDLE END, 2, 26,
     "listed twice"},
    {BEGIN "{\"Name\": \"a\", \"Values\": \"[1, zz]\"}" MIDDLE END, 2, 30,
     "unknown name 'zz'"},
    {BEGIN "{\"Name\": \"a\", \"Values\": 3}" MIDDLE END, 2, 25,
     "has to be a list"},
    {BEGIN "{\"Name\": \"a\", \"Values\": [null]}" MIDDLE END, 2, 26,
     "a value is a number, a text, true or false"},
    {BEGIN A MIDDLE "{\"Expression\": \"a + c < 3\"}" END, 4, 21,
     "no parameter is called 'c'"},
    {BEGIN "{\"Name\": \"block\", \"Values\": \"[1, 2]\"}" MIDDLE
           "{\"Expression\": \"blok < 3\"}" END,
     4, 17, "no parameter is called 'blok'; did you mean 'block'?"},
    {BEGIN A MIDDLE "{\"Expression\": \"a <\"}" END, 4, 20, "ends here"},
    {BEGIN A MIDDLE "{}" END, 4, 1, "\"Expression\" is missing"},
    /* after an escape columns are those of the string */
    {BEGIN A MIDDLE "{\"Expression\": \"a \\u003c c\"}" END, 4, 17,
     "no parameter is called 'c'"},
    {BEGIN A "], \"Conditions\": {}}}", 2, 54, "has to be a list"},
};

static void mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        hone_diagnostics diagnostics;
        hone_error err = {0};
        hone_t1 *t1;

        assert_int_equal(read_text(bad[i].text, &t1, &diagnostics, &err),
                         HONE_ERR_INPUT);
        assert_null(t1);
        assert_int_equal(diagnostics.n, 1);
        if (diagnostics.items[0].line != bad[i].line ||
            diagnostics.items[0].column != bad[i].column ||
            !strstr(diagnostics.items[0].text, bad[i].part))
            fail_msg("%s:\n%d:%d: %s", bad[i].text, diagnostics.items[0].line,
                     diagnostics.items[0].column, diagnostics.items[0].text);
        hone__diagnostics_free(&diagnostics);
    }
}

static void all_at_once(void **state)
{
    hone_diagnostics diagnostics;
    hone_error err = {0};
    hone_t1 *t1;

    (void)state;
    assert_int_equal(read_text(BEGIN
                               "{\"Name\": \"a\", \"Values\": \"[1, 1]\"},\n"
                               "{\"Name\": \"b\", \"Values\": \"[x]\"}" MIDDLE
                               "{\"Expression\": \"a + c\"},\n"
                               "{\"Expression\": \"b +\"}" END,
                               &t1, &diagnostics, &err),
                     HONE_ERR_INPUT);
    assert_int_equal(diagnostics.n, 4);
    assert_string_equal(err.text, "t.json: 4 mistakes");
    hone__diagnostics_free(&diagnostics);
}

/* What only shows when the space is built. */
static void impossible(void **state)
{
    static const struct {
        const char *condition;
        const char *sentence;
    } cases[] = {
        {"4 // (a - 2) > 0",
         "t.json:4:17: '4 // (a - 2) > 0': division by zero (with a=2)"},
        {"a*4611686018427387904 > 0",
         "t.json:4:17: 'a*4611686018427387904 > 0': a result does not fit 64 "
         "bits (with a=2)"},
        {"a < 'x'", "t.json:4:17: 'a < 'x'': texts can be compared with == "
                    "and != only (with a=1)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        hone_t1 *t1;
        hone_space *space;
        hone_error err = {0};

        (void)snprintf(text, sizeof text,
                       BEGIN A MIDDLE "{\"Expression\": \"%s\"}" END,
                       cases[i].condition);
        t1 = read_good(text);
        assert_int_equal(hone__space_create_t1(t1, &space, &err),
                         HONE_ERR_INPUT);
        assert_null(space);
        assert_string_equal(err.text, cases[i].sentence);
        hone__t1_free(t1);
    }
}

/* ---- damage ------------------------------------------------------------ */

static const char whole[] = BEGIN A
    ",\n{\"Name\": \"b\", \"Values\": \"[i*2 for i in range(1, 4) if i]"
    " + ['t']\"}" MIDDLE "{\"Expression\": \"a < 2 or b in [2, a] and not 4 "
    "% a == 1 if a else b\"},"
    "\n{\"Expression\": \"a*a <= 16\"}" END;

/* Cut off anywhere: refused, with a place inside the text. */
static void truncated(void **state)
{
    (void)state;
    for (size_t n = 0; n + 2 < sizeof whole; ++n) {
        hone_diagnostics diagnostics;
        hone_error err = {0};
        hone_t1 *t1;

        assert_int_equal(
            hone__t1_read("t.json", whole, n, &t1, &diagnostics, &err),
            HONE_ERR_INPUT);
        assert_true(diagnostics.n > 0);
        hone__diagnostics_free(&diagnostics);
    }
}

/* Any byte replaced: read or refused, and nothing else. */
static void damaged(void **state)
{
    static const char bytes[] = "\"[](){}\\,:0x' \x80";
    char copy[sizeof whole];

    (void)state;
    for (size_t at = 0; at + 1 < sizeof whole; ++at) {
        for (size_t k = 0; k < sizeof bytes; ++k) {
            hone_diagnostics diagnostics;
            hone_space *space = NULL;
            hone_error err = {0};
            hone_t1 *t1;

            memcpy(copy, whole, sizeof whole);
            copy[at] = bytes[k];
            if (hone__t1_read("t.json", copy, sizeof whole - 1, &t1,
                              &diagnostics, &err) == HONE_OK)
                (void)hone__space_create_t1(t1, &space, &err);
            hone__space_free(space);
            hone__t1_free(t1);
            hone__diagnostics_free(&diagnostics);
        }
    }
}

static hone_status use_everything(void)
{
    hone_diagnostics diagnostics;
    hone_space *space = NULL;
    hone_t1 *t1 = NULL;
    hone_space_reason reasons[2];
    int pruned[8];
    hone_status status = read_text(whole, &t1, &diagnostics, NULL);

    if (status == HONE_OK)
        status = hone__space_create_t1(t1, &space, NULL);
    if (status == HONE_OK)
        status = hone__space_explain(space, reasons, pruned, NULL);
    hone__diagnostics_free(&diagnostics);
    hone__space_free(space);
    hone__t1_free(t1);
    return status;
}

/* Every allocation failing in turn is no worse than HONE_ERR_NO_MEMORY. */
static void no_memory(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    (void)state;
    for (; status != HONE_OK; ++n) {
        hone__alloc_fail_after(n);
        status = use_everything();
        hone__alloc_fail_after(-1);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
        assert_true(n < 10000);
    }
    assert_true(n > 50);
}

/* A list beyond what a number of a value can be, and more mistakes on one long
 * line than anybody reads. */
static void endless(void **state)
{
    hone_text text = {0}, shown = {0};
    hone_diagnostics diagnostics;
    hone_error err = {0};
    hone_t1 *t1 = NULL;

    (void)state;
    hone__text_puts(&text, "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                           "{\"Name\": \"a\", \"Values\": [0");
    for (int i = 1; i <= 65536; ++i)
        hone__text_printf(&text, ",%d", i);
    hone__text_puts(&text, "]}]}}");
    assert_int_equal(read_text(text.data, &t1, &diagnostics, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(diagnostics.items[0].text, "more than 65536"));
    hone__diagnostics_format(&diagnostics, "t.json", text.data, &shown);
    assert_true(shown.length < 1000);
    assert_non_null(strstr(shown.data, "\"Values\": [0,1,2,3"));
    hone__diagnostics_free(&diagnostics);

    hone__text_clear(&text);
    hone__text_clear(&shown);
    hone__text_puts(&text, BEGIN A MIDDLE "\"b\"");
    for (int i = 0; i < 20000; ++i)
        hone__text_puts(&text, ",\"b\"");
    hone__text_puts(&text, END);
    assert_int_equal(read_text(text.data, &t1, &diagnostics, &err),
                     HONE_ERR_INPUT);
    hone__diagnostics_format(&diagnostics, "t.json", text.data, &shown);
    assert_true(shown.length < 200000);
    hone__diagnostics_free(&diagnostics);
    hone__text_free(&shown);
    hone__text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),     cmocka_unit_test(counts),
        cmocka_unit_test(names),      cmocka_unit_test(mistakes),
        cmocka_unit_test(endless),    cmocka_unit_test(all_at_once),
        cmocka_unit_test(impossible), cmocka_unit_test(truncated),
        cmocka_unit_test(damaged),    cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
