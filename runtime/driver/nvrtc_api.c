/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC and the headers that templates include: which of those that a machine
 * has (nvrtc_places.h) is taken, and why not the others. */
#define _GNU_SOURCE /* dladdr */
#include "runtime/driver/nvrtc_api.h"

#include "runtime/base/text.h"
#include "runtime/driver/library.h"
#include "runtime/driver/nvrtc_places.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEEDED_VERSION "12.0"

static hone_nvrtc nvrtc;

/* ---- the library --------------------------------------------------------- */

/* The path without links and "..", if there is room for it; else "". */
static int copy_real_path(char *out, size_t size_bytes, const char *path)
{
    char *real = realpath(path, NULL);
    const int fits = real && strlen(real) < size_bytes;

    (void)snprintf(out, size_bytes, "%s", fits ? real : "");
    free(real);
    return fits;
}

static void find_library_path(hone_nvrtc *table)
{
    void *address = NULL;
    Dl_info info;

    memcpy(&address, &table->version, sizeof address);
    if (dladdr(address, &info) && info.dli_fname)
        (void)copy_real_path(table->library, sizeof table->library,
                             info.dli_fname);
}

/* Load the library: its handle, or NULL and why it is of no use. Its version
 * and path are in the table where they can be known. */
static void *open_library(const char *path, hone_nvrtc *table, char *reason,
                          size_t size_bytes)
{
#define NAME(field, symbol, type, parameters) HONE_LIBRARY_NAME(symbol)
#define OPTIONAL(field, symbol, type, parameters)                              \
    HONE_LIBRARY_OPTIONAL_NAME(symbol)
    static const char symbols[] =
        HONE_NVRTC_MAP(NAME) HONE_NVRTC_OPTIONAL_MAP(OPTIONAL);
#undef NAME
#undef OPTIONAL
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *missing;

    memset(table, 0, sizeof *table);
    if (!library) {
        const char *why = dlerror();

        (void)snprintf(reason, size_bytes, "%s", why ? why : "does not load");
        return NULL;
    }
    missing = hone__library_fill(library, symbols, table);
    if (table->version) { /* the first function of the map */
        find_library_path(table);
        if (table->version(&table->version_major, &table->version_minor))
            table->version_major = 0;
    }
    if (missing)
        (void)snprintf(reason, size_bytes,
                       "has no function %s; hone needs " NEEDED_VERSION
                       " or newer",
                       missing);
    else if (!table->version_major)
        (void)snprintf(reason, size_bytes, "its nvrtcVersion fails");
    else if (table->version_major < 12)
        (void)snprintf(reason, size_bytes,
                       "hone needs " NEEDED_VERSION " or newer");
    else
        return library;
    (void)dlclose(library);
    return NULL;
}

/* ---- the headers --------------------------------------------------------- */

static int has_file(const char *folder, const char *name)
{
    char path[HONE_PLACE_BYTES + 256];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* Does `folder` hold the headers templates include? Then keep it. */
static int take_includes(const char *folder)
{
    return has_file(folder, "cuda_fp16.h") && has_file(folder, "mma.h") &&
           copy_real_path(nvrtc.includes, sizeof nvrtc.includes, folder);
}

/* Of CUDA's headers: 13, or 0 if the folder does not say. */
static int major_version(const char *folder)
{
    static const char mark[] = "#define CUDART_VERSION";
    char line[HONE_PLACE_BYTES + 256];
    int version = 0;
    FILE *file;

    (void)snprintf(line, sizeof line, "%s/cuda_runtime_api.h", folder);
    file = fopen(line, "r");
    while (file && !version && fgets(line, sizeof line, file))
        if (strncmp(line, mark, sizeof mark - 1) == 0)
            version = (int)strtol(line + sizeof mark - 1, NULL, 10) / 1000;
    if (file)
        (void)fclose(file);
    return version;
}

static int take_same_version(void *user, const char *folder, const char *origin)
{
    (void)user, (void)origin;
    return major_version(folder) == nvrtc.version_major &&
           take_includes(folder);
}

static int take_any(void *user, const char *folder, const char *origin)
{
    (void)user, (void)origin;
    return take_includes(folder);
}

/* FOLDER/RELATIVE of a file FOLDER/NAME; cut short it names nothing. */
static void beside(char *out, size_t size_bytes, const char *file,
                   const char *relative)
{
    const char *slash = strrchr(file, '/');

    (void)snprintf(out, size_bytes, "%.*s/%s", slash ? (int)(slash - file) : 0,
                   file, relative);
}

static hone_status find_includes(hone_error *err)
{
    static const char *const relatives[] = {"../include", /* a toolkit's */
                                            "../../cuda_runtime/include"};
    const char *chosen = getenv("HONE_CUDA_INCLUDE");
    char folder[HONE_PLACE_BYTES + 64];

    nvrtc.includes[0] = '\0';
    if (chosen && *chosen && take_includes(chosen))
        return HONE_OK;
    for (size_t i = 0; i < sizeof relatives / sizeof relatives[0]; ++i) {
        beside(folder, sizeof folder, nvrtc.library, relatives[i]);
        if (nvrtc.library[0] && take_includes(folder))
            return HONE_OK;
    }
    HONE_TRY(
        hone__nvrtc_each_include("", "mma.h", take_same_version, NULL, err));
    return nvrtc.includes[0]
               ? HONE_OK
               : hone__nvrtc_each_include("", "mma.h", take_any, NULL, err);
}

/* What cuda_fp16.h and mma.h include themselves. In the wheels of CUDA 12 it is
 * with nvcc, in a folder of its own. */
static void find_crt(void)
{
    char folder[HONE_PLACE_BYTES + 64];

    nvrtc.crt[0] = '\0';
    if (!nvrtc.includes[0] || has_file(nvrtc.includes, "crt/mma.h"))
        return;
    (void)snprintf(folder, sizeof folder, "%s/../../cuda_nvcc/include",
                   nvrtc.includes);
    if (has_file(folder, "crt/mma.h"))
        (void)copy_real_path(nvrtc.crt, sizeof nvrtc.crt, folder);
}

/* Of CUDA 13 and newer; before, they were beside the other headers. */
static void find_cccl(void)
{
    (void)snprintf(nvrtc.cccl, sizeof nvrtc.cccl, "%s/cccl", nvrtc.includes);
    if (!nvrtc.includes[0] ||
        !has_file(nvrtc.cccl, "cuda/std/__cccl/version.h"))
        nvrtc.cccl[0] = '\0';
}

/* ---- which one is taken -------------------------------------------------- */

/* A search: what was passed over so far, as text. */
typedef struct search {
    hone_text passed;
    int is_named;
    int is_found;
} search;

static int take_library(void *user, const char *path, const char *origin)
{
    search *s = user;
    char reason[512];

    s->is_found = open_library(path, &nvrtc, reason, sizeof reason) != NULL;
    if (s->is_found)
        nvrtc.origin = origin;
    /* A name that the loader does not know is nothing that was passed over. */
    else if (s->is_named || nvrtc.library[0] || strchr(path, '/'))
        hone__text_printf(&s->passed, "%s%s, %s: %s",
                          s->passed.length ? "; " : "", path, origin, reason);
    return s->is_found;
}

static hone_status not_found(search *s, hone_error *err)
{
    HONE_TRY(hone__text_check(&s->passed, err));
    if (s->is_named)
        return hone__fail(err, HONE_ERR_NO_NVRTC,
                          "NVRTC cannot be used: %s. Correct the variable, or "
                          "unset it for a search of the machine",
                          hone__text_str(&s->passed));
    return hone__fail(err, HONE_ERR_NO_NVRTC,
                      "NVRTC not found (not where $CUDA_HOME and $CUDA_PATH "
                      "name it, with the dynamic loader, in CUDA's folders or "
                      "among Python's packages%s%s); install it: 'pip install "
                      "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt', "
                      "or NVIDIA's packages cuda-nvrtc-13-0 and "
                      "cuda-cudart-dev-13-0, or set HONE_NVRTC_LIBRARY to the "
                      "file",
                      s->passed.length ? "; passed over: " : "",
                      hone__text_str(&s->passed));
}

static hone_status load_nvrtc(hone_error *err)
{
    const char *named = getenv("HONE_NVRTC_LIBRARY");
    search s = {.is_named = named && *named};
    hone_status status = HONE_OK;

    if (s.is_named)
        (void)take_library(&s, named, "named by $HONE_NVRTC_LIBRARY");
    else
        status = hone__nvrtc_each_library("", take_library, &s, err);
    if (!status && !s.is_found)
        status = not_found(&s, err);
    hone__text_free(&s.passed);
    HONE_TRY(status);
    HONE_TRY(find_includes(err));
    find_crt();
    find_cccl();
    return HONE_OK;
}

hone_status hone__nvrtc_get(const hone_nvrtc **out, hone_error *err)
{
    static hone_library_once state = HONE_LIBRARY_ONCE;
    const hone_status status = hone__library_once(&state, load_nvrtc, err);

    *out = status == HONE_OK ? &nvrtc : NULL;
    return status;
}

int hone__nvrtc_archs(const hone_nvrtc *table, int *out)
{
    int n = 0;

    if (!table->count_archs || !table->list_archs || table->count_archs(&n) ||
        n < 0 || n > HONE_NVRTC_MAX_ARCHS || table->list_archs(out))
        return 0;
    return n;
}

/* ---- looking at one ------------------------------------------------------ */

void hone__nvrtc_look(const char *path, hone_nvrtc_look *out)
{
    hone_nvrtc table;

    /* If it is of use it is not closed again: NVRTC does not give back what it
     * takes when it is loaded, and nobody could tell whose that is. */
    memset(out, 0, sizeof *out);
    if (open_library(path, &table, out->reason, sizeof out->reason))
        out->reason[0] = '\0';
    (void)snprintf(out->path, sizeof out->path, "%s",
                   table.library[0] ? table.library : path);
    out->version_major = table.version_major;
    out->version_minor = table.version_minor;
}
