/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats, and which one a file has. */
#include "tools/exchange/exchange.h"

#include "runtime/base/text.h"

#include <errno.h>
#include <string.h>

const hone_format hone__formats[] = {
#define FORMAT(name, title, writer, reader, has_trials, member, beginning)     \
    {name, title, writer, reader, has_trials, member, beginning},
#include "tools/exchange/formats.def"
#undef FORMAT
};
const size_t hone__n_formats = sizeof hone__formats / sizeof hone__formats[0];

static hone_status fail_unknown(const char *path, hone_error *err)
{
    hone_text text = {0};

    hone__text_printf(&text,
                      "'%s' has none of the formats that are read: ", path);
    for (size_t i = 0; i < hone__n_formats; ++i)
        hone__text_printf(&text, "%s%s", i ? ", " : "", hone__formats[i].title);
    return hone__text_fail(&text, HONE_ERR_INPUT, err);
}

/* Other programs' files have a member `format`, too. */
static int is_ours(const hone_json_event *value)
{
    static const char trials[] = "hone-trials";

    return value->kind == HONE_JSON_STRING &&
           strncmp(value->text, trials, sizeof trials - 1) == 0;
}

/* By the first member of the object that says it. */
static hone_status by_member(const char *path, const hone_format **out,
                             hone_error *err)
{
    hone_json_reader *reader = NULL;
    hone_json_event event;
    hone_status status = hone__json_open(path, &reader, err);

    if (status == HONE_OK)
        status = hone__json_next(reader, &event, err);
    while (status == HONE_OK && !*out && event.kind == HONE_JSON_OBJECT) {
        hone_json_event member;

        status = hone__json_next(reader, &member, err);
        if (status != HONE_OK || member.kind != HONE_JSON_KEY)
            break;
        for (size_t i = 0; i < hone__n_formats && !*out; ++i)
            if (hone__formats[i].member &&
                strcmp(hone__formats[i].member, member.text) == 0)
                *out = &hone__formats[i];
        if (*out && strcmp(member.text, "format") == 0) {
            status = hone__json_next(reader, &member, err);
            if (status == HONE_OK && is_ours(&member))
                break;
            *out = NULL;
            if (status == HONE_OK)
                status = hone__json_skip(reader, &member, err);
            continue;
        }
        if (!*out && strcmp(member.text, "cache") == 0) /* its own mistake */
            status = hone__json_fail(reader, err,
                                     "\"tune_params_keys\" must stand before "
                                     "\"cache\"");
        if (!*out && status == HONE_OK)
            status = hone__json_next(reader, &member, err);
        if (!*out && status == HONE_OK)
            status = hone__json_skip(reader, &member, err);
    }
    hone__json_close(reader);
    return status;
}

hone_status hone__format_of_file(const char *path, const hone_format **out,
                                 hone_error *err)
{
    static const char database[] = "SQLite format 3";
    char begin[64] = "";
    gzFile file;
    int n;

    *out = NULL;
    HONE_TRY(hone__gz_open(path, &file, err));
    n = gzread(file, begin, sizeof begin - 1);
    (void)gzclose(file);
    if (n < 0)
        return hone__fail(err, HONE_ERR_IO, "cannot read '%s'", path);
    if (strcmp(begin, database) == 0)
        return hone__fail(err, HONE_ERR_INPUT,
                          "'%s' is a database; hone merge takes those", path);
    for (size_t i = 0; i < hone__n_formats && !*out; ++i)
        if (hone__formats[i].beginning &&
            strncmp(begin, hone__formats[i].beginning,
                    strlen(hone__formats[i].beginning)) == 0)
            *out = &hone__formats[i];
    if (!*out && begin[strspn(begin, " \t\r\n")] == '{')
        HONE_TRY(by_member(path, out, err));
    return *out ? HONE_OK : fail_unknown(path, err);
}
