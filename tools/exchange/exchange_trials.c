/* SPDX-License-Identifier: Apache-2.0 */
/* Trials row by row, with their counters. */
#include "tools/exchange/exchange_trials.h"

#include <string.h>

typedef struct trials_walk {
    hone_export *export;
    hone_trials_fn *write;
    hone_text counters;
} trials_walk;

static hone_status on_counter(void *user, const hone_db_row *row,
                              hone_error *err)
{
    hone_text *out = user;

    (void)err;
    hone__text_puts(out, out->length > 1 ? ",[" : "[");
    for (size_t i = 0; i < 3; ++i) {
        hone__json_quote_bytes(row->values[i].text, row->values[i].size_bytes,
                               out);
        hone__text_puts(out, ",");
    }
    hone__shortest(row->values[3].real, out);
    hone__text_puts(out, "]");
    return HONE_OK;
}

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    trials_walk *walk = user;
    hone_db_value values[HONE_DB_N_FIELDS];
    hone_db_value *counters = &values[HONE_DB_FIELD_counters];

    memcpy(values, row->values, sizeof values);
    if (counters->kind != HONE_DB_NULL) {
        hone__text_clear(&walk->counters);
        hone__text_puts(&walk->counters, "[");
        HONE_TRY(hone__db_counters(walk->export->db, counters->integer,
                                   on_counter, &walk->counters, err));
        hone__text_puts(&walk->counters, "]");
        HONE_TRY(hone__text_check(&walk->counters, err));
        *counters = hone__db_text(walk->counters.data);
    }
    ++walk->export->n_rows;
    return walk->write(walk->export, values, err);
}

hone_status hone__trials_each(hone_export *export, hone_trials_fn *write,
                              hone_error *err)
{
    trials_walk walk = {.export = export, .write = write};
    const hone_status status = hone__db_export(
        export->db, export->wanted, export->values, export->n_values,
        export->implementation, on_trial, &walk, err);

    hone__text_free(&walk.counters);
    return status;
}
