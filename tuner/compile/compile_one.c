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

static hone_status wait_for(hone_farm *farm, const answer *a,
                            const volatile sig_atomic_t *stop, hone_error *err)
{
    while (!a->is_here) {
        struct pollfd fds[8];

        if (stop && *stop)
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        (void)poll(fds, hone__farm_descriptors(farm, fds, 8), 100);
        HONE_TRY(hone__farm_pump(farm, err));
    }
    return HONE_OK;
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
    if (status == HONE_OK)
        status = wait_for(farm, &a, options->stop, err);
    hone__farm_close(farm);
    return status;
}
