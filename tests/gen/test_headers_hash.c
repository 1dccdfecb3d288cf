/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a template covers its headers, in whatever way they are included,
 * and of each text what decides about it. */
#include "tests/gen/headers_fixture.h"

#include <unistd.h>

static void hash_of(const char *lines, char out[HONE_SHA256_HEX])
{
    hone_template *t = headers_load_good(lines);

    memcpy(out, t->sha256, HONE_SHA256_HEX);
    hone__template_free(t);
}

/* An edit of the file is an edit of the template, and is undone with it. */
static void assert_covered(const char *lines, const char *file)
{
    char first[HONE_SHA256_HEX], second[HONE_SHA256_HEX];
    char third[HONE_SHA256_HEX];

    headers_write(file, "int a;\n");
    hash_of(lines, first);
    headers_write(file, "int b;\n");
    hash_of(lines, second);
    headers_write(file, "int a;\n");
    hash_of(lines, third);
    if (strcmp(first, second) == 0)
        fail_msg("%s is not covered by\n%s", file, lines);
    assert_string_equal(first, third);
    assert_int_equal(unlink(file), 0);
}

static void every_way_is_covered(void **state)
{
    static const char *const ways[] = {
        "#include \"own.cuh\"",
        "#include <own.cuh>",
        "  #  include\"own.cuh\"",
        "#include \"./sub/../own.cuh\"",
        "/**/ #include \"own.cuh\"",
        "/* one\n two */ # /* three\n four */ include /**/ <own.cuh> // five",
        "#include \\\n  \"own.cuh\"",
        "#in\\\nclude \"own.cuh\"",
        "#include \\\r\n  \"own.cuh\"\r",
        "%:include \"own.cuh\"",
        "#if 0\n#include \"own.cuh\"\n#endif",
        "#if defined(__has_include) && __has_include(<own.cuh>)\n#endif",
        "constexpr char quote = '\"';\n#include \"own.cuh\"",
        "constexpr int many = 1'000; // don't\n#include \"own.cuh\"",
        "const char *text = R\"(\")\";\n#include \"own.cuh\"",
        "#include <cstdint>\n#include <none.h>\n#include \"own.cuh\"",
    };

    (void)state;
    headers_write("t/sub/some.cuh", "");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i)
        assert_covered(ways[i], "t/own.cuh");
}

static void every_place_is_covered(void **state)
{
    char lines[1200];

    (void)state;
    assert_covered("#include \"own.cuh\"", "path/one/own.cuh");
    assert_covered("#include <own.cuh>", "path/two/own.cuh");
    assert_covered("#include <own.cuh>", "lib/one/own.cuh");
    assert_covered("#include \"own.cuh\"", "lib/two/own.cuh");
    headers_write("t/near/some.cuh", "");
    assert_covered("#include <own.cuh>\n#pragma hone include \"near\"",
                   "t/near/own.cuh");
    (void)snprintf(lines, sizeof lines,
                   "#pragma hone include \"near\", \"%s/lib\"\n"
                   "#include <one/own.cuh>",
                   headers_folder);
    assert_covered(lines, "lib/one/own.cuh");
    /* Up and down again, within the folders. */
    assert_covered("#include \"near/../own.cuh\"", "t/own.cuh");
    assert_covered("#include \"../path/one/own.cuh\"", "path/one/own.cuh");
    headers_write("t/sub/mid.cuh", "#include \"own.cuh\"\n");
    assert_covered("#include \"sub/mid.cuh\"", "t/sub/own.cuh");
    assert_covered("#include \"sub/mid.cuh\"", "t/own.cuh");
    /* Beside the header that includes it before anywhere else. */
    headers_write("t/own.cuh", "int elsewhere;\n");
    assert_covered("#include \"sub/mid.cuh\"", "t/sub/own.cuh");
    /* The 65th, and one that comes to be. */
    headers_write("t/h65.cuh", "#include \"mine.cuh\"\n");
    for (int i = 1; i < 65; ++i) {
        char name[32], text[32];

        (void)snprintf(name, sizeof name, "t/h%d.cuh", i);
        (void)snprintf(text, sizeof text, "#include \"h%d.cuh\"\n", i + 1);
        headers_write(name, text);
    }
    assert_covered("#include \"h1.cuh\"", "t/mine.cuh");
}

static void what_is_no_include_is_none(void **state)
{
    static const char *const lines[] = {
        "// #include \"own.cuh\"",
        "/*\n#include \"own.cuh\"\n*/",
        "// spliced \\\n#include \"own.cuh\"",
        "const char *text = R\"x(\n#include \"own.cuh\"\n)\" )x\";",
        "const char *text = \"\\\n#include <own.cuh>\";",
        "#define include_own \"own.cuh\"",
        "int x; #include \"own.cuh\"",
    };

    (void)state;
    headers_write("t/own.cuh", "");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        hone_template *t = headers_load_good(lines[i]);

        if (t->headers.n)
            fail_msg("%s", lines[i]);
        hone__template_free(t);
    }
}

/* What the author may change freely is no other template; what decides is. */
static void hash_is_over_tokens(void **state)
{
    static const struct {
        const char *a, *b;
        int is_same;
    } pairs[] = {
        {"int a = b + c;", "int a=b+c; // why", 1},
        {"int a = b + c;", "int a =\n /* two\n lines */ b\n\n + c ;", 1},
        {"#define A(x) x // y\nint b;", "#define A(x) x\n\n\nint b;", 1},
        {"#define A \\\n 1\nint b;", "#define A 1\nint b;", 1},
        {"#if A\n#endif", "  #  if A\n\n  # endif // A", 1},
        {"int a = b + +c;", "int a = b ++ c;", 0},
        {"int a = b - -c;", "int a = b --c;", 0},
        {"#define A(x) x", "#define A (x) x", 0},
        {"#define A 1\nint b;", "#define A 1 int b;", 0},
        {"auto a = \"x y\";", "auto a = \"x  y\";", 0},
        {"auto a = \"//x\";", "auto a = \"//y\";", 0},
        {"auto a = R\"(x\ny)\";", "auto a = R\"(x y)\";", 0},
        {"int a = u8 'c';", "int a = u8'c';", 0},
        {"unsigned a;", "unsigneda;", 0},
        {"int a = __LINE__;", "\nint a = __LINE__;", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        char a[HONE_SHA256_HEX], b[HONE_SHA256_HEX];

        hash_of(pairs[i].a, a);
        hash_of(pairs[i].b, b);
        if ((strcmp(a, b) == 0) != pairs[i].is_same)
            fail_msg("%s\n%s", pairs[i].a, pairs[i].b);
        /* the same in a header */
        headers_write("t/own.cuh", pairs[i].a);
        hash_of("#include \"own.cuh\"", a);
        headers_write("t/own.cuh", pairs[i].b);
        hash_of("#include \"own.cuh\"", b);
        if ((strcmp(a, b) == 0) != pairs[i].is_same)
            fail_msg("in a header: %s\n%s", pairs[i].a, pairs[i].b);
    }
}

static void every_allocation_fails_once(void **state)
{
    static const char lines[] = "#pragma hone include \"sub\"\n"
                                "#include \"sub/mid.cuh\"\n"
                                "#include <two.cuh>\n#include <cstdint>";
    char whole[HONE_SHA256_HEX];
    long n = 0;

    (void)state;
    headers_write("t/sub/mid.cuh", "#include \"own.cuh\"\n#include <none.h>\n");
    headers_write("t/sub/own.cuh", "int a;\n");
    headers_write("path/two/two.cuh", "int b;\n");
    hash_of(lines, whole);
    for (int failed = 1; failed; ++n) {
        hone_template *t = NULL;
        hone_diagnostics d;
        hone_status status;

        hone__alloc_fail_once(n);
        status =
            hone__template_load("t/t.cu", "path/one:path/two", &t, &d, NULL);
        failed = hone__alloc_fail_end();
        hone__diagnostics_free(&d);
        assert_int_equal(status, failed ? HONE_ERR_NO_MEMORY : HONE_OK);
        if (!failed)
            assert_string_equal(t->sha256, whole);
        hone__template_free(t);
    }
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_way_is_covered),
        IN_FOLDER(every_place_is_covered),
        IN_FOLDER(what_is_no_include_is_none),
        IN_FOLDER(hash_is_over_tokens),
        IN_FOLDER(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
