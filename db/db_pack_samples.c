/* SPDX-License-Identifier: Apache-2.0 */
/* What the dictionaries of a pack are trained with: its own launch plans and
 * cubins. */
#include "db/db_pack_parts.h"

enum { MOST_SAMPLE_BYTES = 16 << 20 };

/* Samples of one kind, one behind the other. */
typedef struct sample_list {
    hone_text bytes;
    size_t *sizes;
    size_t n;
} sample_list;

static hone_status add_sample(sample_list *list, size_t before, hone_error *err)
{
    HONE_TRY(hone__text_check(&list->bytes, err));
    if (!HONE_GROW(list->sizes, list->n))
        return hone__pack_no_memory(err);
    list->sizes[list->n++] = list->bytes.length - before;
    return HONE_OK;
}

/* The launch plan or the cubin of a variant, unless that was the last one. */
static hone_status sample(const pack_input *in, hone_pack_dictionary kind,
                          const pack_variant *variant, const pack_variant *last,
                          sample_list *list, hone_error *err)
{
    const size_t before = list->bytes.length;

    if (before >= MOST_SAMPLE_BYTES || variant == last)
        return HONE_OK;
    if (kind == HONE_PACK_OF_PLANS)
        hone__text_puts(&list->bytes, variant->plan->text);
    else if (variant->cubin_sha256->text[0])
        HONE_TRY(hone__pack_code(in, variant->cubin_sha256, &list->bytes, err));
    return add_sample(list, before, err);
}

hone_status hone__pack_train(const pack_input *in, pack_blobs *blobs,
                             hone_pack_dictionary kind, hone_error *err)
{
    const pack_variant *last = NULL;
    sample_list list = {.n = 0};
    hone_status status = HONE_OK;

    for (size_t i = 0; i < in->n_winners && status == HONE_OK; ++i) {
        status = sample(in, kind, in->winners[i].variant, last, &list, err);
        last = in->winners[i].variant;
    }
    for (size_t i = 0; i < in->n_defaults && status == HONE_OK; ++i)
        status = sample(in, kind, in->defaults[i].variant, NULL, &list, err);
    if (status == HONE_OK)
        status = hone__pack_blobs_train(blobs, kind, &list.bytes, list.sizes,
                                        list.n, err);
    hone__text_free(&list.bytes);
    hone__free(list.sizes);
    return status;
}
