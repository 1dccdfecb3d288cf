/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of other tuners' trials: see foreign.h. */
#include "tools/exchange/foreign.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static hone_status set(hone_import *import, hone_db_field_id field,
                       const char *text, hone_error *err)
{
    return hone__row_set(&import->row, field, text, strlen(text), err);
}

static hone_status set_texts(hone_import *import, const hone_foreign *what,
                             hone_error *err)
{
    const struct {
        hone_db_field_id field;
        const char *text;
    } texts[] = {{HONE_DB_FIELD_op, what->op},
                 {HONE_DB_FIELD_dims, what->dims},
                 {HONE_DB_FIELD_label, what->label},
                 {HONE_DB_FIELD_mode, what->mode},
                 {HONE_DB_FIELD_device_kind, "replay"},
                 {HONE_DB_FIELD_arch, "replay"},
                 {HONE_DB_FIELD_driver_version, what->sha256},
                 {HONE_DB_FIELD_device_properties, "{}"},
                 {HONE_DB_FIELD_template_name, what->op},
                 {HONE_DB_FIELD_template_kind, "template"},
                 {HONE_DB_FIELD_template_sha256, what->sha256},
                 {HONE_DB_FIELD_toolchain_name, "replay"},
                 {HONE_DB_FIELD_toolchain_version, what->by},
                 {HONE_DB_FIELD_compile_arch, "replay"},
                 {HONE_DB_FIELD_options, ""},
                 {HONE_DB_FIELD_types, ""},
                 {HONE_DB_FIELD_compiler_warnings, ""},
                 {HONE_DB_FIELD_session_template_name, what->op},
                 {HONE_DB_FIELD_session_template_kind, "template"},
                 {HONE_DB_FIELD_session_template_sha256, what->sha256},
                 {HONE_DB_FIELD_strategy, "imported"},
                 {HONE_DB_FIELD_budget, ""},
                 {HONE_DB_FIELD_status, "done"},
                 {HONE_DB_FIELD_hone_version, ""}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        HONE_TRY(set(import, texts[i].field, texts[i].text, err));
    return HONE_OK;
}

hone_status hone__foreign_begin(hone_import *import, const hone_foreign *what,
                                hone_error *err)
{
    hone_row *row = &import->row;
    hone_text device = {0};
    hone_status status;

    hone__row_clear(row);
    HONE_TRY(set_texts(import, what, err));
    hone__text_printf(&device, "replay of %s", what->device);
    status = hone__text_check(&device, err);
    if (status == HONE_OK)
        status = set(import, HONE_DB_FIELD_device_name, device.data, err);
    hone__text_free(&device);
    hone__row_integer(row, HONE_DB_FIELD_sm_count, 1);
    hone__row_integer(row, HONE_DB_FIELD_memory_bytes, 0);
    hone__row_integer(row, HONE_DB_FIELD_l2_bytes, 0);
    /* Another file is no later text of a template, nor is this one. */
    hone__row_integer(row, HONE_DB_FIELD_template_put_unix_ns, 0);
    hone__row_integer(row, HONE_DB_FIELD_session_template_put_unix_ns, 0);
    hone__row_integer(row, HONE_DB_FIELD_is_default, 0);
    hone__row_integer(row, HONE_DB_FIELD_n_samples, 0);
    hone__row_integer(row, HONE_DB_FIELD_verified, 0);
    hone__row_integer(row, HONE_DB_FIELD_device_time_ns, 0);
    hone__row_integer(row, HONE_DB_FIELD_started_unix_ns, 0);
    hone__row_integer(row, HONE_DB_FIELD_session, what->session);
    hone__row_integer(row, HONE_DB_FIELD_seed, 0);
    hone__row_integer(row, HONE_DB_FIELD_session_started_unix_s,
                      what->started_unix_s);
    hone__row_integer(row, HONE_DB_FIELD_session_finished_unix_s,
                      what->started_unix_s);
    return status;
}

hone_status hone__foreign_param(hone_text *config, const char *name,
                                const char *value, hone_error *err)
{
    if (!*value)
        return HONE_OK;
    if (!*name || name[strcspn(name, "=,\n\"\\")] ||
        value[strcspn(value, ",\n\"\\")])
        return hone__fail(err, HONE_ERR_INPUT,
                          "parameter '%.60s' with the value '%.60s' cannot be "
                          "kept: names have no '=', and neither has a comma, "
                          "a double quote or a backslash",
                          name, value);
    hone__text_printf(config, "%s%s=%s", config->length ? "," : "", name,
                      value);
    return HONE_OK;
}

hone_status hone__foreign_trial(hone_import *import, const char *config,
                                hone_outcome outcome, double time,
                                const char *spelled, int shift, hone_error *err)
{
    hone_text ns = {0};
    const int was_compiled =
        outcome != HONE_OUTCOME_COMPILE && outcome != HONE_OUTCOME_CONSTRAINT;
    hone_status status;

    HONE_TRY(set(import, HONE_DB_FIELD_config, config, err));
    HONE_TRY(
        set(import, HONE_DB_FIELD_outcome, hone__outcome_name(outcome), err));
    HONE_TRY(set(import, HONE_DB_FIELD_compile_outcome,
                 was_compiled ? "ok" : hone__outcome_name(outcome), err));
    if (outcome == HONE_OUTCOME_OK && hone__number_shifted(spelled, shift, &ns))
        hone__row_real(&import->row, HONE_DB_FIELD_time_ns,
                       strtod(hone__text_str(&ns), NULL));
    else if (outcome == HONE_OUTCOME_OK)
        hone__row_real(&import->row, HONE_DB_FIELD_time_ns,
                       hone__shifted(time, shift));
    status = hone__text_check(&ns, err);
    hone__text_free(&ns);
    return status;
}

int hone__unit_shift(double unit_s)
{
    static const double units[] = {1e-9, 1e-6, 1e-3, 1};

    for (int i = 0; i < 4; ++i)
        if (fabs(unit_s / units[i] - 1) < 1e-9)
            return 3 * i;
    return -1;
}

/* ---- timestamps -----------------------------------------------------------
 */

/* Days since 1970 of a date in the Gregorian calendar, counted from March so
 * that the leap day is the last of a year. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t m = (month + 9) % 12;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 -
           719468;
}

int64_t hone__timestamp_read(const char *text)
{
    int64_t ns = 0, scale = 100000000;
    int year, month, day, h, m, s, n = 0, hours = 0, minutes = 0;
    char sign = '+';

    if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &year, &month, &day, &h,
               &m, &s, &n) != 6 ||
        !n || year < 1970 || year > 2200 || month < 1 || month > 12 ||
        day < 1 || day > 31 || h < 0 || m < 0 || s < 0)
        return 0;
    text += n;
    if (*text == '.')
        for (++text; isdigit((unsigned char)*text); ++text, scale /= 10)
            ns += (*text - '0') * scale;
    if (*text && strcmp(text, "Z") != 0 &&
        (sscanf(text, "%c%2d:%2d", &sign, &hours, &minutes) != 3 ||
         (sign != '+' && sign != '-')))
        return 0;
    minutes += 60 * hours;
    return (86400 * days_of(year, month, day) + 3600 * h +
            60 * (m - (sign == '-' ? -minutes : minutes)) + s) *
               1000000000 +
           ns;
}

void hone__timestamp_write(int64_t unix_ns, hone_text *out)
{
    const int64_t ns = unix_ns % 1000000000;
    const time_t s = (time_t)(unix_ns / 1000000000);
    struct tm tm;
    char text[64];

    if (!gmtime_r(&s, &tm) ||
        !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
        return;
    hone__text_puts(out, text);
    if (ns % 1000 == 0)
        hone__text_printf(out, ".%06lld+00:00", (long long)(ns / 1000));
    else
        hone__text_printf(out, ".%09lld+00:00", (long long)ns);
}

/* ---- files ----------------------------------------------------------------
 */

hone_status hone__foreign_hash(const char *path, char out[HONE_SHA256_HEX],
                               hone_error *err)
{
    hone_lines *lines = hone__alloc(sizeof *lines);
    hone_text text = {0};
    hone_status status;
    int c = 0;

    if (!lines)
        return hone__out_of_memory(err, "");
    status = hone__lines_open(path, lines, err);
    while (status == HONE_OK && c >= 0 && text.length < HONE_LINE_MOST_BYTES) {
        c = hone__lines_next(lines, err);
        if (c >= 0)
            hone__text_append(&text, &(char){(char)c}, 1);
    }
    if (c == -2)
        status = err->status;
    if (status == HONE_OK && c >= 0)
        status = hone__fail(err, HONE_ERR_INPUT, "'%s' is larger than %d MiB",
                            path, HONE_LINE_MOST_BYTES >> 20);
    if (status == HONE_OK)
        status = hone__text_check(&text, err);
    if (status == HONE_OK)
        hone__sha256_hex(text.data ? text.data : "", text.length, out);
    hone__text_free(&text);
    hone__lines_close(lines);
    hone__free(lines);
    return status;
}

void hone__foreign_name(const char *path, hone_text *out)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const size_t n = strcspn(base, ".");

    hone__text_append(out, n ? base : "imported", n ? n : 8);
}
