/* SPDX-License-Identifier: Apache-2.0 */
/* One failed allocation, each in its turn: everything that gen/ answers is
 * then either the same answer or HONE_ERR_NO_MEMORY, never another one. */
#include "gen/expand/meaning.h"
#include "tests/fail_every.h"
#include "tests/gen/gen_test.h"

typedef hone_status answer_function(const char *input, hone_text *out,
                                    hone_error *err);

/* ---- templates --------------------------------------------------------- */

static hone_status add_meaning(const hone_template *t, const int64_t *config,
                               const int64_t *dims, hone_text *out,
                               hone_error *err)
{
    hone_meaning *meaning;
    hone_text unit = {0};
    hone_status status;

    HONE_TRY(hone__meaning_create(t, &meaning, err));
    status = hone__expand_unit(t, config, dims, &unit, err);
    if (status == HONE_OK)
        status = hone__meaning_write(meaning, unit.data, "param A 1\nx", config,
                                     dims, out, err);
    hone__text_free(&unit);
    hone__meaning_free(meaning);
    return status;
}

static hone_status describe(const hone_template *t, hone_text *out,
                            hone_error *err)
{
    const int64_t dims[HONE_MAX_DIMS] = {1000, 1000, 1000, 1000};
    int64_t config[HONE_GRAPH_VARS];
    int64_t whole[HONE_MAX_DIMS];

    hone__text_printf(out, "%s\n%s %s\n", t->sha256, t->op, t->description);
    for (size_t i = 0; i < t->n_params; ++i)
        hone__text_printf(out, "%s %d\n", t->params[i].name, t->mentioned[i]);
    HONE_TRY(hone__config_parse(t, "", config, err));
    for (size_t i = 0; i < t->n_dims; ++i)
        whole[i] = t->dims[i].n_types ? t->dims[i].types[0] : dims[i];
    hone__config_format(t, config, NULL, out);
    hone__template_label_dims(t, whole, out);
    HONE_TRY(hone__expand_unit(t, config, whole, out, err));
    HONE_TRY(hone__expand_options(t, config, whole, out, err));
    HONE_TRY(hone__expand_launch_spec(t, config, out, err));
    return add_meaning(t, config, whole, out, err);
}

static hone_status load(const char *name, hone_template **out, hone_text *text,
                        hone_error *err)
{
    hone_diagnostics d;
    const hone_status status = hone__template_load(
        name, "../../templates:../../templates/fft:golden:../tools/fixtures",
        out, &d, err);

    if (d.n)
        hone__diagnostics_format(&d, name, "", text);
    hone__diagnostics_free(&d);
    return status;
}

static hone_status load_template(const char *name, hone_text *out,
                                 hone_error *err)
{
    hone_template *t = NULL;
    hone_status status = load(name, &t, out, err);

    if (status == HONE_OK)
        status = describe(t, out, err);
    hone__template_free(t);
    return status;
}

/* ---- spaces ------------------------------------------------------------ */

static hone_status walk(const hone_space *space, hone_text *out,
                        hone_error *err)
{
    int indexes[HONE_GRAPH_VARS];
    hone_space_reason reasons[64];
    const size_t n = space->n_params;

    hone__text_printf(out, "%lld of %lld\n", (long long)space->count,
                      (long long)space->raw);
    if (space->count == 0)
        return hone__space_fail_empty(space, err);
    hone__space_get_indexes(space, space->count / 2, indexes);
    for (size_t i = 0; i < n; ++i)
        hone__text_printf(out, "%d ", indexes[i]);
    hone__text_puts(out, "\n");
    HONE_TRY(hone__space_explain(space, reasons, NULL, err));
    for (size_t i = 0; i < space->n_constraints; ++i)
        hone__text_printf(out, "%lld %lld\n", (long long)reasons[i].alone,
                          (long long)reasons[i].rejected);
    return HONE_OK;
}

static hone_status solve_template(const char *text, hone_text *out,
                                  hone_error *err)
{
    const int64_t dims[HONE_MAX_DIMS] = {1000};
    const hone_properties properties = properties_of("sm_90");
    int64_t config[HONE_GRAPH_VARS];
    hone_template *t = NULL;
    hone_space *space = NULL;
    hone_diagnostics d;
    hone_status status =
        hone__template_read("t.cu", "", text, strlen(text), &t, &d, err);

    hone__diagnostics_free(&d);
    if (status == HONE_OK)
        status = hone__space_create(t, dims, &properties, &space, err);
    if (status == HONE_OK)
        status = walk(space, out, err);
    if (status == HONE_OK)
        status = hone__space_default(space, config, err);
    if (status == HONE_OK) {
        hone__space_format(space, config, out);
        config[0] = 3;
        status = hone__space_check(space, config, err);
    }
    hone__space_free(space);
    hone__template_free(t);
    return status;
}

static hone_status read_t1(const char *path, hone_text *out, hone_error *err)
{
    hone_text source = {0};
    hone_t1 *t1 = NULL;
    hone_space *space = NULL;
    hone_diagnostics d = {0};
    hone_status status = HONE_OK;

    if (path[0] == '{')
        hone__text_puts(&source, path);
    else
        status = hone__text_read_file(&source, path, err);
    if (status == HONE_OK)
        status = hone__text_check(&source, err);
    if (status == HONE_OK)
        status =
            hone__t1_read("t.json", source.data, source.length, &t1, &d, err);
    if (d.n)
        hone__diagnostics_format(&d, "t.json", source.data, out);
    for (size_t i = 0; status == HONE_OK && i < t1->n_params; ++i) {
        for (size_t k = 0; k < t1->params[i].n_values; ++k)
            hone__text_printf(out, "%s %s %s\n", t1->params[i].name,
                              t1->params[i].texts[k], t1->params[i].json[k]);
    }
    if (status == HONE_OK)
        status = hone__space_create_t1(t1, &space, err);
    if (status == HONE_OK)
        status = walk(space, out, err);
    hone__diagnostics_free(&d);
    hone__space_free(space);
    hone__t1_free(t1);
    hone__text_free(&source);
    return status;
}

/* ---- what people write ------------------------------------------------- */

static hone_status read_config(const char *text, hone_text *out,
                               hone_error *err)
{
    int64_t config[HONE_GRAPH_VARS];
    hone_template *t = NULL;
    hone_status status = load("unroll", &t, out, err);

    if (status == HONE_OK)
        status = hone__config_parse(t, text, config, err);
    if (status == HONE_OK)
        hone__config_format(t, config, NULL, out);
    hone__template_free(t);
    return status;
}

static hone_status read_dims(const char *text, hone_text *out, hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];
    hone_template *t = NULL;
    hone_status status = load("saxpy", &t, out, err);

    if (status == HONE_OK)
        status = hone__template_parse_dims(t, text, dims, err);
    if (status == HONE_OK)
        hone__template_label_dims(t, dims, out);
    hone__template_free(t);
    return status;
}

#define HEAD                                                                   \
    "#pragma hone op k(n) \"x\"\n#pragma hone arg x: inout f32[n]\n"           \
    "#pragma hone param A in 1..16\n#pragma hone param B in {1, 2, 4}\n"       \
    "#pragma hone launch k grid(A) block(B)\n" KERNEL

static const struct {
    answer_function *answer;
    const char *input;
    hone_status status;
} cases[] = {
    {load_template, "saxpy", HONE_OK},
    {load_template, "fft_filter", HONE_OK},
    {load_template, "conv1d", HONE_OK},
    {load_template, "unroll", HONE_OK},
    {load_template, "choices", HONE_OK},
    {load_template, "five_mistakes", HONE_ERR_INPUT},
    {load_template, "none", HONE_ERR_NOT_FOUND},
    {solve_template, HEAD "#pragma hone require A*B <= 32\n",
     HONE_OK /* A 3 is valid */},
    {solve_template,
     HEAD "#pragma hone param C in {0.5} for device sm > 80 {1.0} when A > 2\n",
     HONE_OK},
    {solve_template, HEAD "#pragma hone require A != 3 \"no\"\n",
     HONE_ERR_CONSTRAINT},
    {solve_template,
     HEAD "#pragma hone require A*B <= 32\n#pragma hone require A > 40\n",
     HONE_ERR_NOT_FOUND},
    {solve_template, HEAD "#pragma hone require 8/(A - 3) <= n\n",
     HONE_ERR_INPUT},
    {read_t1, "t1/hotspot.json", HONE_OK},
    {read_t1,
     "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", "
     "\"Values\": [1, 2.5, \"x\\\"y\"]}], \"Conditions\": "
     "[{\"Expression\": \"a != 1\", \"Parameters\": [\"a\"]}]}}",
     HONE_OK},
    {read_t1,
     "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", "
     "\"Values\": \"[0, 1]\"}], \"Conditions\": "
     "[{\"Expression\": \"1 // a > 0\", \"Parameters\": [\"a\"]}]}}",
     HONE_ERR_INPUT},
    {read_t1,
     "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", "
     "\"Values\": \"[0, 1\"}, {\"Nam\": 3}], \"Conditions\": "
     "[{\"Expression\": \"b > 0\", \"Parameters\": [\"a\"]}]}}",
     HONE_ERR_INPUT},
    {read_t1,
     "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", "
     "\"Values\": [1, true]}], \"Conditions\": []}}",
     HONE_ERR_INPUT},
    {read_config, "U=4,FORM=scalar", HONE_OK},
    {read_config, "U=0x4", HONE_OK},
    {read_config, "U=5", HONE_ERR_INPUT},
    {read_config, "FORM=scala", HONE_ERR_INPUT},
    {read_config, "FOR=scalar", HONE_ERR_INPUT},
    {read_dims, "4K,f64", HONE_OK},
    {read_dims, "4K,f16", HONE_ERR_DIMS},
    {read_dims, "0", HONE_ERR_DIMS},
    {read_dims, "x", HONE_ERR_DIMS},
    {read_dims, "1,2,3", HONE_ERR_DIMS},
};

static hone_status ask(size_t i, hone_text *out, hone_error *err)
{
    const hone_status status = cases[i].answer(cases[i].input, out, err);

    return out->failed ? HONE_ERR_NO_MEMORY : status;
}

static void one_failure_is_no_other_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_text whole = {0};
        hone_error whole_err = {0};
        long n = 0;

        if (ask(i, &whole, &whole_err) != cases[i].status)
            fail_msg("%s: %s", cases[i].input, whole_err.text);
        for (int failed = 1; failed; n += fail_every()) {
            hone_text out = {0};
            hone_error err = {0};
            hone_status status;

            hone__alloc_fail_once(n);
            status = ask(i, &out, &err);
            failed = hone__alloc_fail_end();
            if (status != HONE_ERR_NO_MEMORY &&
                (status != cases[i].status || out.length != whole.length ||
                 strcmp(hone__text_str(&out), hone__text_str(&whole)) != 0 ||
                 strcmp(err.text, whole_err.text) != 0))
                fail_msg("%s: allocation %ld: status %d\n%s\n%s",
                         cases[i].input, n, (int)status, err.text,
                         hone__text_str(&out));
            if (!failed && status != cases[i].status)
                fail_msg("%s: status %d, %s", cases[i].input, (int)status,
                         err.text);
            hone__text_free(&out);
        }
        hone__text_free(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_failure_is_no_other_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
