/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces against brute force, configurations as text, defaults. */
#include "tests/gen/gen_test.h"

#include <stdlib.h>

#define OP "#pragma hone op o(n)\n"
#define LAUNCH "#pragma hone launch k\n" KERNEL

static hone_space *space_of(const hone_template *t, const int64_t *dims)
{
    const hone_properties properties = properties_of("sm_90");
    hone_space *space = NULL;
    hone_error err = {0};

    if (hone__space_create(t, dims, &properties, &space, &err))
        fail_msg("%s", err.text);
    return space;
}

/* A small program for the random templates below. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Three to five parameters of up to five values and constraints that read
 * lets, dimensions and the device. */
static void write_random(hone_text *text, uint32_t seed)
{
    uint32_t r = seed * 2654435761u + 1;
    const unsigned n_params = 3 + next_random(&r) % 3;

    hone__text_puts(text, OP);
    for (unsigned i = 0; i < n_params; ++i)
        hone__text_printf(text, "#pragma hone param P%u in %u..%u step %u\n", i,
                          1 + next_random(&r) % 3, 4 + next_random(&r) % 6,
                          1 + next_random(&r) % 3);
    hone__text_printf(text, "#pragma hone let A = P%u*P0 + %u\n", n_params - 1,
                      next_random(&r) % 4);
    hone__text_puts(text, "#pragma hone let B = A + P1\n"
                          "#pragma hone let UNUSED = 1/(P0 - P0)\n");
    hone__text_printf(text, "#pragma hone require B %% %u != 0\n",
                      2 + next_random(&r) % 3);
    hone__text_printf(text, "#pragma hone require P0 + P1 >= %u\n",
                      next_random(&r) % 8);
    hone__text_printf(text, "#pragma hone require A*P1 < n*%u\n",
                      1 + next_random(&r) % 4);
    hone__text_printf(text, "#pragma hone require P2*%u <= device.warp\n",
                      3 + next_random(&r) % 8);
    hone__text_puts(text, LAUNCH);
}

/* Does a configuration satisfy every require? All of it evaluated anew. */
static int is_valid(const hone_template *t, const int64_t *config,
                    const int64_t *dims, int *out_first)
{
    int64_t slots[64] = {0};
    const hone_properties properties = properties_of("sm_90");
    int64_t holds;
    int ok = 1;

    memcpy(slots, properties.value, sizeof properties.value);
    slots[t->slots.dims] = dims ? dims[0] : 0;
    memcpy(slots + t->slots.params, config, t->n_params * sizeof *config);
    for (size_t i = 0; i < t->n_lets; ++i)
        (void)hone__expr_eval(t->lets[i].value.expr, slots,
                              &slots[t->slots.lets + i], NULL);
    *out_first = -1;
    for (size_t i = 0; i < t->n_requires; ++i) {
        if (!dims && t->requires_[i].condition.reads_dims)
            continue;
        assert_int_equal(hone__expr_eval(t->requires_[i].condition.expr, slots,
                                         &holds, NULL),
                         HONE_OK);
        if (!holds && *out_first < 0)
            *out_first = (int)i;
        ok &= holds != 0;
    }
    return ok;
}

static void compare_with_brute_force(const hone_template *t,
                                     const int64_t *dims)
{
    hone_space *space = space_of(t, dims);
    hone_space_reason reasons[16];
    int64_t config[8];
    int64_t found[8];
    int64_t raw = 1;
    int64_t n_valid = 0;
    int64_t rejected[16] = {0};
    int first;

    for (size_t i = 0; i < t->n_params; ++i)
        raw *= (int64_t)t->params[i].n_values;
    assert_int_equal(space->raw, raw);
    for (int64_t rank = 0; rank < raw; ++rank) {
        int64_t rest = rank;

        for (size_t i = t->n_params; i-- > 0;) {
            const int64_t n = (int64_t)t->params[i].n_values;

            config[i] = t->params[i].values[rest % n];
            rest /= n;
        }
        if (is_valid(t, config, dims, &first)) {
            const int64_t index = hone__space_find(space, config);

            assert_in_range(index, 0, space->count - 1);
            hone__space_get(space, index, found);
            assert_memory_equal(found, config, t->n_params * sizeof config[0]);
            assert_int_equal(hone__space_check(space, config, NULL), HONE_OK);
            ++n_valid;
        } else {
            ++rejected[first];
            assert_int_equal(hone__space_find(space, config), -1);
            assert_int_equal(hone__space_check(space, config, NULL),
                             HONE_ERR_CONSTRAINT);
        }
    }
    assert_int_equal(space->count, n_valid);
    assert_int_equal(hone__space_explain(space, reasons, NULL, NULL), HONE_OK);
    for (size_t i = 0; i < t->n_requires; ++i)
        assert_int_equal(reasons[i].rejected, rejected[i]);
    hone__space_free(space);
}

static void brute_force(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; ++seed) {
        const int64_t dims[] = {1 + seed * 3};
        hone_text text = {0};
        hone_template *t;

        write_random(&text, seed);
        t = parse_good(hone__text_str(&text));
        compare_with_brute_force(t, dims);
        compare_with_brute_force(t, NULL);
        hone__template_free(t);
        hone__text_free(&text);
    }
}

static void a_million_points(void **state)
{
    hone_template *t = parse_good(
        OP "#pragma hone param A in 1..10\n#pragma hone param B in 1..10\n"
           "#pragma hone param C in 1..10\n#pragma hone param D in 1..10\n"
           "#pragma hone param E in 1..10\n#pragma hone param F in 1..10\n"
           "#pragma hone require A*B <= 10\n#pragma hone require C == D\n"
           "#pragma hone require E*F % 7 == 0\n" LAUNCH);
    hone_space *space = space_of(t, NULL);
    hone_space_reason reasons[3];

    (void)state;
    assert_int_equal(space->raw, 1000000);
    assert_int_equal(space->count, 27 * 10 * 19);
    assert_int_equal(hone__space_explain(space, reasons, NULL, NULL), HONE_OK);
    assert_int_equal(reasons[0].rejected, 73 * 10000);
    assert_int_equal(reasons[1].rejected, 27 * 90 * 100);
    assert_int_equal(reasons[2].rejected, 27 * 10 * 81);
    assert_int_equal(reasons[0].alone, 73 * 10000);
    assert_int_equal(reasons[1].alone, 90 * 10000);
    assert_int_equal(reasons[2].alone, 81 * 10000);
    hone__space_free(space);
    hone__template_free(t);
}

static void no_parameters(void **state)
{
    hone_template *t = parse_good(OP "#pragma hone require n > 4\n" LAUNCH);
    const int64_t dims[] = {4};
    hone_space_reason reasons[1];
    int64_t config[1];
    hone_error err = {0};
    hone_space *space = space_of(t, NULL);

    (void)state;
    assert_int_equal(space->raw, 1);
    assert_int_equal(space->count, 1);
    assert_int_equal(hone__space_find(space, dims), 0);
    hone__space_free(space);
    space = space_of(t, dims);
    assert_int_equal(space->count, 0);
    assert_int_equal(hone__space_explain(space, reasons, NULL, NULL), HONE_OK);
    assert_int_equal(reasons[0].rejected, 1);
    assert_int_equal(hone__space_default(space, config, &err),
                     HONE_ERR_NOT_FOUND);
    hone__space_free(space);
    hone__template_free(t);
}

static void defaults_and_reasons(void **state)
{
    hone_template *t =
        parse_good(OP "#pragma hone param A in {1, 2, 4} default 4\n"
                      "#pragma hone param B in {1, 2, 4} default 4\n"
                      "#pragma hone param E in {row, col} default col\n"
                      "#pragma hone require A*B <= n \"too big\"\n" LAUNCH);
    int64_t dims[] = {16};
    int64_t config[3];
    hone_error err = {0};
    hone_space *space = space_of(t, dims);

    (void)state;
    assert_int_equal(hone__space_default(space, config, &err), HONE_OK);
    assert_int_equal(config[0], 4);
    assert_int_equal(config[1], 4);
    assert_int_equal(config[2], t->params[2].values[1]);
    config[0] = 3;
    assert_int_equal(hone__space_find(space, config), -1);
    assert_int_equal(hone__space_check(space, config, &err), HONE_ERR_INPUT);
    assert_string_equal(err.text, "A cannot be '3'; its values are 1, 2, 4");
    hone__space_free(space);
    dims[0] = 8; /* one parameter has to give, by one step */
    space = space_of(t, dims);
    assert_int_equal(hone__space_default(space, config, &err), HONE_OK);
    assert_int_equal(config[0] * config[1], 8);
    assert_int_equal(config[2], t->params[2].values[1]);
    config[0] = config[1] = 4;
    assert_int_equal(hone__space_check(space, config, &err),
                     HONE_ERR_CONSTRAINT);
    assert_string_equal(err.text, "t.cu:5: not 'A*B <= n': too big");
    hone__space_free(space);
    hone__template_free(t);
}

static void config_text(void **state)
{
    hone_template *t =
        parse_good(OP "#pragma hone param A in {1, -2, 4K} default 4K\n"
                      "#pragma hone param B: bool\n"
                      "#pragma hone param E in {row, col} default col\n"
                      "#pragma hone param T in {f32, f64}\n" LAUNCH);
    static const struct {
        const char *text;
        const char *part;
    } bad[] = {
        {"A=2", "A cannot be '2'; its values are 1, -2, 4096"},
        {"A=", "A cannot be ''"},
        {"A=x", "A cannot be 'x'"},
        {"A=true", "A cannot be 'true'"},
        {"A=f16", "A cannot be 'f16'"},
        {"B=1", "B cannot be '1'; its values are false, true"},
        {"E=f32", "E cannot be 'f32'; its values are row, col"},
        {"A", "'A' is not NAME=VALUE"},
        {"A=1,A=1", "A is given twice"},
        {"BB=1", "o has no parameter 'BB'; did you mean 'B'?"},
        {"zebra=1", "its parameters are A, B, E, T"},
    };
    int64_t config[4];
    int64_t again[4];
    hone_text text = {0};

    (void)state;
    assert_int_equal(hone__config_parse(t, "", config, NULL), HONE_OK);
    hone__config_format(t, config, NULL, &text);
    assert_string_equal(hone__text_str(&text), "A=4096,B=false,E=col,T=f32");
    assert_int_equal(
        hone__config_parse(t, " T=f64, E=row A=0x1000,B=true ", config, NULL),
        HONE_OK);
    hone__text_clear(&text);
    hone__config_format(t, config, NULL, &text);
    assert_string_equal(hone__text_str(&text), "A=4096,B=true,E=row,T=f64");
    assert_int_equal(hone__config_parse(t, hone__text_str(&text), again, NULL),
                     HONE_OK);
    assert_memory_equal(config, again, sizeof config);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        hone_error err = {0};

        assert_int_equal(hone__config_parse(t, bad[i].text, config, &err),
                         HONE_ERR_INPUT);
        if (!strstr(err.text, bad[i].part))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
    hone__text_free(&text);
    hone__template_free(t);
}

/* A size of 0 is known; one that is left out is not. */
static void sizes_of_zero(void **state)
{
    hone_template *t =
        parse_good("#pragma hone op o(n from 0)\n"
                   "#pragma hone param P in {1, 2, 3}\n"
                   "#pragma hone require n > 0 || P == 2\n" LAUNCH);
    static const struct {
        int64_t n;
        int64_t count;
    } cases[] = {{0, 1}, {1, 3}, {HONE_DIM_DEFAULT, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_space *space = space_of(t, &cases[i].n);

        assert_int_equal(space->count, cases[i].count);
        hone__space_free(space);
    }
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brute_force),   cmocka_unit_test(a_million_points),
        cmocka_unit_test(no_parameters), cmocka_unit_test(defaults_and_reasons),
        cmocka_unit_test(config_text),   cmocka_unit_test(sizes_of_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
