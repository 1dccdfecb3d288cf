/* SPDX-License-Identifier: Apache-2.0 */
/* Where NVRTC and CUDA's headers may be: see nvrtc_places.h. The order is that
 * of the table `places`: what somebody named, what the loader finds, what is
 * installed for the whole machine, what came with Python. Nothing is started
 * to find out, no Python either. */
#define _GNU_SOURCE /* strverscmp */
#include "runtime/driver/nvrtc_places.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum place_kind {
    TOOLKIT, /* lib64/ or lib/, and include/ */
    SYSTEM,  /* the folder of libraries itself; headers are in /usr/include */
    LOADER,  /* names that the dynamic loader looks up */
    PYTHON,  /* the pattern of a folder of Python's packages */
    ON_PATH  /* the same, of the first python3 on PATH */
} place_kind;

typedef struct place {
    place_kind kind;
    const char *variable; /* the pattern starts at what it names */
    const char *pattern;
    const char *origin;
} place;

#define PACKAGES "/lib/python3*/site-packages"

static const place places[] = {
    {TOOLKIT, "CUDA_HOME", "", "named by $CUDA_HOME"},
    {TOOLKIT, "CUDA_PATH", "", "named by $CUDA_PATH"},
    {LOADER, NULL, "", "found by the dynamic loader"},
    {PYTHON, "VIRTUAL_ENV", PACKAGES, "in the environment $VIRTUAL_ENV"},
    {TOOLKIT, "CONDA_PREFIX", "", "in the environment $CONDA_PREFIX"},
    {PYTHON, "CONDA_PREFIX", PACKAGES, "in the environment $CONDA_PREFIX"},
    {TOOLKIT, NULL, "/usr/local/cuda", "in /usr/local/cuda"},
    {TOOLKIT, NULL, "/usr/local/cuda-*", "in a toolkit's folder"},
    {TOOLKIT, NULL, "/opt/cuda", "in a toolkit's folder"},
    {SYSTEM, NULL, "/usr/lib/*-linux-gnu", "of a package of the system"},
    {PYTHON, "PYTHONUSERBASE", PACKAGES, "of Python's packages of the user"},
    {PYTHON, "HOME", "/.local" PACKAGES, "of Python's packages of the user"},
    {ON_PATH, "PATH", PACKAGES, "of the packages of the python3 on PATH"},
    {PYTHON, NULL, "/usr/local/lib/python3*/dist-packages",
     "of Python's packages of the system"},
    {PYTHON, NULL, "/usr/local" PACKAGES, "of Python's packages of the system"},
    {PYTHON, NULL, "/usr/lib/python3*/dist-packages",
     "of Python's packages of the system"},
    {PYTHON, NULL, "/usr" PACKAGES, "of Python's packages of the system"},
    {PYTHON, "PYENV_ROOT", "/versions/*" PACKAGES, "of a Python of pyenv"},
    {PYTHON, "HOME", "/.pyenv/versions/*" PACKAGES, "of a Python of pyenv"}};

/* One walk over the table. */
typedef struct walk {
    const char *root;
    const char *header; /* NULL: libraries are looked for */
    hone_place_visit *visit;
    void *user;
    int is_enough;
    int failed; /* memory ran out */
} walk;

/* CUDA 13.0 before 12.9, 12.10 before 12.9. */
static int newest_first(const void *a, const void *b)
{
    return -strverscmp(*(char *const *)a, *(char *const *)b);
}

static void visit_pattern(walk *w, const char *pattern, const char *origin)
{
    glob_t found;
    const int result = glob(pattern, GLOB_NOSORT, NULL, &found);

    w->failed |= result == GLOB_NOSPACE;
    if (result)
        return;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
    for (size_t i = 0; i < found.gl_pathc && !w->is_enough; ++i) {
        char *path = found.gl_pathv[i];

        if (strlen(path) >= HONE_PLACE_BYTES)
            continue;
        if (w->header) /* the folder it was found in */
            path[strlen(path) - strlen(w->header) - 1] = '\0';
        w->is_enough = w->visit(w->user, path, origin);
    }
    globfree(&found);
}

/* Those in START/MIDDLE, of which START is no pattern. */
static void visit_in(walk *w, const char *start, const char *pattern,
                     const char *middle, const char *origin)
{
    static const char library[] = "libnvrtc.so.[1-9]*";
    char text[2 * HONE_PLACE_BYTES];
    size_t n = 0;

    for (; *start && n < HONE_PLACE_BYTES - 1; ++start) {
        if (strchr("*?[]\\", *start)) /* a user's folder may be called so */
            text[n++] = '\\';
        text[n++] = *start;
    }
    if (!w->is_enough &&
        snprintf(text + n, sizeof text - n, "%s%s/%s", pattern, middle,
                 w->header ? w->header : library) < (int)(sizeof text - n))
        visit_pattern(w, text, origin);
}

static void visit_place(walk *w, const place *p, const char *start)
{
    switch (p->kind) {
    case TOOLKIT:
        if (w->header) {
            visit_in(w, start, p->pattern, "/include", p->origin);
        } else {
            visit_in(w, start, p->pattern, "/lib64", p->origin);
            visit_in(w, start, p->pattern, "/lib", p->origin);
        }
        break;
    case SYSTEM:
        if (w->header)
            visit_in(w, start, "/usr/include", "", p->origin);
        else
            visit_in(w, start, p->pattern, "", p->origin);
        break;
    case LOADER:
        for (int version = 13; version >= 12 && !w->header; --version) {
            char name[32];

            (void)snprintf(name, sizeof name, "libnvrtc.so.%d", version);
            if (!w->is_enough)
                w->is_enough = w->visit(w->user, name, p->origin);
        }
        break;
    case PYTHON: /* nvidia/cuda_nvrtc and others of CUDA 12, nvidia/cu13 */
    case ON_PATH:
        visit_in(w, start, p->pattern,
                 w->header ? "/nvidia/*/include" : "/nvidia/*/lib", p->origin);
        break;
    }
}

/* The folder above bin/ of the first python3 on PATH, as it is named (a virtual
 * environment that is used without being active) and where links lead to. */
static void visit_python_on_path(walk *w, const place *p, const char *path)
{
    char program[HONE_PLACE_BYTES];

    while (path && *path) {
        const size_t n = strcspn(path, ":");
        const int length =
            snprintf(program, sizeof program, "%.*s/python3", (int)n, path);

        path += n + (path[n] == ':');
        if (!n || length >= (int)sizeof program || access(program, X_OK))
            continue;
        for (int is_real = 0; is_real < 2; ++is_real) {
            char *file = is_real ? realpath(program, NULL) : strdup(program);
            char *slash = file ? strrchr(file, '/') : NULL;

            w->failed |= !file && errno == ENOMEM;
            if (slash)
                *slash = '\0';
            slash = slash ? strrchr(file, '/') : NULL;
            if (slash) {
                *slash = '\0';
                visit_place(w, p, file);
            }
            free(file);
        }
        return;
    }
}

static hone_status walk_places(walk *w, hone_error *err)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        const place *p = &places[i];
        const char *start = p->variable ? getenv(p->variable) : w->root;

        if (w->is_enough || !start || (p->variable && !*start))
            continue;
        if (p->kind == ON_PATH)
            visit_python_on_path(w, p, start);
        else
            visit_place(w, p, start);
    }
    return w->failed && !w->is_enough
               ? hone__out_of_memory(err, " while looking for NVRTC")
               : HONE_OK;
}

hone_status hone__nvrtc_each_library(const char *root, hone_place_visit *visit,
                                     void *user, hone_error *err)
{
    walk w = {.root = root, .visit = visit, .user = user};

    return walk_places(&w, err);
}

hone_status hone__nvrtc_each_include(const char *root, const char *header,
                                     hone_place_visit *visit, void *user,
                                     hone_error *err)
{
    walk w = {.root = root, .header = header, .visit = visit, .user = user};

    return walk_places(&w, err);
}
