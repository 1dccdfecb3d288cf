/* SPDX-License-Identifier: Apache-2.0 */
/* Which launches need asserts on their kernels: those whose parameters do not
 * say in plain words that they take what is passed. What the asserts say:
 * tests/tools/tools_signature.sh. */
#include "tests/gen/gen_test.h"

#define HEAD                                                                   \
    "#pragma hone op o(n, T in {f32, f64} default f32)\n"                      \
    "#pragma hone arg x: in T[n], y: out T[n], a: T, k: in i32[n]\n"           \
    "#pragma hone workspace raw: u32[n]\n"                                     \
    "#pragma hone param B in {64}\n"                                           \
    "#pragma hone launch f args("

static int has_asserts(const char *passed, const char *code)
{
    const int64_t config[] = {64};
    const int64_t dims[] = {1, HONE_TYPE_F32};
    hone_text text = {0};
    hone_text unit = {0};
    hone_template *t;
    const char *helpers;
    int n;

    hone__text_printf(&text, HEAD "%s)\n%s\n", passed, code);
    t = parse_good(hone__text_str(&text));
    assert_int_equal(hone__expand_unit(t, config, dims, &unit, NULL), HONE_OK);
    n = strstr(unit.data, "hone__signature::") != NULL;
    helpers = strstr(unit.data, "namespace hone__signature");
    assert_int_equal(helpers != NULL, n);
    if (helpers) /* macros of the code cannot reach them */
        assert_true(helpers < strstr(unit.data, "__global__"));
    hone__text_free(&unit);
    hone__text_free(&text);
    hone__template_free(t);
    return n;
}

static int asserts(const char *passed, const char *parameters)
{
    char code[512];

    (void)snprintf(code, sizeof code, "extern \"C\" __global__ void f(%s) {}",
                   parameters);
    return has_asserts(passed, code);
}

static void plain_words(void **state)
{
    (void)state;
    assert_false(asserts("x, y, a, i64(n), i32(B), raw, k",
                         "const T *__restrict__ x, T *y, T a, long long n,\n"
                         "  unsigned int b, unsigned *raw, int const *k"));
    assert_false(asserts("x, y", "const float *x, float *const y"));
    assert_false(asserts("y, x, k, raw", "T*y, const void *x, void *k,\n"
                                         "    const void *raw"));
}

static void for_the_compiler(void **state)
{
    static const char *const parameters[] = {
        "const double *x, T *y, T a",
        "const T *x, const T *y, T a",
        "const T *x, T *y, T *a",
        "const T *x, T *y, int a",
        "T x, T *y, T a",
        "const T *x, T *y",
        "const T *x, T *y, T a, T b",
        "const float4 *x, T *y, T a",
        "const T **x, T *y, T a",
        "const T *x, T *y, T",

        "const T *x, T (&y)[4], T a",
        "const T *, T *y, T a",
        "const T *x /* */, T *y, T a",
        "const int *x, T *y, float a",
        "const T *x, T *y, long a",
    };

    (void)state;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i)
        if (!asserts("x, y, a", parameters[i]))
            fail_msg("%s", parameters[i]);
    assert_true(asserts("x, y, i64(n)", "const T *x, T *y, int n"));
    assert_true(asserts("x, y, i32(n)", "const T *x, T *y, long long n"));
    assert_true(asserts("y, raw", "T *y, const float *raw"));
    assert_true(asserts("y, k", "T *y, const long long *k"));
}

/* It may be either. */
static void defined_twice(void **state)
{
    (void)state;
    assert_false(has_asserts("x, y",
                             "/* f(int) */ extern \"C\" __global__ void "
                             "f(const T *x, T *y) {}"));
    assert_true(has_asserts(
        "x, y", "#if A\nextern \"C\" __global__ void "
                "f(const T *x, T *y) {}\n#else\nextern \"C\" __global__ "
                "void f(const T *x) {}\n#endif"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words),
        cmocka_unit_test(for_the_compiler),
        cmocka_unit_test(defined_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
