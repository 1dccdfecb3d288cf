/* SPDX-License-Identifier: Apache-2.0 */
/* Where NVRTC and CUDA's headers are looked for, in which order, what is passed
 * over and what is said of it. This machine's own are hidden: glob() and
 * dlopen() see nothing outside of the test's folder. */
#define _GNU_SOURCE
#include "runtime/base/text.h"
#include "runtime/driver/nvrtc_api.h"
#include "runtime/driver/nvrtc_places.h"

#include <dlfcn.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

static char root[] = "/tmp/hone_nvrtc_XXXXXX";
static int no_memory_in_glob;

int __real_glob(const char *pattern, int flags,
                int (*errfunc)(const char *path, int code), glob_t *out);
int __wrap_glob(const char *pattern, int flags,
                int (*errfunc)(const char *path, int code), glob_t *out);
void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);

int __wrap_glob(const char *pattern, int flags,
                int (*errfunc)(const char *path, int code), glob_t *out)
{
    if (no_memory_in_glob)
        return GLOB_NOSPACE;
    if (strncmp(pattern, root, strlen(root)) != 0)
        return GLOB_NOMATCH;
    return __real_glob(pattern, flags, errfunc, out);
}

void *__wrap_dlopen(const char *path, int flags)
{
    return __real_dlopen(strchr(path, '/') ? path : "libhone_no_such.so",
                         flags);
}

/* ---- a machine ----------------------------------------------------------- */

static void in_root(char *out, size_t size, const char *path)
{
    assert_true(snprintf(out, size, "%s/%s", root, path) < (int)size);
}

/* A file with this text, or a copy of the file `from`. */
static void put(const char *path, const char *text, const char *from)
{
    hone_text bytes = {0};
    char full[1024];
    char *slash;

    in_root(full, sizeof full, path);
    slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(hone__folder_create(full, NULL), HONE_OK);
    *slash = '/';
    if (from)
        assert_int_equal(hone__text_read_file(&bytes, from, NULL), HONE_OK);
    else
        hone__text_puts(&bytes, text);
    assert_int_equal(
        hone__file_replace(full, hone__text_str(&bytes), bytes.length, NULL),
        HONE_OK);
    hone__text_free(&bytes);
}

static void set(const char *variable, const char *path)
{
    char full[1024];

    in_root(full, sizeof full, path);
    assert_int_equal(setenv(variable, full, 1), 0);
}

static int empty_machine(void **state)
{
    static const char *const variables[] = {
        "CUDA_HOME",        "CUDA_PATH", "VIRTUAL_ENV",
        "CONDA_PREFIX",     "HOME",      "PYTHONUSERBASE",
        "PYENV_ROOT",       "PATH",      "HONE_NVRTC_LIBRARY",
        "HONE_CUDA_INCLUDE"};

    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        (void)unsetenv(variables[i]);
    (void)strcpy(root, "/tmp/hone_nvrtc_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_machine(void **state)
{
    char command[128];

    (void)state;
    (void)setenv("PATH", "/usr/bin:/bin", 1);
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* ---- the order ----------------------------------------------------------- */

typedef struct visited {
    hone_text paths; /* without the root, one a line */
    int most;        /* visits; 0: any number */
} visited;

static int note(void *user, const char *path, const char *origin)
{
    visited *v = user;
    const size_t length = strlen(root);

    assert_true(origin[0] != '\0');
    hone__text_printf(&v->paths, "%s\n",
                      strncmp(path, root, length) ? path : path + length + 1);
    return v->most && --v->most == 0;
}

/* PIP may stand for where a Python has its packages. */
#define PIP "lib/python3.11/site-packages"

static const char libraries[] =
    "home/lib64/libnvrtc.so.12\n"
    "path/lib/libnvrtc.so.12\n"
    "libnvrtc.so.13\n"
    "libnvrtc.so.12\n"
    "venv [1]/" PIP "/nvidia/cu13/lib/libnvrtc.so.13\n"
    "conda/lib/libnvrtc.so.12\n"
    "usr/local/cuda-13.0/lib64/libnvrtc.so.13\n"
    "usr/local/cuda-12.10/lib64/libnvrtc.so.12\n"
    "usr/local/cuda-12.9/lib64/libnvrtc.so.12\n"
    "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2\n"
    "user/.local/" PIP "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12\n"
    "tool/" PIP "/nvidia/cu13/lib/libnvrtc.so.13\n"
    "usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libnvrtc.so.13\n"
    "user/.pyenv/versions/3.12.1/lib/python3.12/site-packages/nvidia/cu13/lib/"
    "libnvrtc.so.13\n";

/* Every file of the list, as if each kind of place had one. */
static void fill_machine(const char *list)
{
    char line[256];

    while (*list) {
        const size_t n = strcspn(list, "\n");

        (void)snprintf(line, sizeof line, "%.*s", (int)n, list);
        if (strchr(line, '/'))
            put(line, "not a library", NULL);
        list += n + 1;
    }
    set("CUDA_HOME", "home");
    set("CUDA_PATH", "path");
    set("VIRTUAL_ENV", "venv [1]");
    set("CONDA_PREFIX", "conda");
    set("HOME", "user");
}

static void test_order(void **state)
{
    visited v = {0};
    char path[1024], python[1024];

    (void)state;
    fill_machine(libraries);
    put("tool/bin/python3.11", "#!/bin/sh\n", NULL);
    in_root(python, sizeof python, "tool/bin/python3.11");
    assert_int_equal(chmod(python, 0755), 0);
    put("shims/there", "", NULL);
    in_root(path, sizeof path, "shims/python3");
    assert_int_equal(symlink(python, path), 0); /* links are followed */
    in_root(path, sizeof path, "shims");
    (void)setenv("PATH", path, 1);

    assert_int_equal(hone__nvrtc_each_library(root, note, &v, NULL), HONE_OK);
    assert_string_equal(hone__text_str(&v.paths), libraries);
    hone__text_clear(&v.paths);
    v.most = 2; /* the second is enough */
    assert_int_equal(hone__nvrtc_each_library(root, note, &v, NULL), HONE_OK);
    assert_string_equal(hone__text_str(&v.paths),
                        "home/lib64/libnvrtc.so.12\npath/lib/libnvrtc.so.12\n");
    hone__text_free(&v.paths);
}

static void test_headers_order(void **state)
{
    static const char files[] = "home/include/mma.h\n"
                                "venv [1]/" PIP "/nvidia/cu13/include/mma.h\n"
                                "usr/local/cuda-12.9/include/mma.h\n"
                                "usr/include/mma.h\n";
    static const char folders[] = "home/include\n"
                                  "venv [1]/" PIP "/nvidia/cu13/include\n"
                                  "usr/local/cuda-12.9/include\n"
                                  "usr/include\n";
    visited v = {0};

    (void)state;
    fill_machine(files);
    assert_int_equal(hone__nvrtc_each_include(root, "mma.h", note, &v, NULL),
                     HONE_OK);
    assert_string_equal(hone__text_str(&v.paths), folders);
    hone__text_free(&v.paths);
}

static void test_no_memory(void **state)
{
    visited v = {0};

    (void)state;
    set("CUDA_HOME", "home");
    no_memory_in_glob = 1;
    assert_int_equal(hone__nvrtc_each_library(root, note, &v, NULL),
                     HONE_ERR_NO_MEMORY);
    no_memory_in_glob = 0;
    hone__text_free(&v.paths);
}

/* ---- what is taken ------------------------------------------------------- */

static void assert_refused(const char *word, const char *other)
{
    const hone_nvrtc *table = NULL;
    hone_error err = {0};

    assert_int_equal(hone__nvrtc_get(&table, &err), HONE_ERR_NO_NVRTC);
    assert_null(table);
    if (!strstr(err.text, word) || !strstr(err.text, other))
        fail_msg("%s: lacks '%s' or '%s'", err.text, word, other);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused("pip install nvidia-cuda-nvrtc", "HONE_NVRTC_LIBRARY");
    put("cuda/lib64/libnvrtc.so.11.2", NULL, FAKE_NVRTC_11);
    set("CUDA_HOME", "cuda");
    assert_refused("libnvrtc.so.11.2, named by $CUDA_HOME: hone needs 12.0",
                   "pip install");
    set("HONE_NVRTC_LIBRARY", "nowhere/libnvrtc.so");
    assert_refused("nowhere/libnvrtc.so", "named by $HONE_NVRTC_LIBRARY");
    (void)setenv("HONE_NVRTC_LIBRARY", FAKE_NVRTC_LACKS, 1);
    assert_refused("has no function nvrtcGetCUBIN", "12.0");
}

static int look_at(void *user, const char *path, const char *origin)
{
    const size_t length = strlen(root);
    hone_nvrtc_look look;

    hone__nvrtc_look(path, &look);
    hone__text_printf(user, "%s %d.%d %s: %s\n",
                      strncmp(look.path, root, length) ? look.path
                                                       : look.path + length,
                      look.version_major, look.version_minor, origin,
                      strchr(look.path, '/') ? look.reason : "is not there");
    return 0;
}

/* The wheels of CUDA 12 in a virtual environment; those before it are too old,
 * the one after it is not asked for. Last: it stays taken. */
static void test_taken(void **state)
{
    const hone_nvrtc *table = NULL;
    int archs[HONE_NVRTC_MAX_ARCHS];
    hone_text others = {0};
    hone_error err = {0};
    char path[1024];

    (void)state;
    put("cuda/lib64/libnvrtc.so.11.2", NULL, FAKE_NVRTC_11);
    put("cuda/include/cuda_fp16.h", "", NULL);
    put("cuda/include/mma.h", "", NULL);
    put("cuda/include/cuda_runtime_api.h", "#define CUDART_VERSION  11080\n",
        NULL);
    put("venv/" PIP "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", NULL,
        FAKE_NVRTC_12);
    put("venv/" PIP "/nvidia/cuda_nvcc/include/crt/mma.h", "", NULL);
    put("user/.local/" PIP "/nvidia/cu13/lib/libnvrtc.so.13", NULL,
        FAKE_NVRTC_12);
    put("user/.local/" PIP "/nvidia/cuda_nvcc/include/crt/mma.h", "", NULL);
    put("user/.local/" PIP "/nvidia/cuda_runtime/include/cuda_fp16.h", "",
        NULL);
    put("user/.local/" PIP "/nvidia/cuda_runtime/include/mma.h", "", NULL);
    put("user/.local/" PIP "/nvidia/cuda_runtime/include/cuda_runtime_api.h",
        "/* */\n#define CUDART_VERSION  12040\n", NULL);
    set("CUDA_HOME", "cuda");
    set("VIRTUAL_ENV", "venv");
    set("HOME", "user");

    assert_int_equal(hone__nvrtc_get(&table, &err), HONE_OK);
    assert_int_equal(table->version_major * 100 + table->version_minor, 1204);
    in_root(path, sizeof path,
            "venv/" PIP "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    assert_string_equal(table->library, path);
    assert_string_equal(table->origin, "in the environment $VIRTUAL_ENV");
    assert_int_equal(hone__nvrtc_archs(table, archs), 2);
    assert_int_equal(archs[1], 90);
    /* Of the same version, though those of CUDA 11 come first. */
    in_root(path, sizeof path,
            "user/.local/" PIP "/nvidia/cuda_runtime/include");
    assert_string_equal(table->includes, path);
    in_root(path, sizeof path, "user/.local/" PIP "/nvidia/cuda_nvcc/include");
    assert_string_equal(table->crt, path);

    assert_int_equal(hone__nvrtc_each_library("", look_at, &others, &err),
                     HONE_OK);
    assert_string_equal(
        hone__text_str(&others),
        "/cuda/lib64/libnvrtc.so.11.2 11.8 named by $CUDA_HOME: hone needs "
        "12.0 or newer\n"
        "libnvrtc.so.13 0.0 found by the dynamic loader: is not there\n"
        "libnvrtc.so.12 0.0 found by the dynamic loader: is not there\n"
        "/venv/" PIP "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 12.4 in the "
        "environment $VIRTUAL_ENV: \n"
        "/user/.local/" PIP "/nvidia/cu13/lib/libnvrtc.so.13 12.4 of Python's "
        "packages of the user: \n");
    hone__text_free(&others);
}

int main(void)
{
#define CASE(f)                                                                \
    cmocka_unit_test_setup_teardown(f, empty_machine, remove_machine)
    const struct CMUnitTest tests[] = {
        CASE(test_order), CASE(test_headers_order), CASE(test_no_memory),
        CASE(test_refused), CASE(test_taken)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
