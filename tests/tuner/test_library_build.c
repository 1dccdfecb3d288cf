/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of a library are told apart by their build ids, which copies share, or
 * by when they were changed; and NVRTC's has its builtins with it. */
#include "tuner/compile/library_build.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/hone-build-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A library with this build id ('\0': none), changed at `second`. */
static void put(const char *name, char id, time_t second)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr segment;
        Elf64_Nhdr other;
        char other_name[8];
        Elf64_Nhdr note;
        char note_name[4], id[4];
    } file = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                       .e_phoff = sizeof(Elf64_Ehdr),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1},
              .segment = {.p_type = PT_NOTE,
                          .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                          .p_filesz = 2 * sizeof(Elf64_Nhdr) + 16},
              .other = {.n_namesz = 6, .n_type = NT_GNU_BUILD_ID},
              .other_name = "Other",
              .note = {.n_namesz = 4,
                       .n_descsz = 4,
                       .n_type = id ? NT_GNU_BUILD_ID : NT_GNU_ABI_TAG},
              .note_name = "GNU",
              .id = {id, 2, 3, 4}};
    const struct timespec times[2] = {{second, 0}, {second, 0}};

    assert_int_equal(
        hone__file_replace(path_of(name), &file, sizeof file, NULL), HONE_OK);
    assert_int_equal(utimensat(-1, path_of(name), times, 0), 0);
}

/* Whether both files are the same build. */
static int is_same(const char *a, const char *b)
{
    hone_text left = {0}, right = {0};
    int same;

    hone__library_build(path_of(a), &left);
    hone__library_build(path_of(b), &right);
    assert_true(left.length && right.length);
    same = strcmp(hone__text_str(&left), hone__text_str(&right)) == 0;
    hone__text_free(&left);
    hone__text_free(&right);
    return same;
}

static void test_one_library(void **state)
{
    hone_text none = {0};

    (void)state;
    put("first", 1, 1000);
    put("copied", 1, 2000);
    put("updated", 7, 1000);
    assert_true(is_same("first", "copied"));
    assert_false(is_same("first", "updated"));
    put("bare", 0, 1000);
    put("bare_too", 0, 1000);
    put("bare_later", 0, 2000);
    assert_true(is_same("bare", "bare_too"));
    assert_false(is_same("bare", "bare_later"));
    hone__library_build(path_of("nobody"), &none);
    assert_int_equal(none.length, 0);
}

/* What is no whole library has no build id, and is not read beyond its end. */
static void test_cut_off(void **state)
{
    static const unsigned char text[] = "\x7f"
                                        "ELF\2 and no more";

    (void)state;
    for (size_t n = 0; n < sizeof text; ++n) {
        hone_text out = {0};

        assert_int_equal(hone__file_replace(path_of("short"), text, n, NULL),
                         HONE_OK);
        hone__library_build(path_of("short"), &out);
        assert_non_null(strstr(hone__text_str(&out), "of "));
        hone__text_free(&out);
    }
}

static void test_builtins(void **state)
{
    static const char *const folders[] = {"a", "b", "c"};
    hone_text builds[3] = {{0}};
    char name[64];

    (void)state;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
        (void)snprintf(name, sizeof name, "%s/libnvrtc.so.13", folders[i]);
        put(name, 1, 1000);
        (void)snprintf(name, sizeof name, "%s/libnvrtc-builtins.so.13.0",
                       folders[i]);
        put(name, i == 2 ? 9 : 5, 1000 + i);
    }
    for (int i = 0; i < 3; ++i) {
        hone_nvrtc one = {.version_major = 13}, *nvrtc = &one;

        (void)snprintf(nvrtc->library, sizeof nvrtc->library,
                       "%s/%s/libnvrtc.so.13", folder, folders[i]);
        hone__nvrtc_build(nvrtc, &builds[i]);
    }
    assert_string_equal(hone__text_str(&builds[0]), hone__text_str(&builds[1]));
    assert_string_not_equal(hone__text_str(&builds[0]),
                            hone__text_str(&builds[2]));
    for (int i = 0; i < 3; ++i)
        hone__text_free(&builds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_library),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_builtins),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
