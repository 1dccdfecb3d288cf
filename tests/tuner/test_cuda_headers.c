/* SPDX-License-Identifier: Apache-2.0 */
/* The digest over CUDA's headers says when one of those that a source may reach
 * is another one, and nothing else changes it. */
#include "runtime/base/alloc.h"
#include "tuner/compile/cuda_headers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char start[1024];
static char folder[64];
static hone_cuda_headers headers;

static void put(const char *name, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s", name);
    if (strrchr(path, '/')) {
        *strrchr(path, '/') = '\0';
        assert_int_equal(hone__folder_create(path, NULL), HONE_OK);
    }
    assert_int_equal(hone__file_replace(name, text, strlen(text), NULL),
                     HONE_OK);
}

static int enter(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/hone-cuda-XXXXXX");
    if (!getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder))
        return 1;
    headers = (hone_cuda_headers){.folders = {"cuda", "", "cuda/cccl"}};
    put("cuda/half.h", "#include \"sub/in.h\"\n#include <deep.h>\n");
    put("cuda/sub/in.h", "#if 0\n#include \"beside.h\"\n#endif\n");
    put("cuda/sub/beside.h", "int beside;\n");
    put("cuda/cccl/deep.h", "#include <half.h>\nint deep;\n");
    put("cuda/other.h", "int other;\n");
    return 0;
}

static int leave(void **state)
{
    char command[128];

    (void)state;
    hone__cuda_headers_free(&headers);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) || system(command);
}

static hone_status ask(hone_cuda_headers *of, const char *source,
                       char out[HONE_SHA256_HEX])
{
    static const char ours[] = "./own.h\0#include <half.h>\n";
    const hone_compile_input input = {.source = source,
                                      .headers = {1, ours, sizeof ours}};

    return hone__cuda_headers_digest(of, &input, out, NULL);
}

/* What this process knows already makes no difference. */
static void digest_of(const char *source, char out[HONE_SHA256_HEX])
{
    hone_cuda_headers fresh = {.folders = {"cuda", "", "cuda/cccl"}};
    char other[HONE_SHA256_HEX];

    assert_int_equal(ask(&headers, source, out), HONE_OK);
    assert_int_equal(ask(&fresh, source, other), HONE_OK);
    hone__cuda_headers_free(&fresh);
    assert_string_equal(out, other);
}

/* An edit of the file is another digest if it is `covered`, and undoing it is
 * undoing that. There need be no such file. */
static void edit(const char *source, const char *name, int covered)
{
    char first[HONE_SHA256_HEX], second[HONE_SHA256_HEX];
    char third[HONE_SHA256_HEX];
    hone_text before = {0};
    const int is_there = hone__text_read_file(&before, name, NULL) == HONE_OK;

    digest_of(source, first);
    assert_string_not_equal(first, "");
    put(name, "int edited;\n");
    digest_of(source, second);
    if (is_there)
        put(name, hone__text_str(&before));
    else
        assert_int_equal(unlink(name), 0);
    hone__text_free(&before);
    digest_of(source, third);
    if ((strcmp(first, second) != 0) != covered)
        fail_msg("%s in %s", name, source);
    assert_string_equal(first, third);
}

static void what_is_reached_is_covered(void **state)
{
    static const char source[] = "#include \"./own.h\"\n";

    (void)state;
    edit(source, "cuda/half.h", 1);
    edit(source, "cuda/sub/in.h", 1);
    edit(source, "cuda/sub/beside.h", 1);
    edit(source, "cuda/cccl/deep.h", 1);
    edit("#include <other.h>\n", "cuda/other.h", 1);
    edit("#if __has_include(<new.h>)\n#endif\n", "cuda/cccl/new.h", 1);
    /* One that comes to stand before another, or is named and not there. */
    edit(source, "cuda/deep.h", 1);
    edit(source, "cuda/sub/deep.h", 0);
    put("cuda/sub/in.h", "#include \"later.h\"\n");
    edit(source, "cuda/later.h", 1);
    edit(source, "cuda/sub/later.h", 1);
    /* What nobody names. */
    edit(source, "cuda/cccl/half.h", 0);
    edit(source, "cuda/more.h", 0);
}

/* Nobody knows what a macro names: it may be each of them. */
static void a_name_that_is_hidden_may_be_any(void **state)
{
    static const char source[] = "#include <half.h>\n";

    (void)state;
    put("cuda/cccl/deep.h", "#include DEEPER\n");
    edit(source, "cuda/other.h", 1);
    edit(source, "cuda/more.h", 1);
    put("cuda/cccl/far/a.h", "");
    edit(source, "cuda/cccl/far/b.h", 1);
    edit("#define A <other.h>\n#include A\n", "cuda/cccl/c.h", 1);
}

/* Whatever an editor does to the file's times. */
static void times_hide_nothing(void **state)
{
    char first[HONE_SHA256_HEX], second[HONE_SHA256_HEX];
    struct stat before;
    struct timespec times[2];

    (void)state;
    digest_of("#include <other.h>\n", first);
    assert_int_equal(stat("cuda/other.h", &before), 0);
    put("cuda/other.h", "int OTHER;\n");
    times[0] = before.st_atim;
    times[1] = before.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, "cuda/other.h", times, 0), 0);
    digest_of("#include <other.h>\n", second);
    assert_string_not_equal(first, second);
    /* Nor do they make another header of the same text. */
    put("cuda/other.h", "int other;\n");
    digest_of("#include <other.h>\n", second);
    assert_string_equal(first, second);
}

/* A cache may be copied to a machine that has them elsewhere. */
static void places_do_not_count(void **state)
{
    static const char source[] = "#include <half.h>\n#include <none.h>\n";
    char first[HONE_SHA256_HEX], second[HONE_SHA256_HEX];
    hone_cuda_headers other = {.folders = {"other", NULL, "other/cccl"}};

    (void)state;
    digest_of(source, first);
    assert_int_equal(system("cp -r cuda other"), 0);
    assert_int_equal(ask(&other, source, second), HONE_OK);
    hone__cuda_headers_free(&other);
    assert_string_equal(first, second);
}

static void a_source_without_any_has_none(void **state)
{
    const hone_compile_input input = {
        .source = "// #include <half.h>\n#include \"half.h\"\n"};
    char digest[HONE_SHA256_HEX];

    (void)state;
    assert_int_equal(hone__cuda_headers_digest(&headers, &input, digest, NULL),
                     HONE_OK);
    assert_string_equal(digest, "");
}

/* The next source may come with other headers. */
static void headers_of_the_source_may_change(void **state)
{
    static const char first[] = "./a.h\0#include <half.h>\n";
    static const char second[] = "./a.h\0#include <other.h>\n";
    const hone_compile_input inputs[] = {
        {.source = "", .headers = {1, first, sizeof first}},
        {.source = "", .headers = {1, second, sizeof second}},
        {.source = ""}};
    char digests[6][HONE_SHA256_HEX];

    (void)state;
    for (size_t i = 0; i < 6; ++i)
        assert_int_equal(hone__cuda_headers_digest(&headers, &inputs[i % 3],
                                                   digests[i], NULL),
                         HONE_OK);
    assert_string_not_equal(digests[0], digests[1]);
    assert_string_equal(digests[2], "");
    for (size_t i = 0; i < 3; ++i)
        assert_string_equal(digests[i], digests[i + 3]);
}

static void every_allocation_fails_once(void **state)
{
    static const char source[] = "#include <half.h>\n#include HIDDEN\n";
    char whole[HONE_SHA256_HEX];
    long n = 0;

    (void)state;
    digest_of(source, whole);
    for (int failed = 1; failed; ++n) {
        hone_cuda_headers fresh = {.folders = {"cuda", "", "cuda/cccl"}};
        char digest[HONE_SHA256_HEX];
        hone_status status;

        hone__alloc_fail_once(n);
        status = ask(&fresh, source, digest);
        failed = hone__alloc_fail_end();
        assert_int_equal(status, failed ? HONE_ERR_NO_MEMORY : HONE_OK);
        assert_string_equal(digest, failed ? "" : whole);
        /* What it left behind is no answer to the next question. */
        assert_int_equal(ask(&fresh, source, digest), HONE_OK);
        assert_string_equal(digest, whole);
        hone__cuda_headers_free(&fresh);
    }
    assert_true(n > 20);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_is_reached_is_covered),
        IN_FOLDER(a_name_that_is_hidden_may_be_any),
        IN_FOLDER(times_hide_nothing),
        IN_FOLDER(places_do_not_count),
        IN_FOLDER(a_source_without_any_has_none),
        IN_FOLDER(headers_of_the_source_may_change),
        IN_FOLDER(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
