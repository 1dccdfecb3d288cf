/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for a template: whatever fails on the way, the answer is the right
 * template or an error, and never another template. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "tests/gen/headers_fixture.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

/* ---- folders that fail --------------------------------------------------- */

static const char *broken_folder; /* opendir() of it fails; NULL: of none */
static int broken_errno;
static long names_until_broken = -1; /* readdir() fails then; -1: never */

/* In place of libc's. */
DIR *opendir(const char *path)
{
    DIR *(*real)(const char *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "opendir");

    memcpy(&real, &symbol, sizeof real);
    if (!broken_folder || strcmp(path, broken_folder) != 0)
        return real(path);
    errno = broken_errno;
    return NULL;
}

struct dirent *readdir(DIR *dir)
{
    struct dirent *(*real)(DIR *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "readdir");

    memcpy(&real, &symbol, sizeof real);
    if (names_until_broken < 0 || names_until_broken-- > 0)
        return real(dir);
    names_until_broken = -1;
    errno = EIO;
    return NULL;
}

/* ---- the search ---------------------------------------------------------- */

#define HEADING "#pragma hone op "
#define REST                                                                   \
    "(n) \"x\"\n"                                                              \
    "#pragma hone arg x: inout f32[n]\n"                                       \
    "#pragma hone launch k grid(1) block(1)\n"                                 \
    "extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n"

/* `scale` is meant by what a file declares, in the folder before that in which
 * a file is called so. */
static int enter(void **state)
{
    if (headers_enter(state))
        return 1;
    headers_write("one/some.cu", HEADING "scale" REST);
    headers_write("one/most.cu", HEADING "sum" REST);
    headers_write("one/now.cu", "/* Was once:\n" HEADING "once" REST "*/\n"
                                "#pragma  hone\top  later" REST);
    headers_write("two/scale.cu", HEADING "scale" REST "// another\n");
    headers_write("two/sum.cu", HEADING "product" REST);
    headers_write("many/a.cu", HEADING "twice" REST);
    headers_write("many/b.cu", HEADING "twice" REST);
    headers_write("three/add.cu", "#pragma hone implements add/plain\n");
    headers_write("three/fast.cu", "#pragma hone implements add/fast\n");
    return 0;
}

#define IN_FOLDERS(test)                                                       \
    cmocka_unit_test_setup_teardown(test, enter, headers_leave)

static hone_status find(const char *name, hone_text *out, hone_error *err)
{
    return hone__template_find(name, "one:two:none:many:three", out, err);
}

static hone_status load(const char *name, hone_text *out, hone_error *err)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    const hone_status status =
        hone__template_load(name, "one:two", &t, &d, err);

    if (status == HONE_OK)
        hone__text_puts(out, t->path);
    hone__diagnostics_free(&d);
    hone__template_free(t);
    return out->failed ? HONE_ERR_NO_MEMORY : status;
}

static hone_status list(const char *name, hone_text *out, hone_error *err)
{
    hone_template_list all;
    const hone_status status = hone__templates_list(
        *name ? name : NULL, "one:two:none:many:three", &all, err);

    for (size_t i = 0; i < all.n; ++i)
        hone__text_printf(out, "%s/%s %s\n", all.items[i].op, all.items[i].name,
                          all.items[i].path);
    hone__templates_list_free(&all);
    return out->failed ? HONE_ERR_NO_MEMORY : status;
}

static hone_status shadowed(const char *name, hone_text *out, hone_error *err)
{
    int found = 0;
    const hone_status status = hone__template_shadowed(
        name, "one/some.cu", "one:two:none", &found, out, err);

    if (!found)
        hone__text_clear(out);
    return status;
}

static const struct {
    hone_status (*ask)(const char *name, hone_text *out, hone_error *err);
    const char *name;
    hone_status status;
    const char *answer;
} asked[] = {
    {find, "scale", HONE_OK, "one/some.cu"},
    {find, "sum", HONE_OK, "one/most.cu"},
    {find, "product", HONE_OK, "two/sum.cu"},
    {find, "add", HONE_OK, "three/add.cu"},
    {find, "add/fast", HONE_OK, "three/fast.cu"},
    {find, "scale/scale", HONE_OK, "two/scale.cu"},
    {find, "two/scale.cu", HONE_OK, "two/scale.cu"},
    {find, "once", HONE_ERR_NOT_FOUND, ""}, /* in a comment */
    {find, "later", HONE_OK, "one/now.cu"},
    {find, "twice", HONE_ERR_INPUT, ""},
    {find, "none", HONE_ERR_NOT_FOUND, ""},
    {load, "scale", HONE_OK, "one/some.cu"},
    {list, "add", HONE_OK, "add/fast three/fast.cu\nadd/plain three/add.cu\n"},
    {list, "", HONE_OK,
     "add/fast three/fast.cu\nadd/plain three/add.cu\n"
     "later/now one/now.cu\n"
     "product/sum two/sum.cu\nscale/scale two/scale.cu\n"
     "scale/some one/some.cu\nsum/most one/most.cu\n"
     "twice/a many/a.cu\ntwice/b many/b.cu\n"},
    {shadowed, "scale", HONE_OK, "two/scale.cu"},
    {shadowed, "product", HONE_OK, "two/sum.cu"},
    {shadowed, "nobody", HONE_OK, ""},
};

/* Did the allocation fail, was it noticed? */
static int ask(size_t i, long n)
{
    hone_text out = {0};
    hone_error err = {0};
    hone_status status;
    int failed;

    hone__alloc_fail_once(n);
    status = asked[i].ask(asked[i].name, &out, &err);
    failed = hone__alloc_fail_end();
    if (status != (failed ? HONE_ERR_NO_MEMORY : asked[i].status) ||
        (status == HONE_OK &&
         strcmp(hone__text_str(&out), asked[i].answer) != 0))
        fail_msg("%s, allocation %ld: status %d, '%s', %s", asked[i].name, n,
                 (int)status, hone__text_str(&out), err.text);
    hone__text_free(&out);
    return failed;
}

static void a_failed_allocation_finds_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
        long n = 0;

        (void)ask(i, -1);
        while (ask(i, n))
            ++n;
        assert_true(n > 0);
    }
}

/* What cannot be known is an error that names the folder. */
static void a_folder_that_fails_is_an_error(void **state)
{
    static const int errors[] = {EMFILE, ENFILE, ENOMEM, EIO, ELOOP};

    (void)state;
    broken_folder = "one";
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; ++e) {
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
            hone_text out = {0};
            hone_error err = {0};
            hone_status status;

            if (strstr(asked[i].name, ".cu"))
                continue; /* not looked for */
            broken_errno = errors[e];
            status = asked[i].ask(asked[i].name, &out, &err);
            assert_int_equal(status, errors[e] == ENOMEM ? HONE_ERR_NO_MEMORY
                                                         : HONE_ERR_IO);
            assert_non_null(strstr(err.text, "'one': "));
            assert_non_null(strstr(err.text, strerror(errors[e])));
            hone__text_free(&out);
        }
    }
    broken_folder = NULL;
}

/* Also where the list of its names breaks off. */
static void a_list_that_breaks_off_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
        for (long n = 0; n < 4 && !strstr(asked[i].name, ".cu"); ++n) {
            hone_text out = {0};
            hone_error err = {0};

            names_until_broken = n; /* ".", "..", some.cu, most.cu */
            assert_int_equal(asked[i].ask(asked[i].name, &out, &err),
                             HONE_ERR_IO);
            assert_non_null(strstr(err.text, "'one': "));
            hone__text_free(&out);
        }
    }
    names_until_broken = -1;
}

/* It has nothing for this user; a search in vain says so. */
static void a_refused_folder_is_named(void **state)
{
    hone_text out = {0};
    hone_error err = {0};
    hone_template_list all;

    (void)state;
    broken_folder = "one";
    broken_errno = EACCES;
    assert_int_equal(find("none", &out, &err), HONE_ERR_NOT_FOUND);
    assert_non_null(
        strstr(err.text, " one (cannot be read: permission denied), two (2 "));
    assert_non_null(strstr(err.text, " none (is not there), "));
    assert_int_equal(hone__templates_list("none", "one:two", &all, &err),
                     HONE_OK);
    assert_string_equal(hone__text_str(&all.refused), "one");
    hone__templates_list_free(&all);
    /* It may be entered all the same. */
    assert_int_equal(find("most", &out, &err), HONE_OK);
    assert_string_equal(out.data, "one/most.cu");
    hone__text_clear(&out);
    for (size_t i = 0; i < 2; ++i) {
        broken_errno = i ? ENOENT : ENOTDIR;
        assert_int_equal(find("scale", &out, &err), HONE_OK);
        assert_string_equal(out.data, "two/scale.cu");
        hone__text_clear(&out);
    }
    hone__text_free(&out);
    broken_folder = NULL;
}

/* A folder, a link to nothing and one to itself are no templates; a file that
 * is there is. */
static void what_is_no_file_is_passed_over(void **state)
{
    hone_text out = {0};
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__folder_create("one/folder.cu", &err), HONE_OK);
    assert_int_equal(symlink("nowhere", "one/nothing.cu"), 0);
    assert_int_equal(symlink("itself.cu", "one/itself.cu"), 0);
    assert_int_equal(find("product", &out, &err), HONE_OK);
    assert_string_equal(out.data, "two/sum.cu");
    assert_int_equal(find("folder", &out, &err), HONE_ERR_NOT_FOUND);
    hone__text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDERS(a_failed_allocation_finds_nothing_else),
        IN_FOLDERS(a_folder_that_fails_is_an_error),
        IN_FOLDERS(a_list_that_breaks_off_is_an_error),
        IN_FOLDERS(a_refused_folder_is_named),
        IN_FOLDERS(what_is_no_file_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
