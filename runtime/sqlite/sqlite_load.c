/* SPDX-License-Identifier: Apache-2.0 */
/* Databases in libhone: opened by libhone_sqlite, loaded when the first one is.
 * It stays, as what its stores are made of does. */
#define _GNU_SOURCE /* dladdr() */

#include "runtime/driver/library.h"
#include "runtime/store/sqlite_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static hone_library_once state = HONE_LIBRARY_ONCE;
static const hone_sqlite_library *library;

/* Beside libhone, wherever that was found; 0: nobody knows where it lies. */
static int path_beside(char out[PATH_SIZE])
{
    Dl_info info;
    const char *slash;

    if (!dladdr(&state, &info) || !info.dli_fname)
        return 0;
    slash = strrchr(info.dli_fname, '/');
    return slash &&
           snprintf(out, PATH_SIZE, "%.*s/" HONE_SQLITE_FILE,
                    (int)(slash - info.dli_fname), info.dli_fname) < PATH_SIZE;
}

static hone_status load(hone_error *err)
{
    const char *path = getenv("HONE_SQLITE_LIBRARY");
    char beside[PATH_SIZE];
    const hone_sqlite_library *found;
    void *handle = NULL;

    if (path && *path)
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    else if (path_beside(beside))
        handle = dlopen(beside, RTLD_NOW | RTLD_LOCAL);
    if (!handle && !(path && *path))
        handle = dlopen(HONE_SQLITE_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();

        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "databases are read by " HONE_SQLITE_FILE
                          ", which cannot be loaded (%.300s): install it "
                          "beside libhone, name it in $HONE_SQLITE_LIBRARY, or "
                          "open a pack",
                          why ? why : "the loader does not say why");
    }
    found = dlsym(handle, "hone__sqlite_library");
    if (!found || strcmp(found->version, HONE_VERSION) != 0 ||
        found->layout != HONE_SQLITE_LAYOUT)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          HONE_SQLITE_FILE " is of another build than libhone "
                                           "(%.40s and " HONE_VERSION
                                           "): install both together",
                          found ? found->version : "not ours");
    library = found;
    return HONE_OK;
}

hone_status hone__store_open_database(const char *path, hone_store **out,
                                      hone_error *err)
{
    *out = NULL;
    HONE_TRY(hone__library_once(&state, load, err));
    return library->open(path, out, err);
}
