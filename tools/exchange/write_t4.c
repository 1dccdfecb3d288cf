/* SPDX-License-Identifier: Apache-2.0 */
/* Results in the community's T4 schema. It has no place for what was tuned, so
 * that stands beside the results, in members of Kernel Tuner's caches, which
 * the schema allows. */
#include "tools/exchange/grid_rows.h"

#include <string.h>

typedef struct t4_writer {
    hone_grid_counters *counters;
    const char *separator;
} t4_writer;

static void put_head(const hone_grid_rows *rows, hone_text *out)
{
    const char *device = hone__grid_device(rows);

    hone__text_puts(out, "{\n\"schema_version\": \"1.0.0\",\n\"metadata\": "
                         "{\"timeunit\": \"milliseconds\"},\n"
                         "\"device_name\": ");
    hone__json_quote(device, strlen(device), out);
    hone__text_puts(out, ",\n\"kernel_name\": ");
    hone__json_quote(hone__text_str(&rows->op), rows->op.length, out);
    hone__text_printf(out, ",\n\"problem_size\": [%s],\n\"results\": [",
                      hone__text_str(&rows->dims));
}

static const char *invalidity_of(const char *outcome)
{
    static const char *const names[][2] = {
        {"ok", "correct"},          {"constraint", "constraints"},
        {"compile", "compile"},     {"limits", "compile"},
        {"timeout", "timeout"},     {"wrong", "correctness"},
        {"unstable", "correctness"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i][0], outcome) == 0)
            return names[i][1];
    return "runtime";
}

static void put_measurement(void *user, const char *name, const char *unit,
                            double value)
{
    hone_text *line = user;

    hone__text_puts(line, ", {\"name\": ");
    hone__json_quote(name, strlen(name), line);
    hone__text_puts(line, ", \"value\": ");
    hone__shortest(value, line);
    hone__text_puts(line, ", \"unit\": ");
    hone__json_quote(unit, strlen(unit), line);
    hone__text_puts(line, "}");
}

static hone_status put_times(hone_grid_counters *counters,
                             const hone_db_value *values, hone_text *line,
                             hone_error *err)
{
    const hone_db_value *samples = &values[HONE_DB_FIELD_samples_ns];
    const double *benchmark;

    hone__text_puts(line, "\"times\": {\"compilation_time\": ");
    hone__grid_ms(counters, "compile_time",
                  &values[HONE_DB_FIELD_compile_time_ns], line);
    hone__text_puts(line, ", \"framework\": ");
    hone__grid_ms(counters, "framework_time", NULL, line);
    hone__text_puts(line, ", \"search_algorithm\": ");
    hone__grid_ms(counters, "strategy_time", NULL, line);
    hone__text_puts(line, ", \"validation\": ");
    hone__grid_ms(counters, "verification_time", NULL, line);
    benchmark = hone__grid_counter(counters, "benchmark_time");
    if (benchmark) {
        hone__text_puts(line, ", \"benchmark\": ");
        hone__shortest(*benchmark, line);
    }
    if (samples->kind == HONE_DB_TEXT) {
        hone__text_puts(line, ", \"runtimes\": ");
        HONE_TRY(hone__grid_samples(samples, line, err));
    }
    hone__text_puts(line, "}");
    return HONE_OK;
}

static void put_measurements(hone_grid_counters *counters,
                             const hone_db_value *values, hone_text *line)
{
    const char *outcome = values[HONE_DB_FIELD_outcome].text;
    const int is_ok = strcmp(outcome, "ok") == 0;

    (void)hone__grid_counter(counters, "time"); /* of a failure: none */
    hone__text_printf(line,
                      ", \"invalidity\": \"%s\", \"correctness\": %d, "
                      "\"measurements\": [{\"name\": \"time\", \"value\": ",
                      invalidity_of(outcome), is_ok);
    if (is_ok)
        hone__grid_ms(counters, "time", &values[HONE_DB_FIELD_time_ns], line);
    else
        hone__text_printf(line, "\"%s\"", outcome);
    hone__text_puts(line, ", \"unit\": \"ms\"}");
    hone__grid_counters_rest(counters, put_measurement, line);
    hone__text_puts(line, "], \"objectives\": [\"time\"]");
}

static hone_status put_trial(hone_grid_rows *rows, const hone_db_value *values,
                             hone_error *err)
{
    t4_writer *writer = rows->user;
    hone_text *line = &rows->export->line;

    HONE_TRY(hone__grid_counters_read(writer->counters, rows, values, err));
    hone__text_puts(line, writer->separator);
    writer->separator = ",\n";
    hone__text_puts(line, "{");
    if (values[HONE_DB_FIELD_started_unix_ns].integer) {
        hone__text_puts(line, "\"timestamp\": \"");
        hone__timestamp_write(values[HONE_DB_FIELD_started_unix_ns].integer,
                              line);
        hone__text_puts(line, "\", ");
    }
    hone__text_puts(line, "\"configuration\": {");
    for (size_t i = 0; i < rows->n_params; ++i) {
        hone__text_puts(line, i ? ", " : "");
        hone__json_quote(rows->params[i].name, strlen(rows->params[i].name),
                         line);
        hone__text_puts(line, ": ");
        hone__grid_value_json(rows->row[i], line);
    }
    hone__text_puts(line, "}, ");
    HONE_TRY(put_times(writer->counters, values, line, err));
    put_measurements(writer->counters, values, line);
    hone__text_puts(line, "}");
    return hone__export_line(rows->export, line, err);
}

hone_status hone__write_t4(hone_export *export, hone_error *err)
{
    hone_grid_rows rows = {.export = NULL};
    t4_writer writer = {hone__grid_counters_new(), "\n"};
    hone_status status =
        writer.counters ? HONE_OK : hone__out_of_memory(err, "");

    if (status == HONE_OK)
        status = hone__grid_rows_open(export, &rows, err);
    rows.user = &writer;
    if (status == HONE_OK && rows.n_trials) {
        put_head(&rows, &export->line);
        status = hone__export_line(export, &export->line, err);
        if (status == HONE_OK)
            status = hone__grid_rows_each(&rows, put_trial, err);
        hone__text_puts(&export->line, "\n]\n}\n");
        if (status == HONE_OK)
            status = hone__export_line(export, &export->line, err);
    }
    hone__grid_rows_free(&rows);
    hone__grid_counters_free(writer.counters);
    return status;
}
