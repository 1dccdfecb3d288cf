/* SPDX-License-Identifier: Apache-2.0 */
/* Opening vendor libraries at run time: see library.h. */
#include "runtime/driver/library.h"

#include "runtime/driver/nvrtc_places.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048 };

/* RTLD_LOCAL: two vendor libraries of different versions must not meet. An
 * empty name would be this program itself. */
static void *open_file(const char *path)
{
    return *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_in(const char *folder, int length, const char *name)
{
    char path[PATH_SIZE];

    return snprintf(path, sizeof path, "%.*s/%s", length, folder, name) <
                   (int)sizeof path
               ? open_file(path)
               : NULL;
}

typedef struct beside {
    const char *name;
    void *library;
} beside;

/* A hone_place_visit. Of the wheels of CUDA 12 each library has a folder of its
 * own. */
static int open_beside(void *user, const char *path, const char *origin)
{
    static const char *const folders[] = {"", "/../../cublas/lib",
                                          "/../../cufft/lib"};
    const char *slash = strrchr(path, '/');
    beside *wanted = user;

    (void)origin;
    for (size_t i = 0; slash && i < HONE_COUNT(folders) && !wanted->library;
         ++i) {
        char folder[PATH_SIZE];

        if (snprintf(folder, sizeof folder, "%.*s%s", (int)(slash - path), path,
                     folders[i]) < (int)sizeof folder)
            wanted->library = open_in(folder, -1, wanted->name);
    }
    return wanted->library != NULL;
}

/* The toolkit's libraries usually lie in one folder: where NVRTC is, which is
 * not loaded for that, the others are. */
static void *open_in_cuda_folders(const char *name)
{
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                                 "/usr/local/cuda"};
    const char *const named = getenv("HONE_NVRTC_LIBRARY");
    beside wanted = {.name = name};

    if (!named || !open_beside(&wanted, named, ""))
        (void)hone__nvrtc_each_library("", open_beside, &wanted, NULL);
    for (size_t i = 0; i < HONE_COUNT(roots) && !wanted.library; ++i) {
        char folder[PATH_SIZE];

        if (roots[i] && *roots[i] &&
            snprintf(folder, sizeof folder, "%s/lib64", roots[i]) <
                (int)sizeof folder)
            wanted.library = open_in(folder, -1, name);
    }
    return wanted.library;
}

static const char *loader_message(void)
{
    const char *text = dlerror();

    return text ? text : "no message from the loader";
}

hone_status hone__library_open(const hone_library_search *search, void **out,
                               hone_error *err)
{
    const char *const named = getenv(search->variable);
    char first_message[512] = "";
    size_t i;

    *out = NULL;
    if (named && *named) {
        *out = open_file(named);
        return *out ? HONE_OK
                    : hone__fail(err, HONE_ERR_UNSUPPORTED,
                                 "%s cannot be loaded from the file that $%s "
                                 "names: %s. Correct the variable or unset it.",
                                 search->what, search->variable,
                                 loader_message());
    }
    for (i = 0; search->names[i] && !*out; i++) {
        *out = open_file(search->names[i]);
        if (!*out && i == 0)
            (void)snprintf(first_message, sizeof first_message, "%s",
                           loader_message());
    }
    for (i = 0; search->in_cuda_folders && search->names[i] && !*out; i++)
        *out = open_in_cuda_folders(search->names[i]);
    if (*out)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "%s is not on this machine (%s). %s Or set $%s to the "
                      "file.",
                      search->what, first_message, search->advice,
                      search->variable);
}

const char *hone__library_fill(void *library, const char *symbols, void *table)
{
    char *field = table;

    for (; *symbols; symbols += strlen(symbols) + 1) {
        const int optional = *symbols == '?';
        void *const found = dlsym(library, symbols + optional);

        if (!found && !optional)
            return symbols;
        /* ISO C has no conversion from void * to a function pointer; the
         * bytes are the same on every POSIX system. */
        memcpy(field, &found, sizeof found);
        field += sizeof found;
    }
    return NULL;
}

hone_status hone__library_bind(void *library, const char *what,
                               const char *symbols, void *table,
                               hone_error *err)
{
    const char *const missing = hone__library_fill(library, symbols, table);

    return missing ? hone__fail(err, HONE_ERR_UNSUPPORTED,
                                "the installed %s has no function %s; install "
                                "the one of CUDA 12.0 or newer",
                                what, missing)
                   : HONE_OK;
}

hone_status hone__library_once(hone_library_once *state,
                               hone_status (*load)(hone_error *err),
                               hone_error *err)
{
    hone_status status = HONE_OK;

    if (atomic_load_explicit(&state->is_done, memory_order_acquire))
        return HONE_OK;
    (void)pthread_mutex_lock(&state->lock);
    if (!atomic_load_explicit(&state->is_done, memory_order_relaxed)) {
        status = load(err);
        if (status == HONE_OK)
            atomic_store_explicit(&state->is_done, 1, memory_order_release);
    }
    (void)pthread_mutex_unlock(&state->lock);
    return status;
}
