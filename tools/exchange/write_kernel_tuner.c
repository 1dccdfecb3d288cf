/* SPDX-License-Identifier: Apache-2.0 */
/* A cache file of Kernel Tuner, as its store_cache() writes them: a head, then
 * a line for each configuration under its values, which Python's str() spells.
 */
#include "tools/exchange/grid_rows.h"

#include <string.h>

typedef struct tuner_writer {
    hone_grid_counters *counters;
    const char *separator;
} tuner_writer;

/* "4096,64" as [4096, 64]. */
static void put_dims(const char *dims, hone_text *out)
{
    hone__text_puts(out, "[");
    for (; *dims; ++dims) {
        hone__text_append(out, dims, 1);
        if (*dims == ',')
            hone__text_puts(out, " ");
    }
    hone__text_puts(out, "]");
}

static void put_head(const hone_grid_rows *rows, hone_text *out)
{
    const char *device = hone__grid_device(rows);

    hone__text_puts(out, "{\n\"device_name\": ");
    hone__json_quote(device, strlen(device), out);
    hone__text_puts(out, ",\n\"kernel_name\": ");
    hone__json_quote(hone__text_str(&rows->op), rows->op.length, out);
    hone__text_puts(out, ",\n\"problem_size\": ");
    put_dims(hone__text_str(&rows->dims), out);
    hone__text_puts(out, ",\n\"tune_params_keys\": [");
    for (size_t i = 0; i < rows->n_params; ++i) {
        hone__text_puts(out, i ? ", " : "");
        hone__json_quote(rows->params[i].name, strlen(rows->params[i].name),
                         out);
    }
    hone__text_puts(out, "],\n\"tune_params\": {");
    for (size_t i = 0; i < rows->n_params; ++i) {
        hone__text_puts(out, i ? ",\n" : "\n");
        hone__json_quote(rows->params[i].name, strlen(rows->params[i].name),
                         out);
        hone__text_puts(out, ": [");
        for (size_t v = 0; v < rows->params[i].n_values; ++v) {
            hone__text_puts(out, v ? ", " : "");
            hone__grid_value_json(rows->params[i].values[v], out);
        }
        hone__text_puts(out, "]");
    }
    hone__text_puts(out, "\n},\n\"objective\": \"time\",\n\"cache\": {");
}

/* The key: str() of True and False has capitals. */
static void put_key(const hone_grid_rows *rows, hone_text *key)
{
    for (size_t i = 0; i < rows->n_params; ++i) {
        const char *value = rows->row[i];

        hone__text_puts(key, i ? "," : "");
        hone__text_puts(key, strcmp(value, "true") == 0    ? "True"
                             : strcmp(value, "false") == 0 ? "False"
                                                           : value);
    }
}

/* What Kernel Tuner makes of a trial that failed. */
static const char *error_of(const char *outcome)
{
    static const char *const names[][2] = {
        {"constraint", "InvalidConfig"},
        {"compile", "CompilationFailedConfig"},
        {"limits", "CompilationFailedConfig"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i][0], outcome) == 0)
            return names[i][1];
    return "RuntimeFailedConfig";
}

static void put_rest(void *user, const char *name, const char *unit,
                     double value)
{
    hone_text *line = user;

    (void)unit;
    hone__text_puts(line, ", ");
    hone__json_quote(name, strlen(name), line);
    hone__text_puts(line, ": ");
    hone__shortest(value, line);
}

static hone_status put_times(hone_grid_counters *counters,
                             const hone_db_value *values, hone_text *line,
                             hone_error *err)
{
    const char *outcome = values[HONE_DB_FIELD_outcome].text;
    const hone_db_value *samples = &values[HONE_DB_FIELD_samples_ns];

    (void)hone__grid_counter(counters, "time"); /* of a failure: none */
    hone__text_puts(line, "\"time\": ");
    if (strcmp(outcome, "ok") == 0)
        hone__grid_ms(counters, "time", &values[HONE_DB_FIELD_time_ns], line);
    else
        hone__text_printf(line, "\"%s\"", error_of(outcome));
    if (samples->kind == HONE_DB_TEXT) {
        hone__text_puts(line, ", \"times\": ");
        HONE_TRY(hone__grid_samples(samples, line, err));
    }
    hone__text_puts(line, ", \"compile_time\": ");
    hone__grid_ms(counters, "compile_time",
                  &values[HONE_DB_FIELD_compile_time_ns], line);
    hone__text_puts(line, ", \"verification_time\": ");
    hone__grid_ms(counters, "verification_time", NULL, line);
    hone__text_puts(line, ", \"benchmark_time\": ");
    hone__grid_ms(counters, "benchmark_time",
                  &values[HONE_DB_FIELD_device_time_ns], line);
    hone__text_puts(line, ", \"strategy_time\": ");
    hone__grid_ms(counters, "strategy_time", NULL, line);
    hone__text_puts(line, ", \"framework_time\": ");
    hone__grid_ms(counters, "framework_time", NULL, line);
    hone__grid_counters_rest(counters, put_rest, line);
    if (values[HONE_DB_FIELD_started_unix_ns].integer) {
        hone__text_puts(line, ", \"timestamp\": \"");
        hone__timestamp_write(values[HONE_DB_FIELD_started_unix_ns].integer,
                              line);
        hone__text_puts(line, "\"");
    }
    return HONE_OK;
}

static hone_status put_trial(hone_grid_rows *rows, const hone_db_value *values,
                             hone_error *err)
{
    tuner_writer *writer = rows->user;
    hone_text *line = &rows->export->line;
    hone_text key = {0};

    HONE_TRY(hone__grid_counters_read(writer->counters, rows, values, err));
    hone__text_puts(line, writer->separator);
    writer->separator = ",\n";
    put_key(rows, &key);
    hone__json_quote(hone__text_str(&key), key.length, line);
    line->failed |= key.failed;
    hone__text_free(&key);
    hone__text_puts(line, ": {");
    for (size_t i = 0; i < rows->n_params; ++i) {
        hone__json_quote(rows->params[i].name, strlen(rows->params[i].name),
                         line);
        hone__text_puts(line, ": ");
        hone__grid_value_json(rows->row[i], line);
        hone__text_puts(line, ", ");
    }
    HONE_TRY(put_times(writer->counters, values, line, err));
    hone__text_puts(line, "}");
    return hone__export_line(rows->export, line, err);
}

hone_status hone__write_kernel_tuner(hone_export *export, hone_error *err)
{
    hone_grid_rows rows;
    tuner_writer writer = {hone__grid_counters_new(), "\n"};
    hone_status status =
        writer.counters ? HONE_OK : hone__out_of_memory(err, "");

    rows = (hone_grid_rows){.export = NULL};
    if (status == HONE_OK)
        status = hone__grid_rows_open(export, &rows, err);
    rows.user = &writer;
    if (status == HONE_OK && rows.n_trials) {
        put_head(&rows, &export->line);
        status = hone__export_line(export, &export->line, err);
        if (status == HONE_OK)
            status = hone__grid_rows_each(&rows, put_trial, err);
        hone__text_puts(&export->line, "\n}\n}\n");
        if (status == HONE_OK)
            status = hone__export_line(export, &export->line, err);
    }
    hone__grid_rows_free(&rows);
    hone__grid_counters_free(writer.counters);
    return status;
}
