/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong elements and where their arrays are: see verify_wrong.h. */
#include "tools/verify_wrong.h"

#include "tools/message.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum {
    SHOWN_ELEMENTS = 4, /* where --show does not say how many */
    SHOWN_FAILURES = 3
};

/* Integers of 64 bits in full: as a string where JSON's do not reach. */
static json_t *value_json(const hone_wrong *wrong, double value,
                          int64_t value_long)
{
    hone_text text = {0};
    json_t *out;

    if (wrong->type == HONE_TYPE_I64 ||
        (wrong->type == HONE_TYPE_U64 && value_long >= 0))
        return json_integer(value_long);
    if (wrong->type != HONE_TYPE_U64)
        return hone__json_real(value);
    hone__wrong_value(wrong, value, value_long, &text);
    out = hone__json_text(&text);
    hone__text_free(&text);
    return out;
}

json_t *hone__verify_wrong_json(const hone_wrong *wrong)
{
    json_t *elements = json_array();

    if (!wrong->array[0]) {
        json_decref(elements);
        return json_null();
    }
    for (int i = 0; i < wrong->n_shown; ++i) {
        const hone_wrong_element *e = &wrong->shown[i];
        hone_text place = {0};

        hone__wrong_place(wrong, e->index, &place);
        elements = hone__json_append(
            elements,
            hone__json("index:I place:o got:o expected:o bound:o", e->index,
                       hone__json_text(&place),
                       value_json(wrong, e->got, e->got_long),
                       value_json(wrong, e->expected, e->expected_long),
                       hone__json_real(e->bound)));
        hone__text_free(&place);
    }
    return hone__json("array:s run:s wrong:I compared:I elements:o",
                      wrong->array, wrong->run, wrong->n_wrong,
                      wrong->n_compared, elements);
}

void hone__verify_wrong_say(const hone_options *options, const char *op,
                            const hone_tune_trial *trial, int *n_shown)
{
    const hone_wrong *wrong = trial->wrong;

    if (!wrong->array[0] ||
        (!options->text[HONE_OPT_SHOW] && (*n_shown)++ >= SHOWN_FAILURES))
        return;
    for (int i = 0; i < wrong->n_shown; ++i) {
        hone_text text = {0};

        hone__wrong_sentence(wrong, &wrong->shown[i], &text);
        hone__message_note("%s%s%s: %s", op, trial->config[0] ? " " : "",
                           trial->config, hone__text_str(&text));
        hone__text_free(&text);
    }
    if (wrong->n_shown && wrong->n_wrong > wrong->n_shown)
        hone__message_note("%s: and %lld more of %lld elements of '%s' (%s)",
                           op, (long long)(wrong->n_wrong - wrong->n_shown),
                           (long long)wrong->n_compared, wrong->array,
                           wrong->run);
    if (wrong->is_dumped)
        hone__message_note("%s%s%s: the arrays of this run are in '%s'", op,
                           trial->config[0] ? " " : "", trial->config,
                           options->text[HONE_OPT_DUMP]);
}

/* A folder that is new or empty: files of two runs must not mix. */
static hone_status prepare_dump(const char *folder, hone_error *err)
{
    const struct dirent *entry;
    DIR *files;
    int n = 0;

    HONE_TRY(hone__folder_create(folder, err));
    files = opendir(folder);
    if (!files)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot open '%s': %s", folder,
                                 strerror(errno));
    while ((entry = readdir(files)))
        n +=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(files);
    return n ? hone__fail(err, HONE_ERR_INPUT,
                          "--dump: '%s' is not empty; name another folder",
                          folder)
             : HONE_OK;
}

hone_status hone__verify_wrong_options(const hone_options *options,
                                       hone_tune_request *out, hone_error *err)
{
    out->dump = options->text[HONE_OPT_DUMP];
    out->show = options->text[HONE_OPT_SHOW]
                    ? (int)options->number[HONE_OPT_SHOW]
                    : SHOWN_ELEMENTS;
    if (out->show > HONE_MAX_WRONG_SHOWN)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--show takes at most %d elements; --dump writes "
                          "whole arrays",
                          HONE_MAX_WRONG_SHOWN);
    return out->dump ? prepare_dump(out->dump, err) : HONE_OK;
}
