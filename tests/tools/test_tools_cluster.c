/* SPDX-License-Identifier: Apache-2.0 */
/* --shard and its environments; who gets which problem. */
#include "runtime/base/alloc.h"
#include "tools/cluster/shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "3/8", "-" and the first words of the sentence, with NAME=VALUE.. set. */
static const char *shard_of(const char *text, const char *environment)
{
    static char answer[400];
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX",
                                        "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "PBS_ARRAY_INDEX",
                                        "PBS_ARRAYID",
                                        "LSB_JOBINDEX",
                                        "LSB_JOBINDEX_END",
                                        "LSB_JOBINDEX_STEP",
                                        "SGE_TASK_ID",
                                        "SGE_TASK_FIRST",
                                        "SGE_TASK_LAST",
                                        "SGE_TASK_STEPSIZE",
                                        "JOB_COMPLETION_INDEX",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS"};
    hone_options options = {.command = HONE_CMD_tune};
    hone_shard shard;
    hone_error err = {0};
    char words[300];
    char *rest = words, *word;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        (void)unsetenv(names[i]);
    (void)snprintf(words, sizeof words, "%s", environment);
    while ((word = strtok_r(rest, " ", &rest))) {
        char *value = strchr(word, '=');

        *value++ = '\0';
        assert_int_equal(setenv(word, value, 1), 0);
    }
    options.text[HONE_OPT_SHARD] = text;
    if (hone__option_shard(&options, &shard, &err) == HONE_OK)
        (void)snprintf(answer, sizeof answer, "%d/%d", shard.index, shard.n);
    else
        (void)snprintf(answer, sizeof answer, "%.390s", err.text);
    return answer;
}

#define SLURM                                                                  \
    "SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_MAX=10 SLURM_ARRAY_TASK_STEP=2 "  \
    "SLURM_ARRAY_TASK_COUNT=4 SLURM_PROCID=0 SLURM_NTASKS=1 "

static void takes_its_shard(void **state)
{
    (void)state;
    assert_string_equal(shard_of(NULL, ""), "0/0");
    assert_string_equal(shard_of("3/8", ""), "3/8");
    assert_string_equal(shard_of("auto", SLURM "SLURM_ARRAY_TASK_ID=8"), "3/4");
    assert_string_equal(shard_of("auto/20", SLURM "SLURM_ARRAY_TASK_ID=8"),
                        "8/20");
    assert_string_equal(shard_of("auto/5", "PBS_ARRAY_INDEX=5"), "5/5");
    assert_string_equal(shard_of("auto/5", "PBS_ARRAYID=2"), "2/5");
    assert_string_equal(shard_of("auto", "LSB_JOBINDEX=2 LSB_JOBINDEX_END=9"),
                        "2/9");
    assert_string_equal(
        shard_of("auto", "SGE_TASK_ID=6 SGE_TASK_FIRST=2 SGE_TASK_LAST=8 "
                         "SGE_TASK_STEPSIZE=2"),
        "3/4");
    assert_string_equal(shard_of("auto/7", "JOB_COMPLETION_INDEX=0"), "1/7");
    assert_string_equal(shard_of("auto/7", "JOB_COMPLETION_INDEX=6"), "7/7");
    assert_string_equal(shard_of("auto", "SLURM_PROCID=3 SLURM_NTASKS=4"),
                        "4/4");
}

static void refuses(const char *text, const char *environment, const char *why)
{
    const char *said = shard_of(text, environment);

    if (!strstr(said, why))
        fail_msg("--shard %s with '%s' says '%s', not '%s'", text, environment,
                 said, why);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    refuses("9/8", "", "the index is 9, and must be from 1 to 8");
    refuses("0/8", "", "the index is 0, and must be from 1 to 8");
    refuses("1/0", "", "1 to 1000000 shards, not 0");
    refuses("1/1000001", "", "1 to 1000000 shards");
    refuses("auto/0", "", "1 to 1000000 shards");
    refuses("3", "", "takes I/N");
    refuses("-1/3", "", "takes I/N");
    refuses("1/3x", "", "takes I/N");
    refuses("a/3", "", "takes I/N");
    refuses("1/99999999999999999999", "", "takes I/N");
    refuses("auto", "", "no scheduler says which task this is");
    refuses("auto", "SGE_TASK_ID=undefined", "no scheduler says");
    refuses("auto", "LSB_JOBINDEX=0", "no scheduler says");
    refuses("auto", "PBS_ARRAY_INDEX=3", "PBS array does not say how many");
    refuses("auto", "JOB_COMPLETION_INDEX=3", "give --shard auto/N");
    refuses("auto/3", "PBS_ARRAY_INDEX=0",
            "the index is 0, and must be from 1");
    refuses("auto",
            "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 "
            "SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_COUNT=3",
            "are not all from 1 to 9");
}

/* ---- dealing ----------------------------------------------------------------
 */

static void deals_the_longest_first(void **state)
{
    static const double costs[] = {1, 7, 3, 3, 5, 1};
    hone_dealt dealt[6];
    double sums[3] = {0};

    (void)state;
    assert_int_equal(hone__shard_deal(costs, 6, 3, dealt, NULL), HONE_OK);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(dealt[i].n_parts, 1);
        assert_in_range(dealt[i].shard, 1, 3);
        sums[dealt[i].shard - 1] += costs[i];
    }
    assert_int_equal(dealt[1].shard, 1); /* 7, then 5, then 3 */
    assert_int_equal(dealt[4].shard, 2);
    assert_int_equal(dealt[2].shard, 3);
    assert_int_equal(dealt[3].shard, 3);
    assert_int_equal((int)sums[0], 7);
    assert_int_equal((int)sums[1], 7);
    assert_int_equal((int)sums[2], 6);
}

static void deals_parts_of_few(void **state)
{
    static const double costs[] = {1, 4, 0};
    hone_dealt dealt[3];

    (void)state;
    assert_int_equal(hone__shard_deal(costs, 3, 8, dealt, NULL), HONE_OK);
    assert_int_equal(dealt[0].n_parts, 2);
    assert_int_equal(dealt[1].n_parts, 5);
    assert_int_equal(dealt[2].n_parts, 1);
    assert_int_equal(dealt[0].shard, 1);
    assert_int_equal(dealt[1].shard, 3);
    assert_int_equal(dealt[2].shard, 8);
}

/* Each shard has something, none has more than the best there is and one
 * problem more, and the same again is the same. */
static void deals_many(void **state)
{
    enum { N = 5000, SHARDS = 700 };
    static double costs[N], sums[SHARDS];
    static hone_dealt dealt[N], again[N];
    double all = 0, most = 0;

    (void)state;
    for (int i = 0; i < N; ++i)
        all += costs[i] = 1 + (i * 7919 % 1009) / 100.0;
    assert_int_equal(hone__shard_deal(costs, N, SHARDS, dealt, NULL), HONE_OK);
    assert_int_equal(hone__shard_deal(costs, N, SHARDS, again, NULL), HONE_OK);
    assert_memory_equal(dealt, again, sizeof dealt);
    for (int i = 0; i < N; ++i)
        sums[dealt[i].shard - 1] += costs[i];
    for (int i = 0; i < SHARDS; ++i) {
        assert_true(sums[i] > 0);
        most = sums[i] > most ? sums[i] : most;
    }
    assert_true(most < 1.1 * all / SHARDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_shard),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(deals_the_longest_first),
        cmocka_unit_test(deals_parts_of_few),
        cmocka_unit_test(deals_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
