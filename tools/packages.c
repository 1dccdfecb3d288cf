/* SPDX-License-Identifier: Apache-2.0 */
/* What else is installed: see packages.h. tools/setup.sh looks in the same
 * places. */
#include "tools/packages.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_there(const char *path, int mode, hone_text *out)
{
    hone__text_clear(out);
    hone__text_puts(out, path);
    return !out->failed && access(path, mode) == 0;
}

static int find_on_path(const char *name, hone_text *out)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const size_t n = strcspn(path, ":");

        hone__text_clear(out);
        hone__text_printf(out, "%.*s/%s", (int)n, path, name);
        if (n && !out->failed && access(out->data, X_OK) == 0)
            return 1;
        path += n + (path[n] == ':');
    }
    return 0;
}

/* A header or library in one of the folders where the system has them. */
static int find_in_system(const char *name, hone_text *out)
{
    static const char *const folders[] = {"/usr/include", "/usr/include/*",
                                          "/usr/lib/*", "/usr/lib/gcc/*/*"};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        glob_t found;
        int is_found;

        hone__text_clear(out);
        hone__text_printf(out, "%s/%s", folders[i], name);
        if (out->failed || glob(out->data, GLOB_NOSORT, NULL, &found) != 0)
            continue;
        is_found = is_there(found.gl_pathv[0], F_OK, out);
        globfree(&found);
        if (is_found)
            return 1;
    }
    return 0;
}

int hone__package_find(const char *proof, hone_text *out)
{
    const size_t length = strlen(proof);

    if (proof[0] == '/')
        return is_there(proof, F_OK, out);
    if (strstr(proof, ".so.") ||
        (length > 2 && strcmp(proof + length - 2, ".h") == 0))
        return find_in_system(proof, out);
    return find_on_path(proof, out);
}
