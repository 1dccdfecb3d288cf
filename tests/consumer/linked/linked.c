/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are a part of this program, or of a library, as C and as C++:
 * no file is opened. CMakeLists.txt, meson.build and Makefile all build it. */
#include "linked.h"

#include <hone.h>

#include <stdio.h>

HONE_PACK_DECLARE(hone_kernels_linked);

enum { N = 5003 };

static int ramp(hone_ctx *ctx)
{
    const int64_t dims[] = {N};
    static float x[N], y[N];
    float slope = 2.0f;
    void *x_at = x, *y_at = y;
    void *args[] = {&slope, &x_at, &y_at};

    for (int i = 0; i < N; ++i)
        x[i] = (float)(i % 97);
    if (hone_device_select(ctx, "cpu") != HONE_OK ||
        hone_launch(ctx, "ramp", dims, 1, args, HONE_COUNT(args), NULL) !=
            HONE_OK)
        return 0;
    for (int i = 0; i < N; ++i)
        if (y[i] != slope * x[i] + (float)(i % 1024))
            return 0;
    return 1;
}

int linked_is_right(void)
{
    hone_ctx *ctx = NULL;
    int is_right;

    /* As often as one likes: who comes first registers. */
    is_right = hone_kernels_linked_register() == HONE_OK &&
               hone_kernels_linked_register() == HONE_OK &&
               hone_open(NULL, &ctx) == HONE_OK && ramp(ctx);
    if (!is_right)
        fprintf(stderr, "linked: %s\n", hone_error_text(ctx));
    hone_close(ctx);
    return is_right;
}
