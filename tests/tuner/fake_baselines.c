/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in of baselines for tests: "test.copy" copies its input with one of
 * two algorithms, "test.unfit" and "test.broken" fail in the two ways there
 * are.
 */
#include "tuner/baselines/baseline_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy_baseline {
    size_t size_bytes;
} copy_baseline;

static int copy_open(const hone_baseline_problem_v1 *problem, void **state,
                     size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    copy_baseline *made;

    if (problem->n_args != 3 || problem->n_dims != 1 ||
        problem->dims[0] != problem->args[0].count ||
        problem->args[0].mode != HONE_BASELINE_IN ||
        problem->args[1].mode != HONE_BASELINE_OUT ||
        problem->args[2].mode != HONE_BASELINE_SCALAR ||
        problem->args[0].type != 4 || strcmp(problem->args[2].name, "k")) {
        (void)snprintf(message->text, message->size_bytes, "not for %s",
                       problem->op);
        return HONE_BASELINE_UNFIT;
    }
    made = malloc(sizeof *made);
    if (!made)
        return HONE_BASELINE_FAILED;
    made->size_bytes = (size_t)problem->args[0].count * 4;
    *state = made;
    *n_algorithms = 2;
    return HONE_BASELINE_OK;
}

static int copy_enqueue(void *state, size_t algorithm, void *const *args,
                        void *stream, hone_baseline_message_v1 *message)
{
    const copy_baseline *const baseline = state;

    (void)stream;
    if (algorithm == 1) {
        (void)snprintf(message->text, message->size_bytes,
                       "algorithm one is broken");
        return HONE_BASELINE_FAILED;
    }
    memcpy(*(void *const *)args[1], *(void *const *)args[0],
           baseline->size_bytes);
    return HONE_BASELINE_OK;
}

static int refuse(const hone_baseline_problem_v1 *problem, void **state,
                  size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    (void)problem;
    (void)state;
    (void)n_algorithms;
    (void)message;
    return HONE_BASELINE_UNFIT;
}

static int break_down(const hone_baseline_problem_v1 *problem, void **state,
                      size_t *n_algorithms, hone_baseline_message_v1 *message)
{
    (void)problem;
    (void)state;
    (void)n_algorithms;
    (void)snprintf(message->text, message->size_bytes, "no kernel image");
    return HONE_BASELINE_FAILED;
}

/* A failed open leaves nothing: closing it would be an error of hone. */
static void never(void *state)
{
    (void)state;
    abort();
}

static const hone_baseline_v1 baselines[] = {
    {"test.copy", "a copy", copy_open, copy_enqueue, free},
    {"test.unfit", "unfit", refuse, copy_enqueue, never},
    {"test.broken", "broken", break_down, copy_enqueue, never},
};

__attribute__((visibility("default"))) const hone_baseline_v1 *
hone_baselines_v1(size_t *n)
{
    *n = sizeof baselines / sizeof baselines[0];
    return baselines;
}
