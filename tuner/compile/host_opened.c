/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ compiler and its assembler opened for a unit, as they say
 * themselves: it has to be hone's, or their own, whatever a macro hid from the
 * reader of headers in gen/. */
#include "tuner/compile/host_compiler.h"

#include <string.h>
#include <unistd.h>

static hone_status read_list(const char *folder, const char *name,
                             hone_text *out, hone_error *err)
{
    hone_text path = {0};
    hone_status status;

    hone__text_printf(&path, "%s/%s", folder, name);
    status = hone__text_check(&path, err);
    if (status == HONE_OK)
        status = hone__text_read_file(out, path.data, err);
    hone__text_free(&path);
    return status;
}

/* The next name of a list as `make` reads it, behind "TARGET:"; 0 behind the
 * last. A backslash stands before a blank of a name and before a line end. */
static int next_name(const char **at, hone_text *out)
{
    const char *c = *at;

    while (*c == ' ' || *c == '\n' || (*c == '\\' && c[1] == '\n'))
        ++c;
    hone__text_clear(out);
    for (; *c && *c != ' ' && *c != '\n'; ++c) {
        if (*c == '\\' && c[1] == '\n')
            break;
        c += *c == '\\' && strchr(" #\\", c[1]);
        hone__text_append(out, c, 1);
    }
    *at = c;
    return out->length != 0;
}

static const char *behind_target(const hone_text *list)
{
    const char *colon = strstr(hone__text_str(list), ": ");

    return colon ? colon + 1 : "";
}

static int has_name(const hone_text *list, const hone_text *name)
{
    hone_text other = {0};
    const char *at = behind_target(list);
    int found = 0;

    while (!found && next_name(&at, &other))
        found = other.length == name->length && !other.failed &&
                memcmp(other.data, name->data, name->length) == 0;
    hone__text_free(&other);
    return found;
}

/* A header that the compiler found by itself is its own, and covered by its
 * version; but this is where people put theirs. */
static hone_status refuse_headers(const hone_text *opened, hone_error *err)
{
    static const char place[] = "/usr/local/include/";
    hone_text name = {0};
    const char *at = behind_target(opened);
    hone_status status = HONE_OK;

    while (status == HONE_OK && next_name(&at, &name)) {
        const char *in = hone__text_str(&name);

        if (strncmp(in, place, sizeof place - 1) == 0 &&
            strncmp(in + sizeof place - 1, "c++/", 4) != 0)
            status = hone__fail(err, HONE_ERR_INPUT,
                                "the template includes '%s', which is no part "
                                "of the compiler, and hone does not see when "
                                "it changes: put it beside the template",
                                in);
    }
    if (status == HONE_OK)
        status = hone__text_check(&name, err);
    hone__text_free(&name);
    return status;
}

/* The assembler opens what the compiler wrote, which is gone by now, and names
 * the files of the unit, which the compiler opened. */
static hone_status refuse_files(const char *folder, const char *assembled,
                                const hone_text *opened, hone_error *err)
{
    hone_text list = {0}, name = {0}, path = {0};
    hone_status status = read_list(folder, assembled, &list, err);
    const char *at = behind_target(&list);

    while (status == HONE_OK && next_name(&at, &name)) {
        hone__text_clear(&path);
        hone__text_printf(&path, "%s%s%s", name.data[0] == '/' ? "" : folder,
                          name.data[0] == '/' ? "" : "/", name.data);
        status = hone__text_check(&path, err);
        if (status == HONE_OK && !has_name(opened, &name) &&
            access(path.data, F_OK) == 0)
            status = hone__fail(err, HONE_ERR_INPUT,
                                "assembly of the template names the file '%s', "
                                "and hone does not see when it changes: use "
                                "#include",
                                name.data);
    }
    if (status == HONE_OK)
        status = hone__text_check(&name, err);
    hone__text_free(&list);
    hone__text_free(&name);
    hone__text_free(&path);
    return status;
}

hone_status hone__host_opened_check(const char *folder, const char *compiled,
                                    const char *assembled, hone_error *err)
{
    hone_text opened = {0};
    hone_status status = read_list(folder, compiled, &opened, err);

    if (status == HONE_OK)
        status = refuse_headers(&opened, err);
    if (status == HONE_OK && assembled)
        status = refuse_files(folder, assembled, &opened, err);
    hone__text_free(&opened);
    return status;
}
