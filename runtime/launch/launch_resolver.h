/* SPDX-License-Identifier: Apache-2.0 */
/* What every step of the evaluation of a launch plan reads: see
 * launch_resolve.c. */
#ifndef HONE_RUNTIME_LAUNCH_RESOLVER_H
#define HONE_RUNTIME_LAUNCH_RESOLVER_H

#include "runtime/launch/launch_body.h"

typedef struct hone_resolver {
    const hone_launch_spec *spec;
    const hone_properties *properties;
    hone_error *err;
    int64_t slots[MAX_SLOTS];
    unsigned char lacks[MAX_SLOTS]; /* lets that cannot be evaluated */
} hone_resolver;

/* A let that cannot be evaluated fails where it is needed. */
hone_status hone__resolver_eval(hone_resolver *r, const hone_expr *expr,
                                int64_t *out);

/* Of an expression that may be left out. */
static inline hone_status hone__resolver_eval_or(hone_resolver *r,
                                                 const hone_expr *expr,
                                                 int64_t otherwise,
                                                 int64_t *out)
{
    *out = otherwise;
    return expr ? hone__resolver_eval(r, expr, out) : HONE_OK;
}

/* Properties, dims (HONE_MAX_DIMS of them, defaults filled in) and lets. */
void hone__resolver_fill(hone_resolver *r, const int64_t *dims);
/* The let of this number, with those before it filled in. */
void hone__resolver_let(hone_resolver *r, size_t i);
/* An argument, with all that its expressions give. */
hone_status hone__resolver_arg(hone_resolver *r, const spec_arg *arg,
                               hone_resolved_arg *to);
/* launch_geometry.c: the launches, into `out`. */
hone_status hone__resolver_launches(hone_resolver *r, hone_resolved *out);

/* ---- launch_describe.c: where not all is known ----------------------------
 */

/* A resolver some of whose slots have no value: those of properties or dims
 * that nobody gave, and lets that read them or divide by a size of 0. */
typedef struct hone_partial {
    hone_resolver resolver;
    int lacks_dims;
    int lacks_properties;
    unsigned char lacks_let[MAX_LETS];
} hone_partial;

/* `properties` and `dims` (those of the spec, completed) may be NULL. */
void hone__partial_fill(hone_partial *partial, const hone_launch_spec *spec,
                        const hone_properties *properties, const int64_t *dims,
                        hone_error *err);
/* Does the expression read only what has a value? NULL does. */
int hone__partial_knows(const hone_partial *partial, const hone_expr *expr);

#endif
