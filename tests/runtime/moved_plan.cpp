/* SPDX-License-Identifier: Apache-2.0 */
/* hone.hpp's plans in front of functions that only look at the order: each goes
 * before its context does, also when another one is moved to its place. */
#include "runtime/hone.hpp"

#include <cstdio>
#include <cstring>

struct hone_ctx {
    bool is_closed;
    int n_plans;
};
struct hone_plan {
    hone_ctx *ctx;
};

static int n_wrong, n_plans, n_contexts;

extern "C" {
const char *hone_error_text(hone_ctx *)
{
    return "";
}
const char *hone_status_text(hone_status)
{
    return "";
}
int hone_error_native(hone_ctx *, const char **)
{
    return 0;
}
hone_status hone_open(const char *, hone_ctx **out)
{
    ++n_contexts;
    *out = new hone_ctx{false, 0};
    return HONE_OK;
}
/* What is closed stays, to be looked at. */
void hone_close(hone_ctx *ctx)
{
    --n_contexts;
    n_wrong += ctx->n_plans != 0;
    ctx->is_closed = true;
}
hone_status hone_operation_describe(hone_ctx *, const char *,
                                    const std::int64_t *, std::size_t,
                                    hone_operation **out)
{
    *out = new hone_operation();
    return HONE_OK;
}
void hone_operation_free(hone_operation *operation)
{
    delete operation;
}
hone_status hone_plan_create(hone_ctx *ctx, const char *, const std::int64_t *,
                             std::size_t, hone_plan **out, hone_match *match)
{
    std::memset(match, 0, sizeof *match);
    ++n_plans;
    ++ctx->n_plans;
    *out = new hone_plan{ctx};
    return HONE_OK;
}
void hone_plan_destroy(hone_plan *plan)
{
    if (!plan)
        return;
    --n_plans;
    --plan->ctx->n_plans;
    n_wrong += plan->ctx->is_closed;
    delete plan;
}
}

static hone::plan make()
{
    return hone::plan(hone::context("x"), "a", {1});
}

int main()
{
    {
        hone::plan a = make(), b = make();

        a = std::move(b);
        a = make();
        b = std::move(a);
    }
    if (n_wrong || n_plans || n_contexts)
        std::printf("FAILED: %d wrong, %d plans and %d contexts left\n", n_wrong,
                    n_plans, n_contexts);
    return n_wrong || n_plans || n_contexts;
}
