/* SPDX-License-Identifier: Apache-2.0 */
/* --shard: see shard.h. */
#include "tools/cluster/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct scheduler {
    const char *name, *index, *first, *step, *last, *count;
    int base;
} scheduler;

static const scheduler schedulers[] = {
#define SCHEDULER(name, index, first, step, last, count, base)                 \
    {name, index, first, step, last, count, base},
#include "tools/cluster/schedulers.def"
#undef SCHEDULER
};
enum { N_SCHEDULERS = sizeof schedulers / sizeof schedulers[0] };

/* All of `text` up to `end`, from 0 up; -1: it is none. */
static long long read_number(const char *text, const char *end)
{
    char *stop = NULL;
    long long value;

    if (*text < '0' || *text > '9')
        return -1;
    errno = 0;
    value = strtoll(text, &stop, 10);
    return errno || stop != end || value > 1000000000 ? -1 : value;
}

/* -1: not set, or no number ("undefined" outside of an array). */
static long long variable(const char *name)
{
    const char *text = *name ? getenv(name) : NULL;

    return text ? read_number(text, text + strlen(text)) : -1;
}

static hone_status check(const char *given, long long index, long long n,
                         hone_shard *out, hone_error *err)
{
    if (n < 1 || n > HONE_MOST_SHARDS)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard %s: there are 1 to %d shards, not %lld",
                          given, HONE_MOST_SHARDS, n);
    if (index < 1 || index > n)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard %s: the index is %lld, and must be from 1 "
                          "to %lld",
                          given, index, n);
    *out = (hone_shard){(int)index, (int)n};
    return HONE_OK;
}

/* With a count of the user's own the index is as it stands: so are the shards
 * of an array of some of them submitted again. */
static hone_status from_scheduler(const scheduler *s, const char *given,
                                  long long n, hone_shard *out, hone_error *err)
{
    const long long step = variable(s->step) > 0 ? variable(s->step) : 1;
    const long long first =
        variable(s->first) >= 0 ? variable(s->first) : s->base;
    const long long last = variable(s->last);
    const long long index = variable(s->index);
    long long count = variable(s->count);

    if (n)
        return check(given, index + (s->base ? 0 : 1), n, out, err);
    if (last >= first && count > 0 && (last - first) / step + 1 != count)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard auto: the indices of this %s are not all "
                          "from %lld to %lld, so it does not say how many "
                          "shards there are: give --shard auto/N",
                          s->name, first, last);
    if (count < 0 && last >= first)
        count = (last - first) / step + 1;
    if (count < 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard auto: a %s does not say how many tasks it "
                          "has: give --shard auto/N",
                          s->name);
    return check(given, (index - first) / step + 1, count, out, err);
}

static hone_status from_environment(const char *given, long long n,
                                    hone_shard *out, hone_error *err)
{
    for (size_t i = 0; i < N_SCHEDULERS; ++i) {
        const scheduler *s = &schedulers[i];
        const int is_lsf = strcmp(s->index, "LSB_JOBINDEX") == 0;

        /* LSF sets 0 for jobs that are no arrays. */
        if (variable(s->index) >= (is_lsf ? 1 : 0))
            return from_scheduler(s, given, n, out, err);
    }
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--shard %s: no scheduler says which task this is "
                      "(SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX, LSB_JOBINDEX, "
                      "SGE_TASK_ID, JOB_COMPLETION_INDEX are not set): give "
                      "--shard I/N",
                      given);
}

hone_status hone__option_shard(const hone_options *options, hone_shard *out,
                               hone_error *err)
{
    const char *text = options->text[HONE_OPT_SHARD];
    const char *slash;
    long long index, n;

    *out = (hone_shard){0};
    if (!text)
        return HONE_OK;
    if (strcmp(text, "auto") == 0)
        return from_environment(text, 0, out, err);
    slash = strchr(text, '/');
    n = slash ? read_number(slash + 1, text + strlen(text)) : -1;
    if (n >= 0 && strncmp(text, "auto/", 5) == 0) {
        if (n < 1)
            return check(text, 1, n, out, err);
        return from_environment(text, n, out, err);
    }
    index = slash ? read_number(text, slash) : -1;
    if (n < 0 || index < 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard takes I/N (3/8: the third of eight), auto "
                          "or auto/N, not '%s'",
                          text);
    return check(text, index, n, out, err);
}
