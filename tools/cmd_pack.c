/* SPDX-License-Identifier: Apache-2.0 */
/* hone pack: the winners of a database as one read-only file, or as C. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"

#include "db/db_pack.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <ctype.h>
#include <string.h>

/* ---- what is asked for --------------------------------------------------- */

typedef struct name_list {
    const char **names;
    size_t n;
} name_list;

/* The values of a LIST option. */
static hone_status read_names(const hone_options *options, hone_option_id id,
                              name_list *out, hone_error *err)
{
    const char *name;

    while ((name = hone__options_listed(options, id, out->n)) != NULL) {
        if (!HONE_GROW(out->names, out->n))
            return hone__out_of_memory(err, "");
        out->names[out->n++] = name;
    }
    return HONE_OK;
}

/* ---- as C ---------------------------------------------------------------- */

/* "out/my-lib.c" is my_lib. */
static void put_identifier(const char *path, hone_text *out)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strchr(base + (*base == '.'), '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);

    if (!isalpha((unsigned char)*base) && *base != '_')
        hone__text_puts(out, "pack_");
    for (size_t i = 0; i < length; ++i) {
        const char c = isalnum((unsigned char)base[i]) ? base[i] : '_';

        hone__text_append(out, &c, 1);
    }
}

/* An integer of three digits a byte would be shorter, and slower to write:
 * both are nothing beside what the compiler takes. */
static void put_bytes(const hone_text *pack, hone_text *out)
{
    enum { IN_A_LINE = 20 };
    char line[IN_A_LINE * 4 + 2];

    for (size_t at = 0; at < pack->length;) {
        size_t used = 0;

        for (size_t i = 0; i < IN_A_LINE && at < pack->length; ++i, ++at) {
            const unsigned byte = (unsigned char)pack->data[at];

            if (byte > 99)
                line[used++] = (char)('0' + byte / 100);
            if (byte > 9)
                line[used++] = (char)('0' + byte / 10 % 10);
            line[used++] = (char)('0' + byte % 10);
            line[used++] = ',';
        }
        line[used++] = '\n';
        hone__text_append(out, line, used);
    }
}

static void put_source(const char *path, const hone_text *pack,
                       const hone_db_pack_summary *summary, hone_text *out)
{
    hone_text name = {0};

    put_identifier(path, &name);
    hone__text_printf(out,
                      "/* Written by hone pack; SHA-256 of the bytes:\n"
                      " * %s\n"
                      " *\n"
                      " *     extern const unsigned char %s[];\n"
                      " *     extern const size_t %s_bytes;\n"
                      " *     hone_pack_register(%s, %s_bytes);\n"
                      " */\n"
                      "#include <stddef.h>\n\n"
                      "extern const unsigned char %s[];\n"
                      "extern const size_t %s_bytes;\n\n"
                      "const size_t %s_bytes = %zu;\n"
                      "_Alignas(16) const unsigned char %s[%zu] = {\n",
                      summary->sha256, hone__text_str(&name),
                      hone__text_str(&name), hone__text_str(&name),
                      hone__text_str(&name), hone__text_str(&name),
                      hone__text_str(&name), hone__text_str(&name),
                      pack->length, hone__text_str(&name), pack->length);
    put_bytes(pack, out);
    hone__text_puts(out, "};\n");
    out->failed |= name.failed;
    hone__text_free(&name);
}

/* ---- writing ------------------------------------------------------------- */

static hone_status write_file(const hone_options *options,
                              const hone_text *pack,
                              const hone_db_pack_summary *summary,
                              hone_error *err)
{
    const char *path = options->text[HONE_OPT_OUTPUT];
    hone_text source = {0};
    const hone_text *bytes = pack;
    hone_status status;

    if (hone__options_is(options, HONE_OPT_PACK_FORMAT, "c")) {
        put_source(path, pack, summary, &source);
        bytes = &source;
    }
    status = hone__text_check(bytes, err);
    if (status == HONE_OK)
        status = hone__file_replace(path, bytes->data, bytes->length, err);
    hone__text_free(&source);
    return status;
}

static hone_exit print_summary(const hone_options *options, size_t pack_bytes,
                               const hone_db_pack_summary *summary)
{
    const hone_exit code = hone__output_end(
        hone__output_begin(
            options, NULL, "",
            hone__json(
                "file:s sha256:s bytes:I index_bytes:I operations:I winners:I "
                "defaults:I variants:I kernels:I kernel_bytes:I "
                "stored_kernel_bytes:I",
                options->text[HONE_OPT_OUTPUT], summary->sha256,
                (int64_t)pack_bytes, (int64_t)summary->index_bytes,
                (int64_t)summary->n_ops, (int64_t)summary->n_winners,
                (int64_t)summary->n_defaults, (int64_t)summary->n_variants,
                (int64_t)summary->n_cubins, (int64_t)summary->cubin_bytes,
                (int64_t)summary->stored_bytes)),
        hone__json(""));

    if (summary->n_damaged)
        hone__message_note("%zu variant%s left out, damaged in the database; "
                           "the first: %s",
                           summary->n_damaged,
                           summary->n_damaged == 1 ? "" : "s",
                           hone__text_str(&summary->damage));
    return code;
}

static hone_status make_pack(const hone_options *options, hone_text *out,
                             hone_db_pack_summary *summary, hone_error *err)
{
    name_list ops = {0}, archs = {0};
    hone_text path = {0};
    hone_db *db = NULL;
    hone_status status = read_names(options, HONE_OPT_PACK_OP, &ops, err);

    if (status == HONE_OK)
        status = read_names(options, HONE_OPT_PACK_ARCH, &archs, err);
    if (status == HONE_OK)
        status = hone__locate_db(options, &path, err);
    if (status == HONE_OK)
        status =
            hone__db_open(hone__text_str(&path), HONE_DB_READONLY, &db, err);
    if (status == HONE_OK)
        status = hone__db_pack(db,
                               &(hone_db_pack_request){.ops = ops.names,
                                                       .n_ops = ops.n,
                                                       .archs = archs.names,
                                                       .n_archs = archs.n},
                               out, summary, err);
    hone__db_close(db);
    hone__text_free(&path);
    hone__free(ops.names);
    hone__free(archs.names);
    return status;
}

hone_exit hone__cmd_pack(const hone_options *options)
{
    hone_db_pack_summary summary = {.n_ops = 0};
    hone_text pack = {0};
    hone_error err = {0};
    hone_status status;
    hone_exit code;

    if (!options->text[HONE_OPT_OUTPUT] || !*options->text[HONE_OPT_OUTPUT])
        status = hone__fail(&err, HONE_ERR_ARGUMENT,
                            "'hone pack' needs -o FILE, the file to write");
    else
        status = make_pack(options, &pack, &summary, &err);
    if (status == HONE_OK)
        status = write_file(options, &pack, &summary, &err);
    code = status == HONE_OK ? print_summary(options, pack.length, &summary)
                             : hone__message_error(&err);
    hone__db_pack_summary_free(&summary);
    hone__text_free(&pack);
    return code;
}
