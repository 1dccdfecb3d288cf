/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in of rivals for tests: "test.copy" copies its input with one of two
 * choices, "test.unfit" and "test.broken" fail in the two ways there are. */
#include "tuner/rival_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct copy_rival {
    size_t size_bytes;
} copy_rival;

static int copy_open(const hone_rival_problem_v1 *problem, void **state,
                     size_t *n_choices, hone_rival_message_v1 *message)
{
    copy_rival *made;

    if (problem->n_args != 3 || problem->n_dims != 1 ||
        problem->dims[0] != problem->args[0].count ||
        problem->args[0].mode != HONE_RIVAL_IN ||
        problem->args[1].mode != HONE_RIVAL_OUT ||
        problem->args[2].mode != HONE_RIVAL_SCALAR ||
        problem->args[0].type != 4 || strcmp(problem->args[2].name, "k")) {
        (void)snprintf(message->text, message->size_bytes, "not for %s",
                       problem->op);
        return HONE_RIVAL_UNFIT;
    }
    made = malloc(sizeof *made);
    if (!made)
        return HONE_RIVAL_FAILED;
    made->size_bytes = (size_t)problem->args[0].count * 4;
    *state = made;
    *n_choices = 2;
    return HONE_RIVAL_OK;
}

static int copy_enqueue(void *state, size_t choice, void *const *args,
                        void *stream, hone_rival_message_v1 *message)
{
    const copy_rival *const rival = state;

    (void)stream;
    if (choice == 1) {
        (void)snprintf(message->text, message->size_bytes,
                       "choice one is broken");
        return HONE_RIVAL_FAILED;
    }
    memcpy(*(void *const *)args[1], *(void *const *)args[0],
           rival->size_bytes);
    return HONE_RIVAL_OK;
}

static int refuse(const hone_rival_problem_v1 *problem, void **state,
                  size_t *n_choices, hone_rival_message_v1 *message)
{
    (void)problem;
    (void)state;
    (void)n_choices;
    (void)message;
    return HONE_RIVAL_UNFIT;
}

static int break_down(const hone_rival_problem_v1 *problem, void **state,
                      size_t *n_choices, hone_rival_message_v1 *message)
{
    (void)problem;
    (void)state;
    (void)n_choices;
    (void)snprintf(message->text, message->size_bytes, "no kernel image");
    return HONE_RIVAL_FAILED;
}

/* A failed open leaves nothing: closing it would be an error of hone. */
static void never(void *state)
{
    (void)state;
    abort();
}

static const hone_rival_v1 rivals[] = {
    {"test.copy", "a copy", copy_open, copy_enqueue, free},
    {"test.unfit", "unfit", refuse, copy_enqueue, never},
    {"test.broken", "broken", break_down, copy_enqueue, never},
};

__attribute__((visibility("default"))) const hone_rival_v1 *
hone_rivals_v1(size_t *n)
{
    *n = sizeof rivals / sizeof rivals[0];
    return rivals;
}
