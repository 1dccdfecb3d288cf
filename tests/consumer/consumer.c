/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has nothing of hone but hone.h and the library: launches a
 * kernel of its own that was tuned on the cpu device. */
#include <hone.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 5003 };

static int is_right(const float *x, const float *y, float slope)
{
    for (int i = 0; i < N; ++i)
        if (y[i] != slope * x[i] + (float)(i % 1024))
            return 0;
    return 1;
}

static int launch(hone_ctx *ctx)
{
    const int64_t dims[] = {N};
    static float x[N], y[N];
    float slope = 2.0f;
    void *x_at = x, *y_at = y;
    void *args[] = {&slope, &x_at, &y_at};
    hone_plan *plan = NULL;
    hone_match match;

    for (int i = 0; i < N; ++i)
        x[i] = (float)(i % 97);
    if (hone_device_select(ctx, "cpu") != HONE_OK ||
        hone_plan_create(ctx, "ramp", dims, 1, &plan, &match) != HONE_OK)
        return 0;
    printf("%s %s\n", match.kind == HONE_MATCH_EXACT ? "exact" : "other",
           match.config);
    if (hone_plan_run(plan, args, HONE_COUNT(args), NULL) != HONE_OK)
        return 0;
    hone_plan_destroy(plan);
    printf("%s\n", is_right(x, y, slope) ? "right" : "WRONG");
    return 1;
}

int main(int argc, char **argv)
{
    hone_ctx *ctx = NULL;
    const int is_done =
        hone_open(argc > 1 ? argv[1] : NULL, &ctx) == HONE_OK && launch(ctx);

    if (!is_done)
        fprintf(stderr, "consumer: %s\n", hone_error_text(ctx));
    hone_close(ctx);
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
