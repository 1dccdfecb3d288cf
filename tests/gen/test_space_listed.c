/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces that are asked about known configurations only, against the solved
 * ones: those that are not solved, and those that hold a list. */
#include "tests/gen/gen_test.h"

enum { N_PARAMS = 5, MOST_RAW = 400 };

static const char text[] =
    "#pragma hone op o(n, FLIP in {0, 1})\n"
    "#pragma hone param A in {1, 2, 4, 8} default 2\n"
    "#pragma hone param B in {1, 2, 3} default 2\n"
    "#pragma hone param C in {near, far} when A > 2\n"
    "#pragma hone param D in {5, 6, 7} default 6 when B == 2 && FLIP == 1\n"
    "#pragma hone param E in {0, 1} for device sm >= 100 in {2}\n"
    "#pragma hone let AREA = A*B\n"
    "#pragma hone require AREA <= 16\n"
    "#pragma hone prefer B != 3\n"
    "#pragma hone require E != 0 || A != 8\n"
    "#pragma hone require AREA < n\n"
    "#pragma hone launch k\n" KERNEL;

static int64_t config_of(const hone_template *t, int64_t raw, int64_t *out)
{
    for (size_t i = 0; i < t->n_params; ++i) {
        const hone_param *param = &t->params[i];

        out[i] = param->values[raw % (int64_t)param->n_values];
        raw /= (int64_t)param->n_values;
    }
    return raw; /* 0: it was one of them */
}

typedef struct fixture {
    hone_template *t;
    hone_properties properties;
    const int64_t *dims;
} fixture;

static hone_space *solved(const fixture *f, int is_whole)
{
    hone_space *space = NULL;
    hone_error err = {0};

    if ((is_whole ? hone__space_create_whole : hone__space_create)(
            f->t, f->dims, &f->properties, &space, &err))
        fail_msg("%s", err.text);
    return space;
}

static hone_space *unsolved(const fixture *f, int is_whole)
{
    hone_space *space = NULL;
    hone_error err = {0};

    if (hone__space_create_unsolved(f->t, f->dims, &f->properties, is_whole,
                                    &space, &err))
        fail_msg("%s", err.text);
    return space;
}

static hone_space *listed(const fixture *f, const int64_t *configs, size_t n)
{
    hone_space *space = NULL;
    hone_error err = {0};

    if (hone__space_create_listed(f->t, f->dims, &f->properties, configs, n,
                                  &space, &err))
        fail_msg("%s", err.text);
    return space;
}

/* ---- not solved --------------------------------------------------------- */

/* How many are valid. */
static int64_t compare_unsolved(const fixture *f, int is_whole)
{
    hone_space *whole = solved(f, is_whole);
    hone_space *space = unsolved(f, is_whole);
    int64_t config[N_PARAMS];
    int64_t n_valid = 0;

    assert_int_equal(space->count, 0);
    assert_int_equal(space->raw, whole->raw);
    assert_int_equal(space->n_constraints, whole->n_constraints);
    for (int64_t raw = 0; config_of(f->t, raw, config) == 0; ++raw) {
        const int is_valid = hone__space_find(whole, config) >= 0;
        hone_text name = {0}, other = {0};

        if ((hone__space_check(space, config, NULL) == HONE_OK) != is_valid)
            fail_msg("%lld, whole %d", (long long)raw, is_whole);
        hone__space_format(space, config, &name);
        hone__space_format(whole, config, &other);
        assert_string_equal(hone__text_str(&name), hone__text_str(&other));
        n_valid += is_valid;
        hone__text_free(&name);
        hone__text_free(&other);
    }
    assert_int_equal(n_valid, whole->count);
    hone__space_free(space);
    hone__space_free(whole);
    return n_valid;
}

static void checks_as_solved(void **state)
{
    fixture f = {.t = parse_good(text)};

    (void)state;
    for (int i = 0; i < 12; ++i) {
        const int64_t dims[] = {i % 3 == 0 ? 1 : i % 3 == 1 ? 9 : 100, i & 1};
        int64_t n_whole, n_plain;

        f.dims = dims;
        f.properties = properties_of(i < 6 ? "sm_90" : "sm_100");
        n_whole = compare_unsolved(&f, 1);
        n_plain = compare_unsolved(&f, 0);
        assert_int_equal(n_plain < n_whole, i % 3 != 0);
        assert_int_equal(n_whole > 0, i % 3 != 0);
    }
    f.dims = NULL;
    assert_true(compare_unsolved(&f, 0) < compare_unsolved(&f, 1));
    hone__template_free(f.t);
}

/* ---- a list ------------------------------------------------------------- */

/* Each third raw configuration, from the last to the first, and one twice. */
static size_t some_of(const hone_template *t, int64_t *out)
{
    int64_t config[N_PARAMS];
    int64_t n_raw = 0;
    size_t n = 0;

    while (config_of(t, n_raw, config) == 0)
        ++n_raw;
    assert_true(n_raw > 0 && n_raw < MOST_RAW);
    for (int64_t raw = n_raw - 1; raw >= 0; raw -= 3)
        (void)config_of(t, raw, out + n++ * N_PARAMS);
    memcpy(out + n * N_PARAMS, out, N_PARAMS * sizeof *out);
    return n + 1;
}

static int is_in(const int64_t *configs, size_t n, const int64_t *config)
{
    for (size_t i = 0; i < n; ++i)
        if (!memcmp(configs + i * N_PARAMS, config, N_PARAMS * sizeof *config))
            return 1;
    return 0;
}

/* Its numbers lead to value indexes of the whole space, and back. */
static void check_numbers(const hone_space *space, const hone_space *whole)
{
    int indexes[N_PARAMS];
    int64_t config[N_PARAMS];

    for (int64_t i = 0; i < space->count; ++i) {
        hone__space_get(space, i, config);
        hone__space_get_indexes(space, i, indexes);
        assert_int_equal(hone__space_find(space, config), i);
        assert_int_equal(hone__space_find_indexes(space, indexes), i);
        assert_int_equal(hone__space_find_indexes(whole, indexes),
                         hone__space_find(whole, config));
        assert_true(hone__space_find_indexes(whole, indexes) >= 0);
    }
    assert_memory_equal(space->n_values, whole->n_values,
                        N_PARAMS * sizeof *space->n_values);
    assert_int_equal(space->n_constraints, whole->n_constraints);
}

static void holds_a_list(void **state)
{
    fixture f = {.t = parse_good(text), .properties = properties_of("sm_90")};
    int64_t *configs = calloc(MOST_RAW * N_PARAMS, sizeof *configs);
    const size_t n = some_of(f.t, configs);
    int64_t config[N_PARAMS], usual[N_PARAMS];

    (void)state;
    assert_int_equal(hone__config_parse(f.t, "", usual, NULL), HONE_OK);
    for (int flip = 0; flip < 2; ++flip) {
        const int64_t dims[] = {100, flip};
        hone_space *whole, *space;
        int64_t n_valid = 0;

        f.dims = dims;
        whole = solved(&f, 1);
        space = listed(&f, configs, n);
        for (int64_t raw = 0; config_of(f.t, raw, config) == 0; ++raw) {
            const int wanted =
                hone__space_find(whole, config) >= 0 &&
                (is_in(configs, n, config) || is_in(usual, 1, config));

            assert_int_equal(hone__space_find(space, config) >= 0, wanted);
            n_valid += wanted;
        }
        assert_true(n_valid > 5 && n_valid < whole->count);
        assert_int_equal(space->count, n_valid);
        check_numbers(space, whole);
        assert_int_equal(hone__space_default(space, config, NULL), HONE_OK);
        assert_memory_equal(config, usual, sizeof config);
        hone__space_free(space);
        hone__space_free(whole);
    }
    free(configs);
    hone__template_free(f.t);
}

static void holds_nothing(void **state)
{
    fixture f = {.t = parse_good(text), .properties = properties_of("sm_90")};
    const int64_t dims[] = {1, 0}; /* too small for all of them */
    hone_error err = {0};
    int64_t config[N_PARAMS];
    hone_space *space;

    (void)state;
    f.dims = dims;
    assert_int_equal(hone__config_parse(f.t, "", config, NULL), HONE_OK);
    space = listed(&f, config, 1);
    assert_int_equal(space->count, 0);
    assert_int_equal(hone__space_find(space, config), -1);
    assert_int_equal(hone__space_default(space, config, &err),
                     HONE_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "none of the listed"));
    hone__space_free(space);
    hone__template_free(f.t);

    f.t = parse_good("#pragma hone op o(n, FLIP in {0, 1})\n"
                     "#pragma hone launch k\n" KERNEL);
    space = listed(&f, config, 0); /* the one that has no parameters */
    assert_int_equal(space->count, 1);
    assert_int_equal(hone__space_find(space, config), 0);
    hone__space_free(space);
    hone__template_free(f.t);
}

/* ---- what cannot be evaluated ------------------------------------------- */

/* Concerns its configuration here, where the solved space has an error. */
static void faults_are_of_one(void **state)
{
    fixture f = {.t = parse_good("#pragma hone op o(n)\n"
                                 "#pragma hone param X in {0, 1, 2} default 1\n"
                                 "#pragma hone require 4/X > 1\n"
                                 "#pragma hone launch k\n" KERNEL),
                 .properties = properties_of("sm_90")};
    const int64_t configs[] = {2, 0};
    hone_space *space = NULL;

    (void)state;
    assert_int_equal(
        hone__space_create_whole(f.t, NULL, &f.properties, &space, NULL),
        HONE_ERR_INPUT);
    assert_null(space);
    space = unsolved(&f, 1);
    assert_int_equal(hone__space_check(space, &configs[0], NULL), HONE_OK);
    assert_int_equal(hone__space_check(space, &configs[1], NULL),
                     HONE_ERR_INPUT);
    hone__space_free(space);
    space = listed(&f, configs, 2);
    assert_int_equal(space->count, 2); /* and the default */
    assert_int_equal(hone__space_find(space, &configs[1]), -1);
    hone__space_free(space);
    hone__template_free(f.t);
}

/* One failed allocation, each in its turn, is an error or changes nothing. */
static void memory_runs_out(void **state)
{
    fixture f = {.t = parse_good(text), .properties = properties_of("sm_90")};
    const int64_t dims[] = {100, 1};
    int64_t *configs = calloc(MOST_RAW * N_PARAMS, sizeof *configs);
    const size_t n = some_of(f.t, configs);
    int is_over = 0;

    (void)state;
    for (long k = 0; !is_over; ++k) {
        hone_space *space = NULL;
        hone_status status;

        hone__alloc_fail_once(k);
        status = hone__space_create_listed(f.t, dims, &f.properties, configs, n,
                                           &space, NULL);
        is_over = !hone__alloc_fail_end();
        assert_int_equal(status, is_over ? HONE_OK : HONE_ERR_NO_MEMORY);
        assert_int_equal(space == NULL, status != HONE_OK);
        hone__space_free(space);
    }
    free(configs);
    hone__template_free(f.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_as_solved), cmocka_unit_test(holds_a_list),
        cmocka_unit_test(holds_nothing),    cmocka_unit_test(faults_are_of_one),
        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
