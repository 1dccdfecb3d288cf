/* SPDX-License-Identifier: Apache-2.0 */
/* Templates, problems and configurations from the command line. */
#include "tools/inputs.h"

#include "runtime/expr/expr.h"
#include "runtime/base/device_properties.h"
#include "tools/locate.h"
#include "tools/message.h"
#include "tools/waiting.h"

#include <string.h>
#include <unistd.h>

static int ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

/* A file, not a name to be searched for. */
static int is_file(const char *name)
{
    return strchr(name, '/') || ends_in(name, ".cu");
}

static void print_mistakes(const hone_diagnostics *diagnostics,
                           const char *name, const char *search_path)
{
    hone_text path = {0}, source = {0}, text = {0};

    if (hone__template_find(name, search_path, &path, NULL) == HONE_OK &&
        hone__text_read_file(&source, hone__text_str(&path), NULL) == HONE_OK)
        hone__diagnostics_format(diagnostics, hone__text_str(&path),
                                 hone__text_str(&source), &text);
    hone__message_raw(hone__text_str(&text));
    hone__text_free(&path);
    hone__text_free(&source);
    hone__text_free(&text);
}

/* Once for each: `hone verify` loads a template for each way to build it. */
static void say_shadowed(const char *name, const char *path,
                         const char *search_path)
{
    static hone_text said;
    hone_text other = {0};

    if (!strstr(hone__text_str(&said), path) &&
        hone__template_shadowed(name, path, search_path, &other)) {
        hone__text_printf(&said, "%s\n", path);
        hone__message_note("'%s' is %s; %s, which comes later on the template "
                           "path, is not used",
                           name, path, hone__text_str(&other));
    }
    hone__text_free(&other);
}

hone_status hone__load_template(const hone_options *options, const char *name,
                                hone_template **out, hone_error *err)
{
    hone_diagnostics diagnostics = {0};
    hone_text search_path = {0};
    hone_status status;

    *out = NULL;
    if (ends_in(name, ".json"))
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "'%s': a definition in JSON (T1) has no code; only "
                          "'hone space %s' reads it",
                          name, name);
    status = hone__locate_includes(options, &search_path, err);
    if (status == HONE_OK)
        status = hone__locate_templates(options, &search_path, err);
    /* Templates that a file names may stand beside it. */
    if (status == HONE_ERR_IO && is_file(name)) {
        hone__error_clear(err);
        status = HONE_OK;
    }
    if (status == HONE_OK) {
        status = hone__template_load(name, hone__text_str(&search_path), out,
                                     &diagnostics, err);
        if (status != HONE_OK && diagnostics.n)
            print_mistakes(&diagnostics, name, hone__text_str(&search_path));
        hone__diagnostics_free(&diagnostics);
    }
    if (status == HONE_OK) {
        hone__message_detail("template %s", (*out)->path);
        say_shadowed(name, (*out)->path, hone__text_str(&search_path));
    }
    hone__text_free(&search_path);
    return status;
}

hone_status hone__load_dims(const hone_options *options,
                            const hone_template *tmpl,
                            int64_t out_dims[HONE_MAX_DIMS], int *out_given,
                            hone_error *err)
{
    const char *text = hone__options_dims(options);

    *out_given = text != NULL;
    if (text)
        return hone__template_parse_dims(tmpl, text, out_dims, err);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        out_dims[i] = dim->n_types ? dim->default_value : 1;
        if (out_dims[i] == 0 && !dim->is_choice)
            return hone__fail(err, HONE_ERR_DIMS,
                              "'%s' has no default for the type %s: give "
                              "--dims",
                              tmpl->op, dim->name);
    }
    return HONE_OK;
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
    status =
        hone__space_create(tmpl, given ? dims : NULL, &properties, out, err);
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
