/* SPDX-License-Identifier: Apache-2.0 */
/* Trials as rows of files: what the fields are, and the rows out. */
#include "db/db_exchange.h"
#include "db/db_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CHECK and CHECK_OR_NULL as two numbers: which check, and whether a value may
 * be missing. */
enum {
#define CHECK(name)                                                            \
    CHECK_##name = 2 * HONE_DB_CHECK_##name, CHECK_##name##_OR_NULL
    CHECK(ANY),
    CHECK(NAME),
    CHECK(NUMBERS),
    CHECK(HASH),
    CHECK(CHOICE),
    CHECK(OBJECT),
    CHECK(LIST),
    CHECK(TRUTH),
    CHECK(COUNT),
    CHECK(POSITIVE),
    CHECK(RATIO)
#undef CHECK
};

const hone_db_field hone__db_fields[HONE_DB_N_FIELDS] = {
#define FIELD(name, type, check, choices, sql)                                 \
    {#name, HONE_DB_##type, (hone_db_check_kind)(CHECK_##check / 2),           \
     CHECK_##check % 2, choices},
#include "db/exchange.def"
#undef FIELD
};

/* ---- values ------------------------------------------------------------- */

static int is_choice(const char *choices, const char *text, size_t length)
{
    while (*choices) {
        const size_t n = strcspn(choices, "|");

        if (n == length && memcmp(choices, text, n) == 0)
            return 1;
        choices += n + (choices[n] == '|');
    }
    return 0;
}

/* "4096,4": whole numbers of 64 bits; "" is none of them. */
static int is_list_of_numbers(const char *text)
{
    while (*text) {
        char *end;

        if (*text < '0' || *text > '9')
            return 0;
        errno = 0;
        (void)strtoll(text, &end, 10);
        if (errno || (*end && *end != ',') || (*end && !end[1]))
            return 0;
        text = *end ? end + 1 : end;
    }
    return 1;
}

static int is_text(const hone_db_field *field, const hone_db_value *value)
{
    const char *text = value->text;
    const size_t n = value->size_bytes;

    if (strlen(text) != n)
        return 0; /* a NUL inside */
    switch (field->check) {
    case HONE_DB_CHECK_NAME:
        return n > 0;
    case HONE_DB_CHECK_NUMBERS:
        return is_list_of_numbers(text);
    case HONE_DB_CHECK_HASH:
        return n == HONE_SHA256_HEX - 1 &&
               strspn(text, "0123456789abcdef") == n;
    case HONE_DB_CHECK_CHOICE:
        return is_choice(field->choices, text, n);
    case HONE_DB_CHECK_OBJECT:
        return n >= 2 && text[0] == '{' && text[n - 1] == '}';
    case HONE_DB_CHECK_LIST:
        return n >= 2 && text[0] == '[' && text[n - 1] == ']';
    default:
        return 1;
    }
}

static int is_number(const hone_db_field *field, const hone_db_value *value)
{
    const double number = value->real;

    if (isnan(number) || (isinf(number) && field->check != HONE_DB_CHECK_RATIO))
        return 0;
    switch (field->check) {
    case HONE_DB_CHECK_TRUTH:
        return value->integer == 0 || value->integer == 1;
    case HONE_DB_CHECK_COUNT:
    case HONE_DB_CHECK_RATIO:
        return number >= 0;
    case HONE_DB_CHECK_POSITIVE:
        return number > 0;
    default:
        return 1;
    }
}

/* "a number from 0". */
static void describe(const hone_db_field *field, hone_text *out)
{
    static const char *const texts[] = {
        "a text",
        "a text that is not empty",
        "whole numbers with commas between them, as 4096,64",
        "a SHA-256, 64 hexadecimal digits in lower case",
        "one of ",
        "an object {..}",
        "a list [..]",
        "0 or 1",
        " from 0",
        " above 0",
        " from 0, or inf"};
    const int is_text_field = field->type == HONE_DB_TEXT;

    if (is_text_field || field->check == HONE_DB_CHECK_TRUTH) {
        hone__text_puts(out, texts[field->check]);
        hone__text_puts(out, field->choices);
        return;
    }
    hone__text_puts(out, field->type == HONE_DB_INTEGER ? "a whole number"
                                                        : "a number");
    if (field->check != HONE_DB_CHECK_ANY)
        hone__text_puts(out, texts[field->check]);
}

hone_status hone__db_field_check(const hone_db_field *field,
                                 const hone_db_value *value, hone_error *err)
{
    hone_text text = {0};
    int is_right;

    if (value->kind == HONE_DB_NULL)
        is_right = field->may_be_null;
    else if (value->kind != field->type)
        is_right = 0;
    else
        is_right = field->type == HONE_DB_TEXT ? is_text(field, value)
                                               : is_number(field, value);
    if (is_right)
        return HONE_OK;
    hone__text_printf(&text, "'%s' ", field->name);
    if (value->kind == HONE_DB_NULL)
        hone__text_puts(&text, "is missing: it has to be ");
    else if (value->kind == HONE_DB_TEXT)
        hone__text_printf(&text, "cannot be '%.60s': it has to be ",
                          value->text);
    else
        hone__text_printf(&text, "cannot be %.17g: it has to be ", value->real);
    describe(field, &text);
    return hone__text_fail(&text, HONE_ERR_INPUT, err);
}

/* ---- rows out ----------------------------------------------------------- */

/* Sessions by what they say, so that the same rows in another file come in the
 * same order; those that are alike by their own. Recordings keep the order of
 * their file, which need not say when a trial began. The plus sign: without it
 * SQLite asks each session's index for every one of the trials. */
static const char export_from[] =
    " FROM trial t"
    " JOIN nth n ON n.session_id = t.session_id"
    " JOIN session s ON s.session_id = t.session_id"
    " JOIN problem p ON p.problem_id = s.problem_id"
    " JOIN device d ON d.device_id = s.device_id"
    " JOIN template sk ON sk.template_id = s.template_id"
    " JOIN variant v ON v.variant_id = t.variant_id"
    " JOIN template k ON k.template_id = v.template_id"
    " JOIN toolchain c ON c.toolchain_id = v.toolchain_id"
    " WHERE +t.trial_id IN (SELECT trial_id FROM wanted)"
    " ORDER BY n.nth, CASE d.kind WHEN 'replay' THEN 0"
    " ELSE t.started_unix_ns END, t.trial_id";
static const char export_sessions[] =
    "), nth AS MATERIALIZED (SELECT s.session_id, row_number() OVER ("
    " ORDER BY s.started_unix_s, p.op, p.dims, d.fingerprint, s.mode, sk.name,"
    " sk.sha256, s.strategy, s.seed, s.budget, s.hone_version, s.session_id)"
    " AS nth FROM session s"
    " JOIN problem p ON p.problem_id = s.problem_id"
    " JOIN device d ON d.device_id = s.device_id"
    " JOIN template sk ON sk.template_id = s.template_id"
    " WHERE s.session_id IN (SELECT session_id FROM wanted))"
    " SELECT ";
static const char *const expressions[] = {
#define FIELD(name, type, check, choices, sql) sql,
#include "db/exchange.def"
#undef FIELD
};

static void write_export(const char *wanted, int of_template, size_t n_values,
                         hone_text *sql)
{
    hone__text_printf(
        sql,
        "WITH wanted AS MATERIALIZED (SELECT w.trial_id, w.session_id"
        " FROM trial w JOIN variant wv ON wv.variant_id = w.variant_id"
        " JOIN template wk ON wk.template_id = wv.template_id"
        " WHERE w.trial_id IN (SELECT trial_id FROM (%s))",
        wanted);
    if (of_template)
        hone__text_printf(sql, " AND wk.name = ?%zu", n_values + 1);
    hone__text_puts(sql, export_sessions);
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        hone__text_printf(sql, "%s%s AS \"%s\"", i ? ", " : "", expressions[i],
                          hone__db_fields[i].name);
    hone__text_puts(sql, export_from);
}

hone_status hone__db_export(hone_db *db, const char *wanted,
                            const hone_db_value *values, size_t n_values,
                            const char *template_name, hone_db_row_fn callback,
                            void *user, hone_error *err)
{
    hone_db_value with_name[64];
    hone_text sql = {0};
    hone_status status;
    int64_t version;

    HONE_TRY(hone__database_integer(db, "read its version",
                                    "PRAGMA main.user_version", &version, err));
    if (version < HONE_DB_VERSION)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "database '%s' is of the older format %lld; make one "
                          "of the current format of it first: hone merge %s "
                          "--db NEW",
                          db->path, (long long)version, db->path);
    if (n_values >= N_OF(with_name))
        return hone__fail(err, HONE_ERR_ARGUMENT, "too many conditions");
    if (n_values)
        memcpy(with_name, values, n_values * sizeof *values);
    with_name[n_values] = hone__db_text(template_name);
    write_export(wanted, template_name != NULL, n_values, &sql);
    status = hone__text_check(&sql, err);
    if (status == HONE_OK)
        status = hone__db_query(db, hone__text_str(&sql), with_name,
                                n_values + (template_name != NULL), callback,
                                user, err);
    hone__text_free(&sql);
    return status;
}

hone_status hone__db_counters(hone_db *db, int64_t trial_id,
                              hone_db_row_fn callback, void *user,
                              hone_error *err)
{
    const hone_db_value id = hone__db_integer(trial_id);

    return hone__db_query(db,
                          "SELECT kernel, name, unit, value FROM counter"
                          " WHERE trial_id = ?1 ORDER BY kernel, name",
                          &id, 1, callback, user, err);
}
