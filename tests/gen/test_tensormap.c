/* SPDX-License-Identifier: Apache-2.0 */
/* The tensormap statement: what it means, the launch plan that comes of it
 * (HONE_UPDATE_GOLDEN=1 rewrites the golden file), and its mistakes. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

#include <stdlib.h>

static hone_template *load_tiles(void)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    if (hone__template_load("golden/tiles.cu", "", &t, &d, &err))
        fail_msg("%s", err.text);
    return t;
}

static void meaning(void **state)
{
    hone_template *t = load_tiles();
    const hone_template_map *map = &t->maps[0];

    (void)state;
    assert_int_equal(t->n_maps, 2);
    assert_string_equal(map->name, "X_MAP");
    assert_int_equal(map->array_kind, HONE_PASS_ARG);
    assert_int_equal(map->array, 0);
    assert_int_equal(map->n[HONE_MAP_PART_DIMS], 2);
    assert_int_equal(map->n[HONE_MAP_PART_STRIDES], 1);
    assert_int_equal(map->n[HONE_MAP_PART_BOX], 2);
    assert_int_equal(map->n[HONE_MAP_PART_ELEMENTS], 2);
    assert_int_equal(map->n[HONE_MAP_PART_IF], 1);
    assert_true(map->part[HONE_MAP_PART_STRIDES][0].reads_dims);
    map = &t->maps[1];
    assert_int_equal(map->array_kind, HONE_PASS_WORKSPACE);
    assert_int_equal(map->n[HONE_MAP_PART_STRIDES], 0);
    assert_int_equal(map->n[HONE_MAP_PART_FILL], 0);
    assert_int_equal(t->launches[0].n_passed, 4);
    assert_int_equal(t->launches[0].passed[2].kind, HONE_PASS_MAP);
    assert_int_equal(t->launches[0].passed[2].index, 1);
    hone__template_free(t);
}

static void plan_of(const hone_template *t, const char *change, hone_text *out)
{
    int64_t config[8];
    hone_error err = {0};

    if (hone__config_parse(t, change, config, &err) ||
        hone__expand_launch_spec(t, config, out, &err))
        fail_msg("%s", err.text);
}

static void golden(void **state)
{
    static const char path[] = "golden/tiles.launch";
    hone_template *t = load_tiles();
    hone_text got = {0};
    hone_text want = {0};

    (void)state;
    plan_of(t, "BM=128", &got);
    if (getenv("HONE_UPDATE_GOLDEN"))
        assert_int_equal(hone__file_replace(path, got.data, got.length, NULL),
                         HONE_OK);
    assert_int_equal(hone__text_read_file(&want, path, NULL), HONE_OK);
    assert_string_equal(hone__text_str(&want), hone__text_str(&got));
    hone__text_free(&want);
    hone__text_free(&got);
    hone__template_free(t);
}

/* What the runtime makes of the plan, and what it says of sizes and values
 * that no tensor map can have. */
static void resolved(void **state)
{
    static const struct {
        const char *change;
        int64_t k;
        hone_type type;
        const char *part; /* NULL: good */
    } rows[] = {
        {"", 512, HONE_TYPE_F16, NULL},
        {"", 500, HONE_TYPE_F16, "'X_MAP': the stride of dimension 1 is 1000"},
        {"", 500, HONE_TYPE_F32, "256 bytes, more than the 128 of the swi"},
        {"BK=32", 500, HONE_TYPE_F32, NULL},
        {"SWIZZLE=64", 512, HONE_TYPE_F16, "more than the 64 of the swizzle"},
        {"BM=512", 512, HONE_TYPE_F16, "box side 1 is 512; a tensor map"},
        {"BM=512,USE_TMA=false", 500, HONE_TYPE_F16, NULL},
    };
    const hone_properties properties = properties_of("sm_90");
    hone_template *t = load_tiles();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int64_t dims[] = {300, rows[i].k, rows[i].type};
        hone_text text = {0};
        hone_launch_spec *spec = NULL;
        hone_error err = {0};
        hone_resolved r;
        hone_status status;

        plan_of(t, rows[i].change, &text);
        if (hone__launch_spec_parse(hone__text_str(&text), &spec, &err))
            fail_msg("%s", err.text);
        status = hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 3, &properties}, &r, &err);
        if (status != (rows[i].part ? HONE_ERR_CONSTRAINT : HONE_OK) ||
            (rows[i].part && !strstr(err.text, rows[i].part)))
            fail_msg("row %zu: status %d, '%s'", i, (int)status, err.text);
        hone__launch_spec_free(spec);
        hone__text_free(&text);
    }
    hone__template_free(t);
}

#define TOP                                                                    \
    "#pragma hone op o(n)\n#pragma hone device cuda \"TMA\"\n"                 \
    "#pragma hone arg a: in f32[n], s: f32\n"                                  \
    "#pragma hone param P in {16, 32}\n"
#define END                                                                    \
    "#pragma hone launch k args(a, X)\n"                                       \
    "extern \"C\" __global__ void k(const float *a,\n"                         \
    "                               const __grid_constant__ CUtensorMap "      \
    "X);\n"

/* On line 5. */
static const struct mistake {
    const char *rest;
    int column;
    const char *part;
} mistakes[] = {
    {"X a dims(n) box(P)", 26, "expected ':' after the tensor map's name"},
    {"X: b dims(n) box(P)", 27, "no array or workspace is called 'b'"},
    {"X: X dims(n) box(P)", 27, "no array or workspace is called 'X'"},
    {"X: s dims(n) box(P)", 27, "'s' is a scalar; a tensor map shows an"},
    {"X: a dims(n) boks(P)", 37, "has no 'boks'; it takes dims(..), str"},
    {"X: a dims(n) dims(n) box(P)", 37, "'dims' is given twice"},
    {"X: a dims(1,2,3,4,5,6)", 44, "dims takes at most 5 values"},
    {"X: a box(P)", 24, "needs dims(..)"},
    {"X: a dims(n)", 24, "so box(..) has 1, not 0"},
    {"X: a dims(n, n) box(P, P)", 24,
     "dims(..) has 2 values, so strides(..) has 1 (all but the innermost, "
     "in bytes), not 0"},
    {"X: a dims(n) strides(16) box(P)", 24, "strides(..) has 0"},
    {"X: a dims(n) box(P) elements(1, 1)", 24, "elements(..) has 1, not 2"},
    {"X: a dims(m) box(P)", 34, "unknown name 'm'"},
    {"X: a dims(n) box(P) swizzle(48)", 24, "'X': the swizzle is 48 bytes"},
    {"X: a dims(n) box(512)", 24, "box side 0 is 512"},
    {"X: a dims(n) box(6)", 24, "6 elements of f32, 24 bytes"},
    {"X: a dims(n) box(32) swizzle(64)", 24, "128 bytes, more than the 64"},
    {"X: a dims(n, 2) box(P, 1) strides(8)", 24, "stride of dimension 1 is "},
    {"X: a dims(n) box(P) elements(2)", 24, "element stride 0 is 2"},
    {"X: a dims(n) box(P) 7", 44, "expected dims(..), strides(..)"},
    {"X: a dims(n) box(P)\n#pragma hone let L = X", 0, NULL},
};

static void check_mistake(const char *text, int line, int column,
                          const char *part)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    const hone_status status =
        hone__template_read("t.cu", "", text, strlen(text), &t, &d, NULL);

    if (status != HONE_ERR_INPUT || d.n != 1 || d.items[0].line != line ||
        d.items[0].column != column || !strstr(d.items[0].text, part)) {
        hone_text shown = {0};

        hone__diagnostics_format(&d, "t.cu", text, &shown);
        fail_msg("status %d, wanted %d:%d '%s', got:\n%s", (int)status, line,
                 column, part, hone__text_str(&shown));
    }
    hone__diagnostics_free(&d);
}

static void mistakes_have_places(void **state)
{
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        (void)snprintf(text, sizeof text, TOP "#pragma hone tensormap %s\n%s",
                       mistakes[i].rest, END);
        if (mistakes[i].part)
            check_mistake(text, 5, mistakes[i].column, mistakes[i].part);
        else
            check_mistake(text, 6, 22, "'X' is a tensor map; expressions");
    }
}

#define MAP "#pragma hone tensormap X: a dims(n) box(P)\n"

static void the_file_must_fit(void **state)
{
    (void)state;
    check_mistake(TOP MAP "#pragma hone launch k\n" KERNEL, 5, 24,
                  "no kernel gets the tensor map 'X'; list it in the args");
    check_mistake(TOP MAP "#pragma hone launch k args(a, X)\n" KERNEL, 5, 24,
                  "'const __grid_constant__ CUtensorMap X'");
    check_mistake("#pragma hone op o(n)\n#pragma hone arg a: in f32[n]\n"
                  "#pragma hone param P in {16}\n" MAP END,
                  4, 24, "a line: device cuda \"uses TMA\"");
    check_mistake(TOP END MAP, 5, 31, "no argument, workspace or tensor map");
}

/* What a launch plan cannot hold is refused here: it would have no reader. */
static void the_plan_must_fit(void **state)
{
    hone_text text = {0};

    (void)state;
    hone__text_puts(&text, TOP "#pragma hone tensormap X: a dims(");
    for (int i = 0; i < 5; ++i) {
        hone__text_puts(&text, i ? ", n" : "n");
        for (int k = 0; k < 240; ++k)
            hone__text_puts(&text, "+0*P");
    }
    hone__text_puts(&text, ") strides(n, n, n, n) box(P, 1, 1, 1, 1)\n" END);
    check_mistake(text.data, 5, 33, "the expressions of dims are longer than");
    hone__text_clear(&text);
    hone__text_puts(&text, TOP);
    for (int i = 0; i < 513; ++i)
        hone__text_printf(&text, "#pragma hone let L%d = %d\n", i, i);
    hone__text_puts(&text, MAP END);
    check_mistake(text.data, 5 + 512, 18, "a template has at most 512 lets");
    hone__text_free(&text);
}

static void no_memory(void **state)
{
    hone_text source = {0};
    hone_status status = HONE_ERR_NO_MEMORY;

    (void)state;
    assert_int_equal(hone__text_read_file(&source, "golden/tiles.cu", NULL),
                     HONE_OK);
    for (long n = 0; status != HONE_OK; ++n) {
        hone_template *t = NULL;
        hone_diagnostics d;
        hone_text out = {0};
        int64_t config[8];

        assert_true(n < 2000);
        hone__alloc_fail_after(n);
        status = hone__template_read("t.cu", "", source.data, source.length, &t,
                                     &d, NULL);
        if (!status)
            status = hone__config_parse(t, "", config, NULL);
        if (!status)
            status = hone__expand_launch_spec(t, config, &out, NULL);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK && status != HONE_ERR_NO_MEMORY)
            fail_msg("allocation %ld: status %d", n, (int)status);
        hone__text_free(&out);
        hone__template_free(t);
    }
    hone__text_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning),
        cmocka_unit_test(golden),
        cmocka_unit_test(resolved),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(the_plan_must_fit),
        cmocka_unit_test(the_file_must_fit),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
