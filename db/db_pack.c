/* SPDX-License-Identifier: Apache-2.0 */
/* From a database to the bytes of a pack: see db_pack.h. */
#include "db/db_pack_parts.h"

#include <string.h>

static void put_names(const char *what, const char *const *names, size_t n,
                      hone_text *out)
{
    hone__text_printf(out, "%s%s", n ? " " : "", n ? what : "");
    for (size_t i = 0; i < n; ++i)
        hone__text_printf(out, "%s%s", i ? ", " : " ", names[i]);
}

static hone_status on_there(void *user, const hone_db_row *row, hone_error *err)
{
    hone_text *out = user;

    (void)err;
    hone__text_printf(out, "%s%s (%s)", out->length ? ", " : "",
                      row->values[0].text, row->values[1].text);
    return HONE_OK;
}

/* What was asked for is not there: what is? */
static hone_status nothing(hone_db *db, const hone_db_pack_request *request,
                           const hone_db_pack_summary *summary, hone_error *err)
{
    hone_text asked = {0}, there = {0};
    hone_status status = hone__db_query(
        db,
        "SELECT op, group_concat(arch, ', ') FROM"
        " (SELECT op, arch FROM winner_v1 WHERE template_is_latest = 1"
        "   AND device_kind IN ('cuda', 'cpu')"
        "  UNION SELECT op, arch FROM default_v2 ORDER BY 1, 2)"
        " GROUP BY op ORDER BY op",
        NULL, 0, on_there, &there, err);

    put_names("of", request->ops, request->n_ops, &asked);
    put_names("for", request->archs, request->n_archs, &asked);
    if (status == HONE_OK)
        status = hone__text_check(&asked, err);
    if (status == HONE_OK)
        status = hone__text_check(&there, err);
    if (status == HONE_OK)
        status = hone__fail(
            err, HONE_ERR_NOT_FOUND,
            "nothing%.200s in database '%s' can be packed%s%.200s; it has %s",
            hone__text_str(&asked), db->path,
            summary->n_damaged ? ", what there is is damaged: " : "",
            hone__text_str(&summary->damage),
            there.length ? hone__text_str(&there)
                         : "neither winners nor "
                           "defaults");
    hone__text_free(&asked);
    hone__text_free(&there);
    return status;
}

/* A name that nothing was found for: a mistyped one should not go unnoticed. */
static hone_status check_asked(const pack_input *in, hone_error *err)
{
    const hone_db_pack_request *request = in->request;

    for (size_t i = 0; i < request->n_ops + request->n_archs; ++i) {
        const int is_op = i < request->n_ops;
        const char *const name =
            is_op ? request->ops[i] : request->archs[i - request->n_ops];
        hone_db_pack_request alone = {.ops = &name,
                                      .n_ops = is_op ? 1 : 0,
                                      .archs = &name,
                                      .n_archs = is_op ? 0 : 1};
        int found = 0;

        for (size_t j = 0; j < in->n_winners && !found; ++j)
            found = !strcmp(name, is_op ? in->winners[j].op->text
                                        : in->winners[j].device.arch->text);
        for (size_t j = 0; j < in->n_defaults && !found; ++j)
            found = !strcmp(name, is_op ? in->defaults[j].op->text
                                        : in->defaults[j].arch->text);
        if (!found)
            return nothing(in->db, &alone, in->summary, err);
    }
    return in->n_winners || in->n_defaults
               ? HONE_OK
               : nothing(in->db, request, in->summary, err);
}

static hone_status pack(pack_input *in, hone_text *out, hone_error *err)
{
    const size_t start = out->length;

    HONE_TRY(hone__pack_collect(in, err));
    HONE_TRY(check_asked(in, err));
    HONE_TRY(hone__pack_add_ptx(in, err));
    HONE_TRY(hone__pack_write(in, out, err));
    hone__sha256_hex(out->data + start, out->length - start,
                     in->summary->sha256);
    return hone__text_check(&in->summary->damage, err);
}

hone_status hone__db_pack(hone_db *db, const hone_db_pack_request *request,
                          hone_text *out, hone_db_pack_summary *summary,
                          hone_error *err)
{
    pack_input in = {.db = db, .request = request, .summary = summary};
    hone_status status;

    *summary = (hone_db_pack_summary){.n_ops = 0};
    /* All of it as it is now, while a tuner goes on writing. */
    HONE_TRY(hone__db_exec(db, "BEGIN", "read it", err));
    status = pack(&in, out, err);
    hone__db_rollback(db);
    hone__pack_input_free(&in);
    return status;
}

void hone__db_pack_summary_free(hone_db_pack_summary *summary)
{
    hone__text_free(&summary->damage);
}
