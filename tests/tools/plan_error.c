/* SPDX-License-Identifier: Apache-2.0 */
/* plan_error DB DEVICE OP DIM..: what a program hears that asks the runtime
 * for a plan, on stderr; nothing if there is one. */
#include "runtime/hone.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int64_t dims[8];
    size_t n = 0;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_status status;

    if (argc < 4)
        return 2;
    for (int i = 4; i < argc && n < 8; ++i)
        dims[n++] = strtoll(argv[i], NULL, 10);
    status = hone_open(argv[1], &ctx);
    if (status == HONE_OK)
        status = hone_device_select(ctx, argv[2]);
    if (status == HONE_OK)
        status = hone_plan_create(ctx, argv[3], dims, n, &plan, NULL);
    if (status != HONE_OK)
        (void)fprintf(stderr, "%s\n", hone_error_text(ctx));
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status != HONE_OK;
}
