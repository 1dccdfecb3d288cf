/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations to begin with, in a recording. */
#include "tuner/replay/replay_run.h"

#include <stdio.h>
#include <string.h>

enum { WHY = 200 };

static long find_param(const hone_recording *recording, const char *name,
                       size_t length)
{
    for (size_t i = 0; i < recording->n_params; ++i)
        if (strlen(recording->params[i].name) == length &&
            memcmp(recording->params[i].name, name, length) == 0)
            return (long)i;
    return -1;
}

/* Its rank; -1: no trial has it. */
static int find_value(const hone_recorded_param *param, const char *text,
                      size_t length)
{
    for (size_t i = 0; i < param->n_values; ++i)
        if (strlen(param->values[i]) == length &&
            memcmp(param->values[i], text, length) == 0)
            return param->rank[i];
    return -1;
}

/* Set the ranks that the text names; 0: `why` says what is wrong. */
static int read_ranks(const hone_recording *recording, const char *text,
                      int *ranks, unsigned char *is_named, char *why)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        const size_t name = strcspn(text, "=");
        const long param = find_param(recording, text, name);

        if (param < 0) {
            (void)snprintf(why, WHY, "there is no parameter '%.*s'",
                           name < 100 ? (int)name : 100, text);
            return 0;
        }
        ranks[param] = find_value(&recording->params[param], text + name + 1,
                                  length - name - 1);
        if (ranks[param] < 0) {
            (void)snprintf(why, WHY, "no trial has %.*s",
                           length < 150 ? (int)length : 150, text);
            return 0;
        }
        is_named[param] = 1;
        text += length + (text[length] == ',');
    }
    return 1;
}

/* Is it what was asked for, but for parameters that nobody named and that do
 * not exist there? */
static int fits(const hone_recording *recording, const int *wanted,
                const unsigned char *is_named, const int *ranks)
{
    for (size_t i = 0; i < recording->n_params; ++i) {
        const hone_recorded_param *param = &recording->params[i];

        if (ranks[i] != wanted[i] &&
            (is_named[i] || *param->values[param->by_rank[ranks[i]]]))
            return 0;
    }
    return 1;
}

static int64_t find_fitting(const hone_recording *recording, const int *wanted,
                            const unsigned char *is_named)
{
    const hone_search_space space = hone__recording_space(recording);
    int ranks[HONE_MAX_RECORDED_PARAMS];

    for (int64_t i = 0; i < space.count; ++i) {
        space.get(space.user, i, ranks);
        if (fits(recording, wanted, is_named, ranks))
            return i;
    }
    return -1;
}

static int64_t find(const hone_recording *recording, const char *text,
                    char *why)
{
    const hone_search_space space = hone__recording_space(recording);
    unsigned char is_named[HONE_MAX_RECORDED_PARAMS] = {0};
    int ranks[HONE_MAX_RECORDED_PARAMS];
    int64_t index;

    if (recording->default_index >= 0)
        space.get(space.user, recording->default_index, ranks);
    else
        for (size_t i = 0; i < space.n_params; ++i)
            ranks[i] = -1;
    if (!read_ranks(recording, text, ranks, is_named, why))
        return -1;
    index = find_fitting(recording, ranks, is_named);
    if (index >= 0)
        return index;
    for (size_t i = 0; i < space.n_params; ++i)
        if (ranks[i] < 0) {
            (void)snprintf(why, WHY,
                           "it has no %.80s, and the recording does not say "
                           "what the default is",
                           recording->params[i].name);
            return -1;
        }
    (void)snprintf(why, WHY, "it was not recorded");
    return -1;
}

hone_status hone__replay_start(const hone_recording *recording,
                               const hone_start *start, int64_t **out,
                               hone_error *err)
{
    char why[WHY];

    *out = hone__alloc((start->n + 1) * sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < start->n; ++i) {
        (*out)[i] = find(recording, start->items[i].text, why);
        if ((*out)[i] < 0 && start->on_left_out)
            start->on_left_out(start->user, &start->items[i], why);
    }
    return HONE_OK;
}
