/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a pack, of rows in order: everything gets its number when it is
 * first named. */
#include "db/db_pack_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct pack_writer {
    pack_input *in;
    hone_text parts[HONE_PACK_N_PARTS];
    pack_blobs blobs;
} pack_writer;

static uint32_t count(const pack_writer *w, hone_pack_part part)
{
    return (uint32_t)(w->parts[part].length / hone__pack_record_bytes[part]);
}

static void append(pack_writer *w, hone_pack_part part, const void *record)
{
    hone__text_append(&w->parts[part], record, hone__pack_record_bytes[part]);
}

static uint32_t text(pack_writer *w, pack_text *kept)
{
    hone_text *texts = &w->parts[HONE_PACK_TEXTS];

    if (kept->offset == HONE_PACK_NONE) {
        /* Checked at the end: not that many. */
        kept->offset = (uint32_t)texts->length;
        hone__text_append(texts, kept->text, strlen(kept->text) + 1);
    }
    return kept->offset;
}

/* ---- records ------------------------------------------------------------- */

static hone_status blob_of_plan(pack_writer *w, pack_text *plan,
                                hone_error *err)
{
    return plan->blob != HONE_PACK_NONE
               ? HONE_OK
               : hone__pack_blobs_add(&w->blobs, HONE_PACK_OF_PLANS, plan->text,
                                      strlen(plan->text), &plan->blob, err);
}

static hone_status blob_of_cubin(pack_writer *w, pack_text *sha256,
                                 hone_error *err)
{
    hone_db_pack_summary *summary = w->in->summary;
    const size_t before = w->blobs.bytes.length;
    hone_text cubin = {0};
    hone_status status;

    if (!sha256->text[0] || sha256->blob != HONE_PACK_NONE)
        return HONE_OK;
    status = hone__pack_code(w->in, sha256, &cubin, err);
    if (status == HONE_OK)
        status = hone__pack_blobs_add(&w->blobs, HONE_PACK_OF_CUBINS,
                                      hone__text_str(&cubin), cubin.length,
                                      &sha256->blob, err);
    if (status == HONE_OK) {
        ++summary->n_cubins;
        summary->cubin_bytes += cubin.length;
        summary->stored_bytes += w->blobs.bytes.length - before;
    }
    hone__text_free(&cubin);
    return status;
}

static hone_status put_variant(pack_writer *w, pack_variant *variant,
                               hone_error *err)
{
    hone_pack_variant record = {.is_default = variant->is_default != 0};

    if (variant->number != HONE_PACK_NONE)
        return HONE_OK;
    HONE_TRY(blob_of_plan(w, variant->plan, err));
    HONE_TRY(blob_of_cubin(w, variant->cubin_sha256, err));
    record.implementation = text(w, variant->implementation);
    record.config = text(w, variant->config);
    record.types = text(w, variant->types);
    record.compile_arch = text(w, variant->compile_arch);
    record.cubin_sha256 = text(w, variant->cubin_sha256);
    record.launch_sha256 = variant->launch_sha256
                               ? text(w, variant->launch_sha256)
                               : HONE_PACK_NONE;
    record.plan = variant->plan->blob;
    record.cubin = variant->cubin_sha256->blob;
    variant->number = count(w, HONE_PACK_VARIANTS);
    append(w, HONE_PACK_VARIANTS, &record);
    return HONE_OK;
}

static uint32_t put_device(pack_writer *w, const pack_device *device)
{
    const hone_text *devices = &w->parts[HONE_PACK_DEVICES];
    const hone_pack_device record = {
        text(w, device->name), text(w, device->driver_version),
        text(w, device->arch), (uint32_t)device->sm_count};
    const uint32_t n = count(w, HONE_PACK_DEVICES);

    for (uint32_t i = 0; i < n; ++i) /* a handful */
        if (memcmp(devices->data + i * sizeof record, &record, sizeof record) ==
            0)
            return i;
    append(w, HONE_PACK_DEVICES, &record);
    return n;
}

static hone_status put_winner(pack_writer *w, const pack_winner *winner,
                              hone_error *err)
{
    hone_pack_winner record = {.rank = (uint16_t)(winner->rank < 1 ? 1
                                                  : winner->rank > 0xffff
                                                      ? 0xffff
                                                      : winner->rank),
                               .is_cold = winner->is_cold != 0,
                               .time_ns = winner->time_ns};

    HONE_TRY(put_variant(w, winner->variant, err));
    record.variant = winner->variant->number;
    record.device = put_device(w, &winner->device);
    record.label = text(w, winner->label);
    for (size_t i = 0; i < winner->n_dims; ++i)
        append(w, HONE_PACK_DIMS, &winner->dims[i]);
    append(w, HONE_PACK_WINNERS, &record);
    return HONE_OK;
}

/* ---- one operation ------------------------------------------------------- */

/* The rows of one operation on one kind of device. */
typedef struct op_rows {
    pack_text *op;
    int is_host;
    const pack_winner *winners;
    size_t n_winners;
    const pack_default *defaults;
    size_t n_defaults;
} op_rows;

static hone_status put_groups(pack_writer *w, const op_rows *rows,
                              hone_error *err)
{
    for (size_t i = 0; i < rows->n_winners;) {
        const pack_winner *first = &rows->winners[i];
        hone_pack_group group = {.types = text(w, first->variant->types),
                                 .n_dims = (uint32_t)first->n_dims,
                                 .first_winner = count(w, HONE_PACK_WINNERS),
                                 .first_dim = count(w, HONE_PACK_DIMS)};

        for (; i < rows->n_winners &&
               !hone__pack_compare_groups(first, &rows->winners[i]);
             ++i)
            HONE_TRY(put_winner(w, &rows->winners[i], err));
        group.n_winners = count(w, HONE_PACK_WINNERS) - group.first_winner;
        append(w, HONE_PACK_GROUPS, &group);
    }
    return HONE_OK;
}

/* A default variant that has won, and of which the database has no default
 * row any more, answers as one: of each the fastest. */
typedef struct standin {
    const pack_variant *variant;
    double time_ns;
    uint32_t winner;
} standin;

static int compare_standins(const void *left, const void *right)
{
    const standin *a = left;
    const standin *b = right;

    if (a->variant->number != b->variant->number)
        return a->variant->number < b->variant->number ? -1 : 1;
    if (hone__pack_compare_numbers(a->time_ns, b->time_ns))
        return hone__pack_compare_numbers(a->time_ns, b->time_ns);
    return (a->winner > b->winner) - (a->winner < b->winner);
}

static int is_default_row(const op_rows *rows, const pack_variant *variant)
{
    for (size_t i = 0; i < rows->n_defaults; ++i)
        if (rows->defaults[i].variant == variant)
            return 1;
    return 0;
}

static hone_status put_standins(pack_writer *w, const op_rows *rows,
                                uint32_t first_winner, hone_error *err)
{
    standin *list = NULL;
    size_t n = 0;

    for (size_t i = 0; i < rows->n_winners; ++i) {
        const pack_winner *winner = &rows->winners[i];

        if (!winner->variant->is_default ||
            is_default_row(rows, winner->variant))
            continue;
        if (!HONE_GROW(list, n)) {
            hone__free(list);
            return hone__pack_no_memory(err);
        }
        list[n++] = (standin){winner->variant, winner->time_ns,
                              first_winner + (uint32_t)i};
    }
    if (n)
        qsort(list, n, sizeof *list, compare_standins);
    for (size_t i = 0; i < n; ++i)
        if (!i || list[i].variant != list[i - 1].variant)
            append(w, HONE_PACK_STANDINS, &list[i].winner);
    hone__free(list);
    return HONE_OK;
}

static hone_status put_op(pack_writer *w, const op_rows *rows, hone_error *err)
{
    const uint32_t first_winner = count(w, HONE_PACK_WINNERS);
    hone_pack_op op = {.name = text(w, rows->op),
                       .is_host = rows->is_host != 0,
                       .first_group = count(w, HONE_PACK_GROUPS),
                       .first_default = count(w, HONE_PACK_DEFAULTS),
                       .first_standin = count(w, HONE_PACK_STANDINS)};

    HONE_TRY(put_groups(w, rows, err));
    for (size_t i = 0; i < rows->n_defaults; ++i) {
        pack_variant *variant = rows->defaults[i].variant;
        hone_pack_default record = {.preference = rows->defaults[i].preference};

        HONE_TRY(put_variant(w, variant, err));
        record.variant = variant->number;
        append(w, HONE_PACK_DEFAULTS, &record);
    }
    HONE_TRY(put_standins(w, rows, first_winner, err));
    op.n_groups = count(w, HONE_PACK_GROUPS) - op.first_group;
    op.n_defaults = count(w, HONE_PACK_DEFAULTS) - op.first_default;
    op.n_standins = count(w, HONE_PACK_STANDINS) - op.first_standin;
    append(w, HONE_PACK_OPS, &op);
    return HONE_OK;
}

static int compare_ops(int host_a, const pack_text *a, int host_b,
                       const pack_text *b)
{
    return host_a != host_b ? host_a - host_b : strcmp(a->text, b->text);
}

/* Both lists are sorted by operation first. */
static hone_status put_ops(pack_writer *w, hone_error *err)
{
    const pack_input *in = w->in;
    size_t i = 0, j = 0;

    while (i < in->n_winners || j < in->n_defaults) {
        const pack_winner *winner = in->winners + i;
        const pack_default *other = in->defaults + j;
        op_rows rows = {.winners = winner, .defaults = other};
        const int of_winner =
            j == in->n_defaults ||
            (i < in->n_winners && compare_ops(winner->is_host, winner->op,
                                              other->is_host, other->op) <= 0);

        rows.op = of_winner ? winner->op : other->op;
        rows.is_host = of_winner ? winner->is_host : other->is_host;
        for (; i < in->n_winners &&
               !compare_ops(in->winners[i].is_host, in->winners[i].op,
                            rows.is_host, rows.op);
             ++i)
            ++rows.n_winners;
        for (; j < in->n_defaults &&
               !compare_ops(in->defaults[j].is_host, in->defaults[j].op,
                            rows.is_host, rows.op);
             ++j)
            ++rows.n_defaults;
        HONE_TRY(put_op(w, &rows, err));
    }
    return HONE_OK;
}

/* Behind all operations, whose variants keep their numbers. */
static hone_status put_choosers(pack_writer *w, hone_error *err)
{
    const pack_input *in = w->in;

    for (size_t i = 0; i < in->n_choosers; ++i) {
        const pack_chooser *chooser = &in->choosers[i];
        hone_pack_chooser record = {.op = text(w, chooser->op),
                                    .is_host = chooser->is_host != 0,
                                    .types = text(w, chooser->types),
                                    .device = put_device(w, &chooser->device),
                                    .is_cold = chooser->is_cold != 0,
                                    .first_member = count(w, HONE_PACK_MEMBERS),
                                    .n_members = (uint32_t)chooser->n_members};

        for (size_t j = 0; j < chooser->n_members; ++j) {
            uint32_t number = HONE_PACK_NONE;

            if (chooser->members[j]) {
                HONE_TRY(put_variant(w, chooser->members[j], err));
                number = chooser->members[j]->number;
            }
            append(w, HONE_PACK_MEMBERS, &number);
        }
        HONE_TRY(hone__pack_blobs_add(&w->blobs, HONE_PACK_OF_PLANS,
                                      chooser->text, strlen(chooser->text),
                                      &record.blob, err));
        append(w, HONE_PACK_CHOOSERS, &record);
    }
    return HONE_OK;
}

/* ---- the file ------------------------------------------------------------ */

static void pad(hone_text *out)
{
    static const char zeros[HONE_PACK_ALIGN_BYTES];

    hone__text_append(
        out, zeros,
        (HONE_PACK_ALIGN_BYTES - out->length % HONE_PACK_ALIGN_BYTES) %
            HONE_PACK_ALIGN_BYTES);
}

/* Blobs lie behind the index, whose length is known now. */
static void place_blobs(hone_text *records, uint64_t index_bytes)
{
    for (size_t at = 0; at < records->length; at += sizeof(hone_pack_blob)) {
        hone_pack_blob blob;

        memcpy(&blob, records->data + at, sizeof blob);
        blob.offset += index_bytes;
        memcpy(records->data + at, &blob, sizeof blob);
    }
}

static void lay_out(pack_writer *w, hone_pack_header *header)
{
    uint64_t at = sizeof *header;

    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i) {
        header->parts[i] = (hone_pack_extent){at, count(w, (hone_pack_part)i)};
        at += w->parts[i].length;
        at += (HONE_PACK_ALIGN_BYTES - at % HONE_PACK_ALIGN_BYTES) %
              HONE_PACK_ALIGN_BYTES;
    }
    header->index_bytes = at;
    header->file_bytes = at + w->blobs.bytes.length;
    place_blobs(&w->parts[HONE_PACK_BLOBS], at);
}

static hone_status assemble(pack_writer *w, hone_text *out, hone_error *err)
{
    hone_pack_header header = {.version = HONE_PACK_VERSION,
                               .header_bytes = sizeof header};
    const size_t start = out->length;

    memcpy(header.magic, HONE_PACK_MAGIC, sizeof header.magic);
    memcpy(header.dictionaries, w->blobs.dictionaries,
           sizeof header.dictionaries);
    w->parts[HONE_PACK_BLOBS] = w->blobs.records;
    w->blobs.records = (hone_text){0};
    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i) {
        HONE_TRY(hone__text_check(&w->parts[i], err));
        if (w->parts[i].length / hone__pack_record_bytes[i] >= UINT32_MAX)
            return hone__fail(err, HONE_ERR_UNSUPPORTED,
                              "this is more than one pack can hold; pack some "
                              "of the operations (--op)");
    }
    lay_out(w, &header);
    hone__text_append(out, (const void *)&header, sizeof header);
    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i) {
        hone__text_append(out, hone__text_str(&w->parts[i]),
                          w->parts[i].length);
        pad(out);
    }
    HONE_TRY(hone__text_check(out, err));
    header.index_hash = hone__hash64(out->data + start + sizeof header,
                                     out->length - start - sizeof header);
    header.header_hash =
        hone__hash64(&header, offsetof(hone_pack_header, header_hash));
    memcpy(out->data + start, &header, sizeof header);
    hone__text_append(out, hone__text_str(&w->blobs.bytes),
                      w->blobs.bytes.length);
    w->in->summary->index_bytes = (size_t)header.index_bytes;
    return hone__text_check(out, err);
}

static hone_status write(pack_writer *w, hone_text *out, hone_error *err)
{
    pack_input *in = w->in;

    hone__pack_sort(in);
    HONE_TRY(hone__pack_blobs_begin(&w->blobs, err));
    for (int kind = 0;
         kind < HONE_PACK_N_DICTIONARIES && !in->request->without_dictionaries;
         ++kind)
        HONE_TRY(
            hone__pack_train(in, &w->blobs, (hone_pack_dictionary)kind, err));
    hone__text_append(&w->parts[HONE_PACK_TEXTS], "", 1); /* 0 is "" */
    HONE_TRY(put_ops(w, err));
    HONE_TRY(put_choosers(w, err));
    in->summary->n_ops = count(w, HONE_PACK_OPS);
    in->summary->n_winners = count(w, HONE_PACK_WINNERS);
    in->summary->n_defaults = count(w, HONE_PACK_DEFAULTS);
    in->summary->n_choosers = count(w, HONE_PACK_CHOOSERS);
    in->summary->n_variants = count(w, HONE_PACK_VARIANTS);
    return assemble(w, out, err);
}

hone_status hone__pack_write(pack_input *in, hone_text *out, hone_error *err)
{
    pack_writer w = {.in = in};
    const hone_status status = write(&w, out, err);

    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i)
        hone__text_free(&w.parts[i]);
    hone__pack_blobs_free(&w.blobs);
    return status;
}
