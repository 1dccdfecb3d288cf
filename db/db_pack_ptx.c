/* SPDX-License-Identifier: Apache-2.0 */
/* Beside variants for one architecture the same as PTX, which drivers of newer
 * ones compile: a variant of its own, for `compute_90` in place of `sm_90`. */
#include "db/db_pack_parts.h"

#include "runtime/store/launch_hash.h"

#include <stdio.h>
#include <string.h>

/* What PTX is for, of a variant that may have some; 0: none. Code for one
 * architecture alone runs nowhere else as PTX either. */
static int ptx_arch(const pack_variant *variant, char out[32])
{
    const char *arch = variant->compile_arch->text;
    const size_t length = strlen(arch);

    if (variant->is_vendors || variant->is_damaged || length < 4 ||
        length > 16 || strncmp(arch, "sm_", 3) != 0 || arch[length - 1] == 'a')
        return 0;
    (void)snprintf(out, 32, "compute_%s", arch + 3);
    return 1;
}

/* The code of a variant that is in no database. */
static hone_status keep_code(pack_input *in, const hone_text *code,
                             pack_text **out, hone_error *err)
{
    char sha256[HONE_SHA256_HEX];

    hone__sha256_hex(hone__text_str(code), code->length, sha256);
    *out = hone__pack_keep_text(in, sha256);
    if (!*out)
        return hone__pack_no_memory(err);
    if ((*out)->code)
        return HONE_OK;
    (*out)->code =
        hone__arena_strndup(&in->arena, hone__text_str(code), code->length);
    (*out)->code_bytes = code->length;
    return (*out)->code ? HONE_OK : hone__pack_no_memory(err);
}

static hone_status fill_twin(pack_input *in, const char *arch,
                             const hone_text *code, pack_variant *twin,
                             hone_error *err)
{
    char sha256[HONE_SHA256_HEX];

    HONE_TRY(keep_code(in, code, &twin->cubin_sha256, err));
    twin->compile_arch = hone__pack_keep_text(in, arch);
    if (!twin->compile_arch)
        return hone__pack_no_memory(err);
    HONE_TRY(hone__launch_hash(
        &(hone_launch_parts){twin->config->text, twin->types->text, arch,
                             twin->cubin_sha256->text, twin->plan->text},
        sha256, err));
    twin->launch_sha256 = hone__pack_keep_text(in, sha256);
    return twin->launch_sha256 ? HONE_OK : hone__pack_no_memory(err);
}

/* `variant->ptx`, made at the first time; NULL: it has none. */
static hone_status make_twin(pack_input *in, pack_variant *variant,
                             hone_error *err)
{
    const hone_db_pack_request *request = in->request;
    hone_text code = {0};
    pack_variant *twin;
    hone_status status;
    char arch[32];

    if (variant->is_ptx_asked || !ptx_arch(variant, arch))
        return HONE_OK;
    variant->is_ptx_asked = 1;
    twin = hone__arena_alloc(&in->arena, sizeof *twin);
    if (!twin)
        return hone__pack_no_memory(err);
    status = request->make_ptx(
        request->user,
        &(hone_db_pack_source){variant->op->text, variant->implementation->text,
                               variant->template_sha256->text,
                               variant->config->text, variant->types->text,
                               arch},
        &code, err);
    if (status == HONE_OK)
        status = hone__text_check(&code, err);
    if (status == HONE_OK && code.length) {
        *twin = *variant;
        twin->ptx = NULL;
        status = fill_twin(in, arch, &code, twin, err);
        variant->ptx = twin;
        ++in->summary->n_ptx;
    }
    hone__text_free(&code);
    return status;
}

static hone_status add_winners(pack_input *in, hone_error *err)
{
    const size_t n = in->n_winners;

    for (size_t i = 0; i < n; ++i) {
        pack_winner twin = in->winners[i];

        if (twin.is_host)
            continue;
        HONE_TRY(make_twin(in, twin.variant, err));
        twin.variant = twin.variant->ptx;
        if (!twin.variant)
            continue;
        if (!HONE_GROW(in->winners, in->n_winners))
            return hone__pack_no_memory(err);
        in->winners[in->n_winners++] = twin;
    }
    return HONE_OK;
}

hone_status hone__pack_add_ptx(pack_input *in, hone_error *err)
{
    const size_t n = in->n_defaults;

    if (!in->request->make_ptx)
        return HONE_OK;
    HONE_TRY(add_winners(in, err));
    for (size_t i = 0; i < n; ++i) {
        pack_default twin = in->defaults[i];

        if (twin.is_host)
            continue;
        HONE_TRY(make_twin(in, twin.variant, err));
        twin.variant = twin.variant->ptx;
        if (!twin.variant)
            continue;
        if (!HONE_GROW(in->defaults, in->n_defaults))
            return hone__pack_no_memory(err);
        in->defaults[in->n_defaults++] = twin;
    }
    return HONE_OK;
}

hone_status hone__pack_code(const pack_input *in, const pack_text *sha256,
                            hone_text *out, hone_error *err)
{
    if (!sha256->code)
        return hone__db_artifact_get(in->db, sha256->text, out, err);
    hone__text_append(out, sha256->code, sha256->code_bytes);
    return hone__text_check(out, err);
}
