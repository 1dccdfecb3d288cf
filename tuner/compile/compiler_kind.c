/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of compilers: see compiler_kind.h. */
#include "tuner/compile/compiler_kind.h"

#include "gen/expand/expand.h"
#include "tuner/compile/host_unit.h"

static hone_status write_nvrtc(const hone_template *tmpl, const int64_t *config,
                               const int64_t *dims, hone_text *out_source,
                               hone_text *out_options, hone_error *err)
{
    HONE_TRY(hone__expand_unit(tmpl, config, dims, out_source, err));
    return hone__expand_options(tmpl, config, dims, out_options, err);
}

static const hone_compiler_kind nvrtc_kind = {
    .write = write_nvrtc, .missing = HONE_ERR_NVRTC, .takes_ptx = 1};

static const hone_compiler_kind host_kind = {.write = hone__host_unit,
                                             .missing = HONE_ERR_NO_COMPILER,
                                             .has_sanitizers = 1};

const hone_compiler_kind *hone__compiler_kind(hone_backend backend)
{
    static const hone_compiler_kind *const kinds[] = {
#define KIND(id, name, compiler) &compiler##_kind,
        HONE_BACKEND_MAP(KIND)
#undef KIND
    };

    return kinds[backend];
}

hone_status hone__variant_source(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_backend backend, hone_text *out_source,
                                 hone_text *out_options, hone_error *err)
{
    return hone__compiler_kind(backend)->write(tmpl, config, dims, out_source,
                                               out_options, err);
}

hone_status hone__backend_takes(hone_backend backend, const hone_template *tmpl,
                                hone_error *err)
{
    if (hone__compiler_kind(backend)->takes_ptx || !tmpl->cuda_only)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "%s is for CUDA devices only: %s", tmpl->op,
                      tmpl->cuda_only);
}
