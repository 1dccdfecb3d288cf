/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a template: which are found, what compilers get of them, and
 * what is refused; and templates that are found by name. */
#include "tests/gen/headers_fixture.h"

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
    headers_write("t/own.cuh", own);
    headers_write("t/sub/own.cuh", sub);
    t = headers_load_good(lines);
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
    headers_write("t/own.cuh", "/* A */ constexpr int twice = 2 * B;\n");
    t = headers_load_good("#include <own.cuh>");
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
        {"#include \"/etc/passwd\"", 1, 10, "not from the root"},
        {"#if __has_include(\"/etc/passwd\")\n#endif", 1, 19,
         "not from the root"},
        {"#include \"../outside.cuh\"", 1, 10, "outside of the template's"},
        {"#include \"sub/../../outside.cuh\"", 1, 10, "outside of the"},
        {"#include <../../nowhere.cuh>", 1, 10, "outside of the template's"},
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
        {"#define HAS __has_include\n#if HAS(<a>)\n#endif", 1, 13, "write"},
        {"#define HAS(x) __has_include x\n", 1, 16, "where it is asked"},
        {"#if defined(X) && __has_include\n#endif", 1, 19, "where it is"},
        {"#ifdef X\n__has_include\n#endif", 2, 1, "where it is asked"},
        {"#define D defined HAS\n#define H __has_\\\ninclude", 2, 11, "write"},
        {"asm(\".incbin \\\"x\\\"\");", 1, 5, "assembly"},
        {"asm(\".include \\\"x\\\"\");", 1, 5, "assembly"},
        {"asm(\".INCbin x\");", 1, 5, "assembly"},
        {"asm(\".inc\" \"bin x\");", 1, 12, "assembly"},
        {"asm(\"nop;.i\"\n  /* x */ u8\"nc\"\"lude x\");", 2, 17, "assembly"},
        {"asm(\"\\056inc\\x62in x\");", 1, 5, "assembly"},
        {"asm(\"\\x2e\" \"inc\\u006cude x\");", 1, 12, "assembly"},
        {"asm(\".inc\\\nbin x\");", 1, 5, "assembly"},
        {"asm(R\"y(\n.inc)y\" R\"(bin x)\");", 2, 10, "assembly"},
        {"asm(\".inc\"\n#if 1\n\"bin x\"\n#endif\n);", 3, 1, "assembly"},
        {"#define A \".inc\" \\\n \"bin x\"", 2, 2, "assembly"},
    };

    (void)state;
    headers_write("./outside.cuh", "secret of somebody else\n");
    headers_write("t/sub/x.cuh", "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char place[64];
        hone_template *t = NULL;
        hone_diagnostics d;
        hone_error err = {0};

        assert_int_equal(headers_load(bad[i].lines, &t, &d, &err),
                         HONE_ERR_INPUT);
        if (!d.n || d.items[0].line != bad[i].line ||
            d.items[0].column != bad[i].column ||
            !strstr(d.items[0].text, bad[i].text))
            fail_msg("%s\n%s", bad[i].lines, err.text);
        hone__diagnostics_free(&d);
        /* The same in a header. */
        headers_write("t/own.cuh", bad[i].lines);
        assert_int_equal(headers_load("#include \"own.cuh\"", &t, &d, &err),
                         HONE_ERR_INPUT);
        (void)snprintf(place, sizeof place, "t/own.cuh:%d:%d: ", bad[i].line,
                       bad[i].column);
        if (d.n || !strstr(err.text, place) || !strstr(err.text, bad[i].text))
            fail_msg("%s\n%s", bad[i].lines, err.text);
    }
}

/* Whether it can be asked is no question about a header, and strings that are
 * not joined open no file. */
static void what_names_nothing_is_taken(void **state)
{
    static const char *const good[] = {
        "#ifdef __has_include\n#endif",
        "#  ifndef __has_include\n#endif",
        "#if defined __has_include\n#endif",
        "#if !defined ( __has_include )\n#elif defined(__has_include)\n#endif",
        "#define CAN_ASK defined(__has_include)",
        "#if defined \\\n __has_include\n#endif",
        "asm(\".inc\"); asm(\"bin x\");",
        "const char *a = \".inc\", *b = \"bin\";",
        "const char *a = \"\\\\.inc\\\\bin\";",
        "const char *a = R\"(.inc\\x62in)\";",
        "#define A \".inc\"\nconst char *b = \"bin\";",
        "const char *a = \".\"\n#define B \"inc\"\n\"bin\";",
        "const char *a = \".\\056incl\\nude\";",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
        hone__template_free(headers_load_good(good[i]));
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
    static const char outside[] =
        "./a.h\0#include \"./b.h\"\n\0"
        "./b.h\0#include <hone: outside of its folders>\n";
    hone_template *t;
    hone_diagnostics d;
    hone_error err = {0};

    (void)state;
    headers_write("lib/one/sub/a.h", "#include \"b.h\"\n");
    headers_write("lib/one/sub/b.h", text);
    t = headers_load_good("#include <sub/a.h>");
    assert_int_equal(t->headers.size_bytes, sizeof expected);
    assert_memory_equal(t->headers.bytes, expected, sizeof expected);
    hone__template_free(t);
    /* What lies elsewhere is not there. */
    headers_write("./own.cuh", "");
    headers_write("lib/one/sub/b.h", "#include \"../../../own.cuh\"\n");
    t = headers_load_good("#include <sub/a.h>");
    assert_int_equal(t->headers.size_bytes, sizeof outside);
    assert_memory_equal(t->headers.bytes, outside, sizeof outside);
    hone__template_free(t);
    /* but the compiler opens nothing that hone does not see */
    headers_write("lib/one/sub/b.h", "#embed \"x\"\n");
    assert_int_equal(headers_load("#include <sub/a.h>", &t, &d, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "lib/one/sub/b.h:1:1: "));
}

/* Ours, once each, until a folder has another; NVRTC and hosts have these. */
static void standard_headers_are_given(void **state)
{
    hone_template *t;

    (void)state;
    t = headers_load_good("#include <cstdint>\n#include \"cstdint\"\n"
                          "#include <cuda/std/cstdint>\n#include <new>");
    assert_int_equal(t->headers.n, 2);
    assert_string_equal(t->headers.bytes, "./cstdint");
    assert_non_null(strstr(t->headers.bytes + 10, "using int64_t"));
    assert_int_equal(t->mentioned[0], 0);
    hone__template_free(t);
    headers_write("lib/one/cstdint", "int mine;\n");
    t = headers_load_good("#include <cstdint>");
    assert_string_equal(t->headers.bytes + 10, "int mine;\n");
    hone__template_free(t);
}

/* Whatever the file is called; two of one name are told apart by the user. */
static void operations_are_found_by_name(void **state)
{
    hone_text path = {0};
    hone_error err = {0};
    int found = 0;

    (void)state;
    headers_write("one/some.cu", "#pragma hone op gemm_x(n) \"x\"\n");
    headers_write("two/gemm.cu", "#pragma hone op other(n) \"x\"\n");
    headers_write("two/mine.cu",
                  "// op gemm\n#pragma hone op  gemm (n) \"x\"\n");
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
    assert_int_equal(hone__template_shadowed("gemm_x", "one/some.cu",
                                             "two:one:none:one", &found, &path,
                                             &err),
                     HONE_OK);
    assert_false(found);
    headers_write("three/gemm_x.cu", "#pragma hone op gemm_x(k) \"x\"\n");
    hone__text_clear(&path);
    assert_int_equal(hone__template_shadowed("gemm_x", "one/some.cu",
                                             "two:one:three", &found, &path,
                                             &err),
                     HONE_OK);
    assert_true(found);
    assert_string_equal(path.data, "three/gemm_x.cu");
    hone__text_clear(&path);
    headers_write("one/again.cu", "#pragma hone op gemm_x(m) \"x\"\n");
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
    headers_write("t/a/some.h", "");
    headers_write("t/cuda/cuda_runtime_api.h", "");
    headers_write("t/cuda/cccl/some.h", "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        hone_template *t = NULL;
        hone_diagnostics d;

        assert_int_equal(headers_load(bad[i].line, &t, &d, &err),
                         HONE_ERR_INPUT);
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
    assert_int_equal(
        headers_load("#include OWN\n#pragma hone wrong", &t, &d, NULL),
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
    t = headers_load_good("#include \\\n  <mma.h>");
    assert_int_equal(hone__expand_unit(t, config, dims, &text, NULL), HONE_OK);
    assert_non_null(strstr(text.data, "#include \\\n  <mma.h>\n"));
    hone__text_free(&text);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(texts_name_each_other),
        IN_FOLDER(headers_name_parameters),
        IN_FOLDER(what_cannot_be_followed_is_refused),
        IN_FOLDER(what_names_nothing_is_taken),
        IN_FOLDER(headers_of_others_may_compute),
        IN_FOLDER(standard_headers_are_given),
        IN_FOLDER(operations_are_found_by_name),
        IN_FOLDER(include_folders_are_checked),
        IN_FOLDER(mistakes_come_together),
        IN_FOLDER(block_is_behind_a_split_include),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
