/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between compilers, beside how a process of the farm runs them
 * (compile_worker.c): a row for each compiler of HONE_BACKEND_MAP. What asks
 * the row need not know which device it has. */
#ifndef HONE_TUNER_COMPILER_KIND_H
#define HONE_TUNER_COMPILER_KIND_H

#include "gen/parse/template.h"
#include "runtime/base/text.h"
#include "tuner/compile/farm.h"

typedef hone_status
hone_variant_writer(const hone_template *tmpl, const int64_t *config,
                    const int64_t *dims, hone_text *out_source,
                    hone_text *out_options, hone_error *err);

typedef struct hone_compiler_kind {
    hone_variant_writer *write; /* what it gets for a configuration */
    hone_status missing;        /* the error where it does not start */
    int takes_ptx;      /* templates that are for CUDA only have a variant */
    int has_sanitizers; /* other hone_host_builds than PLAIN */
} hone_compiler_kind;

const hone_compiler_kind *hone__compiler_kind(hone_backend backend);

/* What the farm compiles for one configuration. */
hone_status hone__variant_source(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_backend backend, hone_text *out_source,
                                 hone_text *out_options, hone_error *err);

/* HONE_ERR_CONSTRAINT with the template's reason if it is for CUDA devices
 * only and the backend's compiler does not take what is CUDA's own. */
hone_status hone__backend_takes(hone_backend backend, const hone_template *tmpl,
                                hone_error *err);

#endif
