/* SPDX-License-Identifier: Apache-2.0 */
/* Problems and configurations from the command line, and what `hone run` and
 * `hone bench` begin with. */
#include "tools/inputs/inputs.h"

#include "runtime/expr/expr.h"
#include "runtime/base/alloc.h"
#include "runtime/base/device_properties.h"
#include "runtime/store/database.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/progress.h"
#include "tools/inputs/references.h"
#include "tuner/process/device_lock.h"

#include <stdio.h>
#include <string.h>

hone_status hone__load_dims(const hone_options *options,
                            const hone_template *tmpl,
                            int64_t out_dims[HONE_MAX_DIMS], int *out_given,
                            hone_error *err)
{
    const char *text = options->text[HONE_OPT_DIMS];

    *out_given = text != NULL;
    if (text)
        return hone__template_parse_dims(tmpl, text, out_dims, err);
    hone__template_usual_dims(tmpl, 0, out_dims);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (dim->n_types && hone__dim_is_mandatory(dim))
            return hone__fail(err, HONE_ERR_DIMS,
                              "'%s' has no default for the type %s: give "
                              "--dims",
                              tmpl->op, dim->name);
    }
    return HONE_OK;
}

hone_status hone__load_config(const hone_template *tmpl, const char *text,
                              int64_t **out, hone_error *err)
{
    *out = hone__alloc((tmpl->n_params + 1) * sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return text ? hone__config_parse(tmpl, text, *out, err) : HONE_OK;
}

const char *hone__load_arch(const hone_options *options)
{
    const char *arch = options->text[HONE_OPT_ARCH];

    return arch ? arch : "sm_90";
}

hone_status hone__load_space(const hone_options *options,
                             const hone_template *tmpl, hone_space **out,
                             hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];
    hone_properties properties;
    hone_waiting waiting;
    hone_status status;
    int given;

    *out = NULL;
    HONE_TRY(hone__load_dims(options, tmpl, dims, &given, err));
    HONE_TRY(
        hone__properties_of_arch(hone__load_arch(options), &properties, err));
    hone__waiting_begin(&waiting, "building the search space of", tmpl->op);
    status = (options->text[HONE_OPT_CONFIG] ? hone__space_create_whole
                                             : hone__space_create)(
        tmpl, given ? dims : NULL, &properties, out, err);
    hone__waiting_end(&waiting);
    return status;
}

json_t *hone__dims_json(const hone_template *tmpl, const int64_t *dims)
{
    json_t *array = json_array();

    for (size_t i = 0; i < tmpl->n_dims; ++i)
        array = hone__json_append(
            array, tmpl->dims[i].n_types && !tmpl->dims[i].is_choice
                       ? json_string(hone__type_name((hone_type)dims[i]))
                       : json_integer(dims[i]));
    return array;
}

/* Those that occurred. */
json_t *hone__outcomes_json(const int64_t *counts)
{
    json_t *object = hone__json("");

    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        char member[32];

        (void)snprintf(member, sizeof member, "%s:I",
                       hone__outcome_name((hone_outcome)i));
        if (counts[i])
            object = hone__json_add(object, member, counts[i]);
    }
    return object;
}

/* ---- run and bench -------------------------------------------------------
 */

/* Once. */
static void say_waiting(void *user, long holder)
{
    int *is_said = user;
    char who[128];

    hone__device_lock_holder(holder, who, sizeof who);
    if (!*is_said)
        hone__message_note("%s measures on this device: waiting for it",
                           who[0] ? who : "another process");
    *is_said = 1;
}

hone_status hone__tuned_read(const hone_options *options,
                             hone_tuned_options *read, hone_error *err)
{
    hone_tuned *out = &read->tuned;
    const char *dims = options->text[HONE_OPT_DIMS];

    memset(read, 0, sizeof *read);
    HONE_TRY(hone__option_device(options, HONE_FOR_TIMES, &out->farm.backend,
                                 &out->device, err));
    HONE_TRY(hone__load_implementations(options, hone__options_arg(options, 0),
                                        &read->impls, err));
    out->impls = (const hone_template *const *)read->impls.items;
    out->n_impls = read->impls.n;
    HONE_TRY(hone__template_parse_dims(out->impls[0], dims ? dims : "",
                                       out->dims, err));
    HONE_TRY(hone__locate_db(options, &out->db_path, err));
    HONE_TRY(hone__locate_farm(options, &out->cache, &out->farm, err));
    out->seed = hone__option_seed(options);
    out->references = hone__references(&out->n_references);
    out->on_wait = say_waiting;
    out->user = &out->is_said;
    return hone__option_device_mode(options, out->farm.backend, &out->mode,
                                    err);
}

void hone__tuned_mend_hint(const hone_options *options, const hone_tuned *tuned,
                           hone_error *err)
{
    static const hone_option_id kept[] = {
        HONE_OPT_DEVICE,    HONE_OPT_MODE,          HONE_OPT_DB,
        HONE_OPT_CACHE_DIR, HONE_OPT_TEMPLATE_PATH, HONE_OPT_INCLUDE};
    char *hint = strstr(err->text, "run: hone tune ");
    const hone_template *tmpl;
    hone_text text = {0}, dims = {0};

    if (!hint)
        return;
    tmpl = tuned->impls[0];
    hone__text_puts(&text, "run: hone tune ");
    hone__shell_word(hone__options_arg(options, 0), &text);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        hone__text_puts(&dims, i ? "," : "");
        hone__template_dim_text(&tmpl->dims[i], tuned->dims[i], &dims);
    }
    hone__text_printf(&text, " --dims %s", hone__text_str(&dims));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
        const char *value = options->text[kept[i]];

        for (size_t k = 0; value; ++k) {
            const char *one = hone__options_listed(options, kept[i], k);

            if (k && !one)
                break;
            hone__text_printf(&text, " --%s ",
                              hone__option_table[kept[i]].name);
            hone__shell_word(one ? one : value, &text);
        }
    }
    if (!text.failed && !dims.failed)
        (void)snprintf(hint, sizeof err->text - (size_t)(hint - err->text),
                       "%s", text.data);
    hone__text_free(&text);
    hone__text_free(&dims);
}

void hone__tuned_free(hone_tuned_options *read)
{
    hone__text_free(&read->tuned.db_path);
    hone__text_free(&read->tuned.cache);
    hone__implementations_free(&read->impls);
    memset(read, 0, sizeof *read);
}
