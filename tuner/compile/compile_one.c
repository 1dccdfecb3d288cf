/* SPDX-License-Identifier: Apache-2.0 */
/* One compile: see compile_one.h. */
#include "tuner/compile/compile_one.h"

#include <string.h>

typedef struct answer {
    hone_compile_output *output;
    int is_here;
} answer;

static void take(void *user, int64_t job, hone_compile_output *output)
{
    answer *a = user;

    (void)job;
    *a->output = *output;
    memset(output, 0, sizeof *output); /* moved */
    a->is_here = 1;
}

hone_status hone__compile_one(const hone_farm_options *options,
                              const hone_compile_input *input,
                              hone_compile_output *out, hone_error *err)
{
    hone_farm_options one = *options;
    answer a = {out, 0};
    hone_farm *farm = NULL;
    hone_status status;

    memset(out, 0, sizeof *out);
    one.n_workers = 1;
    status = hone__farm_open(&one, take, &a, &farm, err);
    if (status == HONE_OK)
        status = hone__farm_submit(farm, 0, input, err);
    while (status == HONE_OK && !a.is_here)
        status = hone__farm_turn(farm, NULL, err);
    hone__farm_close(farm);
    return status;
}
