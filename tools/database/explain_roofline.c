/* SPDX-License-Identifier: Apache-2.0 */
/* The winner against what the device can do: see explain.h. */
#include "tools/analysis/roofline.h"
#include "tools/database/explain.h"

#include <stdio.h>
#include <string.h>

/* A side: what the winner does of what can be done. `ridge`: so many operations
 * a byte make both sides take equally long; 0: not known. */
static json_t *side(const char *name, const char *unit, double reached,
                    double most, double ridge, const char *bound)
{
    char share[24];

    (void)snprintf(share, sizeof share, "%.3g %%", 100 * reached / most);
    return hone__json("side:s unit:s reached:f most:f share:f share_text:s "
                      "flops_per_byte:p bound:s",
                      name, unit, reached, most, reached / most, share, ridge,
                      bound);
}

/* What a copy of the same bytes reaches, which is closer to what can be done
 * than the data sheet's number. */
static hone_status on_copy(void *user, const hone_db_row *row, hone_error *err)
{
    double *time_ns = user;

    (void)err;
    *time_ns = row->values[0].real;
    return HONE_OK;
}

/* Which units a problem with arrays of these types may use. */
static int is_used(const hone_explained *about, hone_unit unit)
{
    const unsigned types = about->types;
    const unsigned f64 = 1u << HONE_TYPE_F64 | 1u << HONE_TYPE_C64;

    switch (unit) {
    case HONE_UNIT_F64:
        return (types & f64) != 0;
    case HONE_UNIT_F32:
        return !(types & f64);
    case HONE_UNIT_TENSOR_TF32:
        return (types & 1u << HONE_TYPE_TF32) != 0;
    case HONE_UNIT_TENSOR_F16:
        return (types & (1u << HONE_TYPE_F16 | 1u << HONE_TYPE_BF16)) != 0;
    case HONE_UNIT_TENSOR_I8:
        return (types & (1u << HONE_TYPE_I8 | 1u << HONE_TYPE_U8 |
                         1u << HONE_TYPE_E4M3 | 1u << HONE_TYPE_E5M2)) != 0;
    case HONE_N_UNITS:
        break;
    }
    return 0;
}

static json_t *add_operations(json_t *rows, const hone_explained *about,
                              double copy_per_s)
{
    const double per_byte =
        about->bytes > 0 ? (double)about->flops / (double)about->bytes : 0;

    if (about->flops <= 0 || strcmp(about->device_kind, "cuda") != 0)
        return rows;
    for (int unit = 0; unit < HONE_N_UNITS; ++unit) {
        const double most = hone__peak_flops_per_s(
            &about->properties, (hone_unit)unit, about->winner_clock_mhz);
        const double ridge = copy_per_s > 0 ? most / copy_per_s : 0;

        if (most > 0 && is_used(about, (hone_unit)unit))
            rows = hone__json_append(
                rows, side(hone__unit_names[unit], "GFLOP/s",
                           (double)about->flops / about->winner_ns, most * 1e-9,
                           ridge,
                           !(ridge > 0 && per_byte > 0) ? NULL
                           : per_byte < ridge           ? "by memory"
                                                        : "by operations"));
    }
    return rows;
}

json_t *hone__explain_roofline(const hone_explained *about, hone_error *err)
{
    const hone_db_value session = hone__db_integer(about->session_id);
    double copy_ns = 0;
    json_t *rows = json_array();

    if (!(about->winner_ns > 0))
        return rows;
    if (hone__db_query(about->db,
                       "SELECT time_ns FROM baseline WHERE session_id = ?1"
                       " AND name = 'memcpy' AND time_ns IS NOT NULL",
                       &session, 1, on_copy, &copy_ns, err) != HONE_OK) {
        json_decref(rows);
        return NULL;
    }
    if (about->bytes > 0 && copy_ns > 0)
        rows = hone__json_append(rows,
                                 side("memory, by a copy", "GB/s",
                                      (double)about->bytes / about->winner_ns,
                                      (double)about->bytes / copy_ns, 0, NULL));
    return add_operations(
        rows, about, copy_ns > 0 ? (double)about->bytes / copy_ns * 1e9 : 0);
}
