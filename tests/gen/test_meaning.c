/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about a variant: which edits of a template leave it as it was,
 * and which do not. */
#include "gen/expand/meaning.h"
#include "tests/gen/gen_test.h"

#include <unistd.h>

/* ---- templates ----------------------------------------------------------
 */

/* What the tests replace parts of. */
static const char base[] =
    "#pragma hone op k(n) \"x\"\n"
    "#pragma hone arg x: in f32[n]\n"
    "#pragma hone arg y: out f32[n]\n"
    "#pragma hone param TILE in {1, 2, 4}\n"
    "#pragma hone param BLOCK in {64, 128}\n"
    "#pragma hone param HOW in {plain, wide}\n"
    "#pragma hone param FREE in {1, 2}\n"
    "#pragma hone let LIMIT = TILE * 8\n"
    "#pragma hone require TILE * BLOCK <= 4096\n"
    "#pragma hone launch k grid(ceildiv(n, BLOCK * TILE)) block(BLOCK)"
    " args(x, y, i32(n))\n"
    "#pragma hone check cpu.copy tolerance(LIMIT)\n"
    "#include \"one.h\"\n"
    "#pragma hone if HOW == wide\n"
    "// branch of ours\n"
    "__device__ int wide() { return 7; }\n"
    "#pragma hone endif\n"
    "extern \"C\" __global__ void k(const float *x, float *y, int n)\n"
    "{\n"
    "#if HONE_TILE == 2\n"
    "    y[0] = 2 * x[0];\n"
    "#elif HONE_TILE == 4 && defined(OTHER)\n"
    "    y[0] = 4 * x[0];\n"
    "#else\n"
    "    y[0] = 5 * x[0];\n"
    "#endif\n"
    "    y[n] = BLOCK;\n"
    "}\n";

static const char one[] = "#pragma once\n"
                          "#ifndef ONE\n"
                          "#define ONE\n"
                          "#if HONE_TILE > 1\n"
                          "#define ABOVE 1\n"
                          "#else\n"
                          "#define BELOW 1\n"
                          "#endif\n"
                          "#endif\n";

/* `text` with `from` replaced, if it is not NULL. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = from ? strstr(text, from) : text;
    char *out = calloc(1, strlen(text) + strlen(to) + 1);

    assert_non_null(out);
    if (!at)
        fail_msg("no '%s' in the template", from);
    memcpy(out, text, (size_t)(at - text));
    strcat(out, from ? to : "");
    strcat(out, at + (from ? strlen(from) : 0));
    return out;
}

static void write_header(const char *name, const char *text)
{
    assert_int_equal(hone__file_replace(name, text, strlen(text), NULL),
                     HONE_OK);
}

/* What decides about a configuration; to be freed. */
static hone_text meaning_of(const char *text, const char *config)
{
    hone_template *t = parse_good(text);
    int64_t values[8] = {0};
    const int64_t dims[HONE_MAX_DIMS] = {100};
    hone_text source = {0}, plan = {0}, out = {0};
    hone_meaning *meaning = NULL;
    hone_error err = {0};

    assert_true(t->n_params <= 8);
    if (hone__config_parse(t, config, values, &err) ||
        hone__expand_unit(t, values, dims, &source, &err) ||
        hone__expand_launch_spec(t, values, &plan, &err) ||
        hone__meaning_create(t, &meaning, &err) ||
        hone__meaning_write(meaning, source.data, plan.data, values, dims, &out,
                            &err))
        fail_msg("%s", err.text);
    hone__meaning_free(meaning);
    hone__text_free(&source);
    hone__text_free(&plan);
    hone__template_free(t);
    return out;
}

/* Do the two mean the same for this configuration? */
static void compare(const char *before, const char *after, const char *config,
                    int is_same)
{
    hone_text x = meaning_of(before, config);
    hone_text y = meaning_of(after, config);

    if ((strcmp(x.data, y.data) == 0) != is_same)
        fail_msg("%s: %s\n%s\n-- before:\n%s\n-- after:\n%s", config,
                 is_same ? "differs" : "is the same", after, x.data, y.data);
    hone__text_free(&x);
    hone__text_free(&y);
}

#define PLAIN_1 "TILE=1,BLOCK=64,HOW=plain,FREE=1"
#define PLAIN_2 "TILE=2,BLOCK=64,HOW=plain,FREE=1"
#define PLAIN_4 "TILE=4,BLOCK=64,HOW=plain,FREE=1"
#define WIDE_4 "TILE=4,BLOCK=64,HOW=wide,FREE=1"

static void edit(const char *from, const char *to, const char *config,
                 int is_same)
{
    char *after = replaced(base, from, to);

    compare(base, after, config, is_same);
    free(after);
}

/* ---- what they say ------------------------------------------------------
 */

static void layout(void **state)
{
    (void)state;
    edit("{\n#if", "{ // opens\n\n\n\n\n\n\n\n/* and\n so on */\n#if", PLAIN_2,
         1);
    edit("5 * x[0];", "5*x [ 0 ];", PLAIN_1, 1);
    edit("\"x\"", "\"another description\"", PLAIN_1, 1);
    edit("5 * x[0];", "6 * x[0];", PLAIN_1, 0);
}

static void branches(void **state)
{
    (void)state;
    edit("2 * x[0];", "broken", PLAIN_2, 0);
    edit("2 * x[0];", "broken", PLAIN_1, 1);
    edit("2 * x[0];", "broken", WIDE_4, 1);
    edit("2 * x[0];", "(\n#if 1\n)\n#else\n#endif\n", WIDE_4, 1);
    /* the rest of an #if that is taken */
    edit("5 * x[0];", "6", PLAIN_2, 1);
    edit("4 * x[0];", "6", PLAIN_2, 1);
    edit("TILE == 4 && defined(OTHER)", "TILE == 4 || 0", PLAIN_2, 1);
    /* the condition that chooses */
    edit("HONE_TILE == 2", "HONE_TILE == 1", PLAIN_2, 0);
    edit("HONE_TILE == 2", "(HONE_TILE & 2)", PLAIN_2, 1);
    /* directives of ours */
    edit("return 7", "return 8", PLAIN_4, 1);
    edit("return 7", "return 8", WIDE_4, 0);
}

static void undecided(void **state)
{
    (void)state;
    /* TILE=4 depends on OTHER: both branches may be it */
    edit("4 * x[0];", "6", PLAIN_4, 0);
    edit("5 * x[0];", "6", PLAIN_4, 0);
    edit("defined(OTHER)", "defined(OTHERS)", PLAIN_4, 0);
    edit("4 * x[0];", "6", PLAIN_1, 1);
    edit("#if HONE_TILE == 2", "#ifdef OTHER", PLAIN_2, 0);
}

/* A macro of a parameter that something else defines says nothing. */
static void redefined(void **state)
{
    static const char *const how[] = {
        "#define HONE_TILE 2\n{",
        "#undef HONE_TILE\n{",
        "#  define   HONE_TILE   2\n{",
        "#pragma pop_macro(\"HONE_TILE\")\n{",
        "_Pragma(\"pop_macro(\\\"HONE_TILE\\\")\") {",
        "%:define HONE_TILE 2\n{"};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; ++i) {
        char *before = replaced(base, "{\n#if", "NEW#if");
        char *own = replaced(before, "NEW", how[i]);
        char *after = replaced(own, "2 * x[0];", "broken");

        compare(own, after, PLAIN_1, 0);
        free(before);
        free(own);
        free(after);
    }
}

static void parameters(void **state)
{
    hone_text x = meaning_of(base, PLAIN_1);

    (void)state;
    /* FREE is named by nothing that is live, so its value is not in it */
    assert_non_null(strstr(x.data, "#define HONE_BLOCK 64\n"));
    assert_null(strstr(x.data, "HONE_FREE"));
    hone__text_free(&x);
    /* another branch begins to name one */
    edit("2 * x[0];", "FREE * x[0];", PLAIN_1, 1);
    edit("2 * x[0];", "FREE * x[0];", PLAIN_2, 0);
    /* a new one is part of what is tried, whatever the code names */
    edit("{1, 2}\n", "{1, 2}\n#pragma hone param NEW in {1}\n", PLAIN_1, 0);
}

static void spaces(void **state)
{
    (void)state;
    edit("{1, 2, 4}", "{1, 2, 4, 8}", PLAIN_1, 1);
    edit("{1, 2, 4}", "{4, 2, 1}", PLAIN_1, 1);
    edit("in {64, 128}", "in {64, 128} default 128", PLAIN_1, 1);
    edit("<= 4096", "<= 2048", PLAIN_1, 1);
    edit("TILE * BLOCK <= 4096", "n > TILE", PLAIN_1, 1);
    edit("{plain, wide}", "{plain, wide, last}", WIDE_4, 1);
    edit("{plain, wide}", "{first, plain, wide}", PLAIN_1, 1);
}

/* Positions of an enumeration's values count where the code names them. */
static void enumerations(void **state)
{
    char *before = replaced(base, "= BLOCK;", "= HOW == HOW_values::wide;");
    char *longer = replaced(before, "{plain, wide}", "{plain, wide, last}");
    char *shifted = replaced(before, "{plain, wide}", "{first, plain, wide}");

    (void)state;
    compare(before, longer, PLAIN_1, 1);
    compare(before, shifted, PLAIN_1, 0);
    free(before);
    free(longer);
    free(shifted);
}

static void contract(void **state)
{
    (void)state;
    edit("tolerance(LIMIT)", "tolerance(LIMIT) exact(8)", PLAIN_1, 0);
    edit("TILE * 8", "TILE * 9", PLAIN_1, 0);
    edit("x: in f32[n]", "x: in f32[n] positive", PLAIN_1, 0);
    edit("f32[n]", "f32[n + 1]", PLAIN_1, 0);
    edit("block(BLOCK)", "block(BLOCK / 2)", PLAIN_1, 0);
    edit("block(BLOCK)", "block(BLOCK) shared(4)", PLAIN_1, 0);
    edit("#pragma hone check", "#pragma hone work flops(n)\n#pragma hone check",
         PLAIN_1, 0);
}

/* A part's `let` that the check reads by way of one of the template. */
static void contract_of_part(void **state)
{
    char *included =
        replaced(base, "tolerance(LIMIT)", "tolerance(LIMIT + WIDER)");
    char *text = replaced(included, "#pragma hone check",
                          "#include \"terms.cuh\"\n"
                          "#pragma hone let WIDER = TERMS * 2\n"
                          "#pragma hone check");
    hone_text before, after;

    (void)state;
    write_header("terms.cuh", "#pragma hone let FEW = 2\n"
                              "#pragma hone let TERMS = FEW + 1\n");
    before = meaning_of(text, PLAIN_1);
    write_header("terms.cuh", "#pragma hone let FEW = 3\n"
                              "#pragma hone let TERMS = FEW + 1\n");
    after = meaning_of(text, PLAIN_1);
    assert_string_not_equal(before.data, after.data);
    assert_int_equal(unlink("terms.cuh"), 0);
    hone__text_free(&before);
    hone__text_free(&after);
    free(included);
    free(text);
}

/* What only the tuner's model reads makes nothing stale. */
static void features(void **state)
{
    (void)state;
    edit("#pragma hone check",
         "#pragma hone feature COST = n per TILE\n#pragma hone check", PLAIN_1,
         1);
}

static void headers(void **state)
{
    char *twice = replaced(base, "#pragma hone if",
                           "#include \"two.h\"\n#pragma hone if");
    char *late = replaced(base, "#include \"one.h\"\n", "");
    char *inside = replaced(late, "    y[n]", "#include \"one.h\"\n    y[n]");
    hone_text x = meaning_of(base, PLAIN_1);
    hone_text y = meaning_of(inside, PLAIN_1);
    hone_text z = meaning_of(twice, PLAIN_1);

    (void)state;
    write_header("one.h", "#if HONE_TILE > 1\n#error\n#else\n"
                          "#define BELOW 1\n#endif /* ends */\n"
                          "#if HONE_TILE == 77\n?\n#endif\n");
    {
        /* Before the parameters their macros have no values yet. */
        hone_text now = meaning_of(base, PLAIN_1);

        assert_string_not_equal(now.data, x.data);
        hone__text_free(&now);
    }
    write_header("one.h", one);
    assert_non_null(strstr(x.data, "ABOVE"));
    assert_null(strstr(y.data, "ABOVE"));
    assert_non_null(strstr(y.data, "BELOW"));
    assert_null(strstr(z.data, "ABOVE")); /* two places: its hash */
    free(twice);
    free(late);
    free(inside);
    hone__text_free(&x);
    hone__text_free(&y);
    hone__text_free(&z);
}

/* Only what is left out of a header, or of what it includes, may change. */
static void header_edits(void **state)
{
    char *late = replaced(base, "#include \"one.h\"\n", "");
    char *inside = replaced(late, "    y[n]", "#include \"mid.h\"\n    y[n]");
    hone_text was[2] = {meaning_of(inside, PLAIN_1),
                        meaning_of(inside, PLAIN_2)};
    hone_text now;
    char *other = replaced(one, "ABOVE 1", "ABOVE 2");
    char *lines = replaced(one, "ABOVE 1", "ABOVE __LINE__");

    (void)state;
    write_header("one.h", other);
    now = meaning_of(inside, PLAIN_1);
    assert_string_equal(now.data, was[0].data);
    hone__text_free(&now);
    now = meaning_of(inside, PLAIN_2);
    assert_string_not_equal(now.data, was[1].data);
    hone__text_free(&now);
    write_header("one.h", lines); /* taken as it is */
    now = meaning_of(inside, PLAIN_1);
    assert_string_not_equal(now.data, was[0].data);
    hone__text_free(&now);
    write_header("one.h", one);
    hone__text_free(&was[0]);
    hone__text_free(&was[1]);
    free(other);
    free(lines);
    free(late);
    free(inside);
}

/* What could lead astray. */
static void traps(void **state)
{
    char *raw =
        replaced(base, "= BLOCK;", "= R\"(\n#if HONE_TILE == 2\n)\"[0];");
    char *edited = replaced(raw, "\n)\"[0]", "\n )\"[0]");
    char *lines = replaced(base, "= BLOCK;", "= __LINE__;");
    char *moved = replaced(lines, "2 * x[0];", "2 * x[0]; // moved");
    char *names = replaced(base, "2 * x[0];", "FREE * x[0];");
    char *paste = replaced(names, "= BLOCK;",
                           "= JOIN(FR, EE);\n"
                           "#define JOIN(a, b) a##b\n");
    char *unpaired = replaced(base, "    y[n]", "#endif\n#else\n    y[n]");
    hone_text x = meaning_of(paste, PLAIN_1);
    hone_text y = meaning_of(unpaired, PLAIN_1);
    hone_text deep = {0};

    (void)state;
    compare(raw, edited, PLAIN_1, 0);
    compare(lines, moved, PLAIN_1, 0);
    assert_non_null(strstr(x.data, "HONE_FREE 1"));
    hone__text_puts(&deep, base);
    for (int i = 0; i < 100; ++i)
        hone__text_puts(&deep, "#if HONE_TILE == 1\n");
    hone__text_puts(&deep, "int deep;\n");
    for (int i = 0; i < 100; ++i)
        hone__text_puts(&deep, "#endif\n");
    compare(base, deep.data, PLAIN_2, 0);
    hone__text_free(&deep);
    hone__text_free(&x);
    hone__text_free(&y);
    free(raw);
    free(edited);
    free(lines);
    free(moved);
    free(names);
    free(paste);
    free(unpaired);
}

static char folder[1100];

static int enter(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/hone-meaning-XXXXXX",
                   tmp ? tmp : "/tmp");
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    write_header("one.h", one);
    write_header("two.h", "#include \"one.h\"\n");
    write_header("mid.h", "#include \"one.h\"\nint mid;\n");
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return unlink("one.h") || unlink("two.h") || unlink("mid.h") ||
           chdir("/") || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layout),
                                       cmocka_unit_test(branches),
                                       cmocka_unit_test(undecided),
                                       cmocka_unit_test(redefined),
                                       cmocka_unit_test(parameters),
                                       cmocka_unit_test(spaces),
                                       cmocka_unit_test(enumerations),
                                       cmocka_unit_test(contract),
                                       cmocka_unit_test(contract_of_part),
                                       cmocka_unit_test(features),
                                       cmocka_unit_test(headers),
                                       cmocka_unit_test(header_edits),
                                       cmocka_unit_test(traps)};

    return cmocka_run_group_tests(tests, enter, leave);
}
