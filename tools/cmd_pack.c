/* SPDX-License-Identifier: Apache-2.0 */
/* hone pack: the winners of a database as one read-only file, or as C. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/output_file.h"
#include "tools/database/check.h"
#include "tools/inputs/open_to_read.h"
#include "tools/inputs/pack_ptx.h"

#include "db/db_pack.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "runtime/base/hash.h"
#include "runtime/store/pack.h"

#include <ctype.h>
#include <stdio.h>
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

/* Of C and C++, and names that compilers for Linux define: no array can be
 * called so. */
static int is_keyword(const char *word, size_t length)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case "
        "catch char char8_t char16_t char32_t class co_await co_return "
        "co_yield compl concept const const_cast consteval constexpr constinit "
        "continue decltype default delete do double dynamic_cast else enum "
        "explicit export extern false float for friend goto if inline int "
        "linux "
        "long "
        "mutable namespace new noexcept not not_eq nullptr operator or or_eq "
        "private protected public register reinterpret_cast requires restrict "
        "return short signed sizeof static static_assert static_cast struct "
        "switch template this thread_local throw true try typedef typeid "
        "typename typeof typeof_unqual union unix unsigned using virtual void "
        "volatile wchar_t "
        "while xor xor_eq ";

    for (const char *at = words; at[1]; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return 1;
    return 0;
}

/* "out/my-lib.c" is my_lib. */
static void put_identifier(const char *path, hone_text *out)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base + (*base == '.'), '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);
    hone_text name = {0};

    for (size_t i = 0; i < length; ++i) {
        const char c = isalnum((unsigned char)base[i]) ? base[i] : '_';

        hone__text_append(&name, &c, 1);
    }
    if ((!isalpha((unsigned char)*base) && *base != '_') ||
        is_keyword(hone__text_str(&name), name.length))
        hone__text_puts(out, "pack_");
    hone__text_append(out, hone__text_str(&name), name.length);
    out->failed |= name.failed;
    hone__text_free(&name);
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

/* C, and C++ too: a project may have no C compiler. */
static const char *const source_form =
    "/* Written by hone pack; SHA-256 of the bytes:\n"
    " * @S\n"
    " *\n"
    " *     #include <hone.h>\n"
    " *     HONE_PACK_DECLARE(@N);  the bytes @N[], @N_bytes of them, and\n"
    " *     @N_register();          hone_pack_register() of them\n"
    " */\n"
    "#include <hone.h>\n\n"
    "HONE_PACK_DECLARE(@N);\n\n"
    "hone_status @N_register(void)\n"
    "{\n"
    "    return hone_pack_register(@N, @N_bytes);\n"
    "}\n\n"
    "#ifdef __cplusplus\n"
    "#define HONE_ALIGNED alignas(16)\n"
    "#else\n"
    "#define HONE_ALIGNED _Alignas(16)\n"
    "#endif\n"
    "const size_t @N_bytes = @B;\n"
    "HONE_ALIGNED const unsigned char @N[@B] = {\n";

/* `source_form` with @N, @S and @B replaced, and the bytes. */
static void put_source(const char *path, const hone_text *pack,
                       const hone_db_pack_summary *summary, hone_text *out)
{
    hone_text name = {0};

    put_identifier(path, &name);
    for (const char *at = source_form; *at;) {
        const size_t plain = strcspn(at, "@");

        hone__text_append(out, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == 'N')
            hone__text_puts(out, hone__text_str(&name));
        else if (at[1] == 'S')
            hone__text_puts(out, summary->sha256);
        else
            hone__text_printf(out, "%zu", pack->length);
        at += 2;
    }
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
        status = hone__output_replace(path, bytes->data, bytes->length, err);
    hone__text_free(&source);
    return status;
}

/* A copied pack has no figures about its compression. */
static hone_exit print_summary(const hone_options *options, size_t pack_bytes,
                               const hone_db_pack_summary *summary, int is_copy)
{
    json_t *json = hone__json(
        "file:s sha256:s bytes:I index_bytes:I operations:I winners:I "
        "defaults:I choosers:I variants:I",
        options->text[HONE_OPT_OUTPUT], summary->sha256, (int64_t)pack_bytes,
        (int64_t)summary->index_bytes, (int64_t)summary->n_ops,
        (int64_t)summary->n_winners, (int64_t)summary->n_defaults,
        (int64_t)summary->n_choosers, (int64_t)summary->n_variants);
    hone_exit code;

    if (!is_copy)
        json = hone__json_add(
            json, "kernels:I ptx:I kernel_bytes:I stored_kernel_bytes:I",
            (int64_t)summary->n_cubins, (int64_t)summary->n_ptx,
            (int64_t)summary->cubin_bytes, (int64_t)summary->stored_bytes);
    code = hone__output_end(hone__output_begin(options, NULL, "", json),
                            hone__json(""));
    if (summary->n_damaged)
        hone__message_note("%zu variant%s left out, damaged in the database; "
                           "the first: %s",
                           summary->n_damaged,
                           summary->n_damaged == 1 ? "" : "s",
                           hone__text_str(&summary->damage));
    return code;
}

/* ---- reading ------------------------------------------------------------- */

/* Every kernel and launch plan must be whole: what ships is not mended. */
static hone_status check_blobs(const hone_pack *pack, const char *path,
                               hone_error *err)
{
    size_t n;

    (void)hone__pack_records(pack, HONE_PACK_BLOBS, &n);
    for (size_t i = 0; i < n; ++i) {
        hone_error why = {0};

        if (hone__pack_check_blob(pack, (uint32_t)i, &why) != HONE_OK)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "pack '%s' is damaged: %.200s", path, why.text);
    }
    return HONE_OK;
}

/* The bytes of a pack that is there, to be written in another form. */
static hone_status copy_pack(const char *path, int is_part, hone_text *out,
                             hone_db_pack_summary *summary, hone_error *err)
{
    hone_pack pack = {0};
    hone_status status;

    if (is_part)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%s' is a pack, which is taken as it is: --op, "
                          "--arch and --with-ptx are for databases",
                          path);
    HONE_TRY(hone__pack_open_file(path, NULL, &pack, err));
    status = check_blobs(&pack, path, err);
    if (status == HONE_OK) {
        hone__text_append(out, (const char *)pack.bytes, pack.size_bytes);
        hone__sha256_hex(pack.bytes, pack.size_bytes, summary->sha256);
        summary->index_bytes = (size_t)pack.header.index_bytes;
        (void)hone__pack_records(&pack, HONE_PACK_OPS, &summary->n_ops);
        (void)hone__pack_records(&pack, HONE_PACK_WINNERS, &summary->n_winners);
        (void)hone__pack_records(&pack, HONE_PACK_DEFAULTS,
                                 &summary->n_defaults);
        (void)hone__pack_records(&pack, HONE_PACK_CHOOSERS,
                                 &summary->n_choosers);
        (void)hone__pack_records(&pack, HONE_PACK_VARIANTS,
                                 &summary->n_variants);
    }
    hone__pack_close(&pack);
    return status;
}

static hone_status write_pack(const hone_options *options, const char *path,
                              const name_list *ops, const name_list *archs,
                              hone_text *out, hone_db_pack_summary *summary,
                              hone_error *err)
{
    const int with_ptx = options->text[HONE_OPT_WITH_PTX] != NULL;
    hone_pack_ptx ptx = {.options = options};
    hone_db *db = NULL;
    hone_status status = hone__open_to_read(path, &db, err);

    if (status == HONE_OK)
        status =
            hone__db_pack(db,
                          &(hone_db_pack_request){
                              .ops = ops->names,
                              .n_ops = ops->n,
                              .archs = archs->names,
                              .n_archs = archs->n,
                              .make_ptx = with_ptx ? hone__pack_ptx_make : NULL,
                              .user = &ptx},
                          out, summary, err);
    hone__pack_ptx_end(&ptx);
    hone__db_close(db);
    return status;
}

static hone_status make_pack(const hone_options *options, hone_text *out,
                             hone_db_pack_summary *summary, int *is_copy,
                             hone_error *err)
{
    const char *output = options->text[HONE_OPT_OUTPUT];
    name_list ops = {0}, archs = {0};
    hone_text path = {0};
    hone_status status = read_names(options, HONE_OPT_PACK_OP, &ops, err);

    if (status == HONE_OK)
        status = read_names(options, HONE_OPT_PACK_ARCH, &archs, err);
    if (status == HONE_OK)
        status = hone__locate_db(options, &path, err);
    if (status == HONE_OK)
        status = hone__output_may_replace(output, err);
    if (status == HONE_OK)
        status = hone__output_spares(output, hone__text_str(&path), err);
    if (status == HONE_OK) {
        *is_copy = hone__check_is_pack(hone__text_str(&path));
        status = *is_copy ? copy_pack(hone__text_str(&path),
                                      ops.n || archs.n ||
                                          options->text[HONE_OPT_WITH_PTX],
                                      out, summary, err)
                          : write_pack(options, hone__text_str(&path), &ops,
                                       &archs, out, summary, err);
    }
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
    int is_copy = 0;

    if (!options->text[HONE_OPT_OUTPUT] || !*options->text[HONE_OPT_OUTPUT] ||
        strcmp(options->text[HONE_OPT_OUTPUT], "-") == 0)
        status = hone__fail(&err, HONE_ERR_ARGUMENT,
                            "'hone pack' needs -o FILE, the file to write");
    else
        status = make_pack(options, &pack, &summary, &is_copy, &err);
    if (status == HONE_OK)
        status = write_file(options, &pack, &summary, &err);
    code = status == HONE_OK
               ? print_summary(options, pack.length, &summary, is_copy)
               : hone__message_error(&err);
    hone__db_pack_summary_free(&summary);
    hone__text_free(&pack);
    return code;
}
