/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a template: which are found, in whatever way they are
 * written, that the hash covers them, and what is refused. */
#include "tests/gen/gen_test.h"

#include <stdlib.h>
#include <unistd.h>

#define REST                                                                   \
    "#pragma hone op k(n) \"x\"\n"                                             \
    "#pragma hone arg x: inout f32[n]\n"                                       \
    "#pragma hone param A in 1..4\n"                                           \
    "#pragma hone param B in {4, 8}\n"                                         \
    "#pragma hone launch k grid(A) block(B)\n"                                 \
    "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n"

static void write_file(const char *name, const char *text)
{
    char *slash = strrchr(name, '/');

    if (slash) {
        char folder[64];

        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - name),
                       name);
        assert_int_equal(hone__folder_create(folder, NULL), HONE_OK);
    }
    assert_int_equal(hone__file_replace(name, text, strlen(text), NULL),
                     HONE_OK);
}

/* $TMPDIR/hone-headers-XXXXXX is where each test runs. */
static char start[1024];
static char folder[1100];

static int enter(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/hone-headers-XXXXXX",
                   tmp ? tmp : "/tmp");
    return !getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
    char command[1200];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) || system(command);
}

/* t/t.cu: `lines`, and the rest of a template. */
static hone_status load(const char *lines, hone_template **out,
                        hone_diagnostics *d, hone_error *err)
{
    char text[2048];

    (void)snprintf(text, sizeof text, "%s\n" REST, lines);
    write_file("t/t.cu", text);
    return hone__template_load("t/t.cu", "<lib/one:path/one:path/two:<lib/two",
                               out, d, err);
}

static hone_template *load_good(const char *lines)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    if (load(lines, &t, &d, &err) != HONE_OK)
        fail_msg("%s\n%s", err.text, lines);
    return t;
}

static void hash_of(const char *lines, char out[HONE_SHA256_HEX])
{
    hone_template *t = load_good(lines);

    memcpy(out, t->sha256, HONE_SHA256_HEX);
    hone__template_free(t);
}

/* An edit of the file is an edit of the template, and is undone with it. */
static void assert_covered(const char *lines, const char *file)
{
    char first[HONE_SHA256_HEX], second[HONE_SHA256_HEX];
    char third[HONE_SHA256_HEX];

    write_file(file, "int a;\n");
    hash_of(lines, first);
    write_file(file, "int b;\n");
    hash_of(lines, second);
    write_file(file, "int a;\n");
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
    write_file("t/sub/some.cuh", "");
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
    write_file("t/near/some.cuh", "");
    assert_covered("#include <own.cuh>\n#pragma hone include \"near\"",
                   "t/near/own.cuh");
    (void)snprintf(lines, sizeof lines,
                   "#pragma hone include \"near\", \"%s/lib\"\n"
                   "#include <one/own.cuh>",
                   folder);
    assert_covered(lines, "lib/one/own.cuh");
    (void)snprintf(lines, sizeof lines, "#include \"%s/own.cuh\"", folder);
    assert_covered(lines, "own.cuh");
    assert_covered("#include \"../own.cuh\"", "own.cuh");
    write_file("t/sub/mid.cuh", "#include \"own.cuh\"\n");
    assert_covered("#include \"sub/mid.cuh\"", "t/sub/own.cuh");
    assert_covered("#include \"sub/mid.cuh\"", "t/own.cuh");
    /* Beside the header that includes it before anywhere else. */
    write_file("t/own.cuh", "int elsewhere;\n");
    assert_covered("#include \"sub/mid.cuh\"", "t/sub/own.cuh");
    /* The 65th, and one that comes to be. */
    write_file("t/h65.cuh", "#include \"mine.cuh\"\n");
    for (int i = 1; i < 65; ++i) {
        char name[32], text[32];

        (void)snprintf(name, sizeof name, "t/h%d.cuh", i);
        (void)snprintf(text, sizeof text, "#include \"h%d.cuh\"\n", i + 1);
        write_file(name, text);
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
    write_file("t/own.cuh", "");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        hone_template *t = load_good(lines[i]);

        if (t->headers.n)
            fail_msg("%s", lines[i]);
        hone__template_free(t);
    }
}

/* What compilers get: every include names one text, whatever it was called,
 * and what is not ours is asked for in brackets. */
static void texts_name_each_other(void **state)
{
    static const char lines[] = "#include \"own.cuh\"\n"
                                "#include \"sub/own.cuh\"\n"
                                "#include \"sub/../own.cuh\"\n"
                                "#include \"cuda_fp16.h\"\n"
                                "#include <mma.h>";
    static const char own[] = "#include \"sub/own.cuh\" // 1\n"
                              "#include \"mma.h\"\n";
    static const char sub[] = "#pragma once\n#include <own.cuh>";
    static const char expected[] = "./own.cuh\0"
                                   "#include \"./2-own.cuh\" // 1\n"
                                   "#include <mma.h>\n\0"
                                   "./2-own.cuh\0"
                                   "#pragma once\n#include \"./own.cuh\"";
    static const char head[] = "#include \"./own.cuh\"\n"
                               "#include \"./2-own.cuh\"\n"
                               "#include \"./own.cuh\"\n"
                               "#include <cuda_fp16.h>\n"
                               "#include <mma.h>\n";
    const int64_t config[] = {1, 4};
    const int64_t dims[] = {1};
    hone_template *t;
    hone_text text = {0};

    (void)state;
    write_file("t/own.cuh", own);
    write_file("t/sub/own.cuh", sub);
    t = load_good(lines);
    assert_int_equal(t->headers.n, 2);
    assert_int_equal(t->headers.size_bytes, sizeof expected);
    assert_memory_equal(t->headers.bytes, expected, sizeof expected);
    assert_int_equal(hone__expand_unit(t, config, dims, &text, NULL), HONE_OK);
    assert_memory_equal(text.data, head, sizeof head - 1);
    hone__text_clear(&text);
    assert_int_equal(hone__expand_source(t, config, dims, &text, NULL),
                     HONE_OK);
    assert_memory_equal(text.data, lines, sizeof lines - 1);
    hone__text_free(&text);
    hone__template_free(t);
}

/* Parameters that only a header names reach it. */
static void headers_name_parameters(void **state)
{
    hone_template *t;

    (void)state;
    write_file("t/own.cuh", "/* A */ constexpr int twice = 2 * B;\n");
    t = load_good("#include <own.cuh>");
    assert_int_equal(t->mentioned[0], 0);
    assert_int_equal(t->mentioned[1], 1);
    hone__template_free(t);
}

static void what_cannot_be_followed_is_refused(void **state)
{
    static const struct {
        const char *lines;
        int line;
        int column;
        const char *text;
    } bad[] = {
        {"\n  #include OWN", 2, 12, "write it here in quotes"},
        {"#include /**/ NAME(x)", 1, 15, "write it here in quotes"},
        {"#include", 1, 9, "write it here in quotes"},
        {"#include \"own.cuh", 1, 10, "does not end"},
        {"#include <own.cuh", 1, 10, "does not end"},
        {"#include \"own@{A}.cuh\"", 1, 10, "rename it"},
        {"#include \"own\\\n.cuh\"", 1, 10, "does not end"},
        {"#inc@{A} \"own.cuh\"", 1, 1, "insert"},
        {"#include_next <own.cuh>", 1, 1, "use #include"},
        {"#import \"own.cuh\"", 1, 1, "use #include"},
        {"#embed \"own.cuh\"", 1, 1, "use #include"},
        {"#if __has_include(OWN)\n#endif", 1, 19, "write it here in quotes"},
        {"#if __has_include_next(<a>)\n#endif", 1, 5, "use #include"},
        {"asm(\".incbin \\\"x\\\"\");", 1, 5, "assembly"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char place[64];
        hone_template *t = NULL;
        hone_diagnostics d;
        hone_error err = {0};

        assert_int_equal(load(bad[i].lines, &t, &d, &err), HONE_ERR_INPUT);
        if (!d.n || d.items[0].line != bad[i].line ||
            d.items[0].column != bad[i].column ||
            !strstr(d.items[0].text, bad[i].text))
            fail_msg("%s\n%s", bad[i].lines, err.text);
        hone__diagnostics_free(&d);
        /* The same in a header. */
        write_file("t/own.cuh", bad[i].lines);
        assert_int_equal(load("#include \"own.cuh\"", &t, &d, &err),
                         HONE_ERR_INPUT);
        (void)snprintf(place, sizeof place, "t/own.cuh:%d:%d: ", bad[i].line,
                       bad[i].column);
        if (d.n || !strstr(err.text, place) || !strstr(err.text, bad[i].text))
            fail_msg("%s\n%s", bad[i].lines, err.text);
    }
}

/* In headers that came with a folder of them it is left to the compiler, and
 * what they include beside themselves came with it. */
static void headers_of_others_may_compute(void **state)
{
    static const char text[] = "#include MACRO(own.cuh)\n"
                               "#include_next <limits.h>\n"
                               "#if __has_include(OTHER)\n#endif\n"
                               "#include \"./b.h\"\n";
    static const char expected[] = "./a.h\0#include \"./b.h\"\n\0"
                                   "./b.h\0#include MACRO(own.cuh)\n"
                                   "#include_next <limits.h>\n"
                                   "#if __has_include(OTHER)\n#endif\n"
                                   "#include \"./b.h\"\n";
    hone_template *t;
    hone_diagnostics d;
    hone_error err = {0};

    (void)state;
    write_file("lib/one/sub/a.h", "#include \"b.h\"\n");
    write_file("lib/one/sub/b.h", text);
    t = load_good("#include <sub/a.h>");
    assert_int_equal(t->headers.size_bytes, sizeof expected);
    assert_memory_equal(t->headers.bytes, expected, sizeof expected);
    hone__template_free(t);
    /* but the compiler opens nothing that hone does not see */
    write_file("lib/one/sub/b.h", "#embed \"x\"\n");
    assert_int_equal(load("#include <sub/a.h>", &t, &d, &err), HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "lib/one/sub/b.h:1:1: "));
}

/* Ours, once each, until a folder has another; NVRTC and hosts have these. */
static void standard_headers_are_given(void **state)
{
    hone_template *t;

    (void)state;
    t = load_good("#include <cstdint>\n#include \"cstdint\"\n"
                  "#include <cuda/std/cstdint>\n#include <new>");
    assert_int_equal(t->headers.n, 2);
    assert_string_equal(t->headers.bytes, "./cstdint");
    assert_non_null(strstr(t->headers.bytes + 10, "using int64_t"));
    assert_int_equal(t->mentioned[0], 0);
    hone__template_free(t);
    write_file("lib/one/cstdint", "int mine;\n");
    t = load_good("#include <cstdint>");
    assert_string_equal(t->headers.bytes + 10, "int mine;\n");
    hone__template_free(t);
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
        write_file("t/own.cuh", pairs[i].a);
        hash_of("#include \"own.cuh\"", a);
        write_file("t/own.cuh", pairs[i].b);
        hash_of("#include \"own.cuh\"", b);
        if ((strcmp(a, b) == 0) != pairs[i].is_same)
            fail_msg("in a header: %s\n%s", pairs[i].a, pairs[i].b);
    }
}

/* Whatever the file is called; two of one name are told apart by the user. */
static void operations_are_found_by_name(void **state)
{
    hone_text path = {0};
    hone_error err = {0};

    (void)state;
    write_file("one/some.cu", "#pragma hone op gemm_x(n) \"x\"\n");
    write_file("two/gemm.cu", "#pragma hone op other(n) \"x\"\n");
    write_file("two/mine.cu", "// op gemm\n#pragma hone op  gemm (n) \"x\"\n");
    assert_int_equal(hone__template_find("other", "one:two", &path, &err),
                     HONE_OK);
    assert_string_equal(path.data, "two/gemm.cu");
    hone__text_clear(&path);
    assert_int_equal(hone__template_find("gemm", "<two:one:two", &path, &err),
                     HONE_ERR_INPUT); /* a file is called that, too */
    assert_non_null(strstr(err.text, "gemm.cu"));
    assert_non_null(strstr(err.text, "mine.cu"));
    hone__text_clear(&path);
    assert_int_equal(hone__template_find("gemm_x", "two:one", &path, &err),
                     HONE_OK);
    assert_string_equal(path.data, "one/some.cu");
    /* In another folder it is the first, and the other is named; not if it is
     * the same. */
    hone__text_clear(&path);
    assert_false(hone__template_shadowed("gemm_x", "one/some.cu",
                                         "two:one:none:one", &path));
    write_file("three/gemm_x.cu", "#pragma hone op gemm_x(k) \"x\"\n");
    hone__text_clear(&path);
    assert_true(hone__template_shadowed("gemm_x", "one/some.cu",
                                        "two:one:three", &path));
    assert_string_equal(path.data, "three/gemm_x.cu");
    hone__text_clear(&path);
    write_file("one/again.cu", "#pragma hone op gemm_x(m) \"x\"\n");
    assert_int_equal(hone__template_find("gemm_x", "two:one", &path, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "again.cu"));
    assert_non_null(strstr(err.text, "some.cu"));
    hone__text_clear(&path);
    assert_int_equal(hone__template_find("none", "two:one", &path, &err),
                     HONE_ERR_NOT_FOUND);
    hone__text_free(&path);
}

static void include_folders_are_checked(void **state)
{
    static const struct {
        const char *line;
        const char *text;
    } bad[] = {
        {"#pragma hone include \"none\"", "'t/none' is not a folder"},
        {"#pragma hone include \"a\", \"t.cu\"", "'t/t.cu' is not a folder"},
        {"#pragma hone include \"cuda\"", "belongs to a compiler"},
        {"#pragma hone include \"cuda/cccl\"", "belongs to a compiler"},
        {"#pragma hone include \"a:b\"", "separates folders"},
        {"#pragma hone include a", "to start a text"},
        {"#pragma hone include \"a\" \"a\"", "not expected"},
    };
    hone_text path = {0};
    hone_error err = {0};

    (void)state;
    write_file("t/a/some.h", "");
    write_file("t/cuda/cuda_runtime_api.h", "");
    write_file("t/cuda/cccl/some.h", "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        hone_template *t = NULL;
        hone_diagnostics d;

        assert_int_equal(load(bad[i].line, &t, &d, &err), HONE_ERR_INPUT);
        if (!d.n || d.items[0].line != 1 ||
            !strstr(d.items[0].text, bad[i].text))
            fail_msg("%s\n%s", bad[i].line, err.text);
        hone__diagnostics_free(&d);
    }
    assert_int_equal(hone__search_path_include(&path, "t/a::t", &err), HONE_OK);
    assert_string_equal(path.data, "<t/a:<t");
    assert_int_equal(hone__search_path_include(&path, "t:t/none", &err),
                     HONE_ERR_INPUT);
    hone__text_free(&path);
}

static void mistakes_come_together(void **state)
{
    hone_template *t = NULL;
    hone_diagnostics d;

    (void)state;
    assert_int_equal(load("#include OWN\n#pragma hone wrong", &t, &d, NULL),
                     HONE_ERR_INPUT);
    assert_int_equal(d.n, 3); /* and op does not come first */
    hone__diagnostics_free(&d);
}

/* The parameters do not go into the middle of a directive. */
static void block_is_behind_a_split_include(void **state)
{
    const int64_t config[] = {1, 4};
    const int64_t dims[] = {1};
    hone_template *t;
    hone_text text = {0};

    (void)state;
    t = load_good("#include \\\n  <mma.h>");
    assert_int_equal(hone__expand_unit(t, config, dims, &text, NULL), HONE_OK);
    assert_non_null(strstr(text.data, "#include \\\n  <mma.h>\n"));
    hone__text_free(&text);
    hone__template_free(t);
}

static void every_allocation_fails_once(void **state)
{
    static const char lines[] = "#pragma hone include \"sub\"\n"
                                "#include \"sub/mid.cuh\"\n"
                                "#include <two.cuh>\n#include <cstdint>";
    char whole[HONE_SHA256_HEX];
    long n = 0;

    (void)state;
    write_file("t/sub/mid.cuh", "#include \"own.cuh\"\n#include <none.h>\n");
    write_file("t/sub/own.cuh", "int a;\n");
    write_file("path/two/two.cuh", "int b;\n");
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

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_way_is_covered),
        IN_FOLDER(every_place_is_covered),
        IN_FOLDER(what_is_no_include_is_none),
        IN_FOLDER(texts_name_each_other),
        IN_FOLDER(headers_name_parameters),
        IN_FOLDER(what_cannot_be_followed_is_refused),
        IN_FOLDER(headers_of_others_may_compute),
        IN_FOLDER(standard_headers_are_given),
        IN_FOLDER(hash_is_over_tokens),
        IN_FOLDER(operations_are_found_by_name),
        IN_FOLDER(include_folders_are_checked),
        IN_FOLDER(mistakes_come_together),
        IN_FOLDER(block_is_behind_a_split_include),
        IN_FOLDER(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
