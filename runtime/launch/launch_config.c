/* SPDX-License-Identifier: Apache-2.0 */
/* A launch plan and the configuration it is said to be for: see
 * launch_spec.h. */
#include "runtime/launch/launch_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int is_text(const char *text, size_t length, const char *expected)
{
    return strlen(expected) == length && memcmp(text, expected, length) == 0;
}

/* Numbers, booleans, element types and names of enumerations. */
static int is_value(const hone_launch_spec *spec, int64_t value,
                    const char *text, size_t length)
{
    char number[24];

    (void)snprintf(number, sizeof number, "%" PRId64, value);
    if (is_text(text, length, number) ||
        (value == 1 && is_text(text, length, "true")) ||
        (value == 0 && is_text(text, length, "false")))
        return 1;
    if (value > 0 && (int64_t)hone__type_find(text, length) == value)
        return 1;
    for (size_t i = 0; i < spec->n_names; ++i) {
        const spec_name *symbol = &spec->names[i];

        if (!symbol->is_param && symbol->value == value &&
            is_text(text, length, symbol->name))
            return 1;
    }
    return 0;
}

static const spec_name *find_param(const hone_launch_spec *spec,
                                   const char *name, size_t length)
{
    for (size_t i = 0; i < spec->n_names; ++i) {
        if (spec->names[i].is_param &&
            is_text(name, length, spec->names[i].name))
            return &spec->names[i];
    }
    return NULL;
}

static int is_same(const hone_launch_spec *spec, const spec_name *param,
                   const char *text, size_t length)
{
    return param->spelling ? is_text(text, length, param->spelling)
                           : is_value(spec, param->value, text, length);
}

hone_status hone__launch_spec_check_config(const hone_launch_spec *spec,
                                           const char *config, hone_error *err)
{
    size_t n_params = 0;
    size_t n_given = 0;

    for (size_t i = 0; i < spec->n_names; ++i)
        n_params += spec->names[i].is_param && !spec->names[i].may_lack;
    for (const char *pair = config; *pair;) {
        const size_t length = strcspn(pair, ",");
        const size_t name_length = strcspn(pair, "=,");
        const spec_name *param = find_param(spec, pair, name_length);

        if (!param || name_length == length)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "the launch plan has no param for '%.*s'",
                              (int)(length > 200 ? 200 : length), pair);
        if (!is_same(spec, param, pair + name_length + 1,
                     length - name_length - 1))
            return hone__fail(err, HONE_ERR_DATABASE,
                              "in the launch plan %s is %" PRId64
                              ", in the configuration '%.*s'",
                              param->name, param->value,
                              (int)(length > 200 ? 200 : length), pair);
        n_given += !param->may_lack;
        pair += length + (pair[length] == ',');
    }
    return n_given == n_params
               ? HONE_OK
               : hone__fail(err, HONE_ERR_DATABASE,
                            "the launch plan has %zu params, the "
                            "configuration %zu",
                            n_params, n_given);
}
