/* SPDX-License-Identifier: Apache-2.0 */
/* hone expand: the source, compiler options or launch plan of one
 * configuration. */
#include "tools/base/commands.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/output.h"

#include "gen/expand/expand.h"
#include "runtime/base/alloc.h"

/* --config, checked against the space; else the default of the space. */
static hone_status choose_config(const hone_options *options,
                                 const hone_template *tmpl, int64_t *config,
                                 hone_error *err)
{
    hone_space *space = NULL;
    hone_status status;

    HONE_TRY(hone__load_space(options, tmpl, &space, err));
    status = options->text[HONE_OPT_CONFIG]
                 ? hone__space_check(space, config, err)
                 : hone__space_default(space, config, err);
    hone__space_free(space);
    return status;
}

static hone_status expand(const hone_options *options,
                          const hone_template *tmpl, int64_t *config,
                          hone_text *out, hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];
    int given;

    HONE_TRY(hone__load_dims(options, tmpl, dims, &given, err));
    HONE_TRY(choose_config(options, tmpl, config, err));
    if (options->text[HONE_OPT_LAUNCH_PLAN])
        return hone__expand_launch_spec(tmpl, config, out, err);
    if (options->text[HONE_OPT_OPTIONS])
        return hone__expand_options(tmpl, config, dims, out, err);
    return hone__expand_source(tmpl, config, dims, out, err);
}

hone_exit hone__cmd_expand(const hone_options *options)
{
    hone_template *tmpl = NULL;
    int64_t *config = NULL;
    hone_error err = {0};
    hone_text text = {0};
    hone_exit code;
    hone_status status = hone__load_template(
        options, hone__options_arg(options, 0), &tmpl, &err);

    if (status == HONE_OK)
        status = hone__load_config(tmpl, options->text[HONE_OPT_CONFIG],
                                   &config, &err);
    if (status == HONE_OK)
        status = expand(options, tmpl, config, &text, &err);
    code = status == HONE_OK ? hone__output_text(&text)
                             : hone__message_error(&err);
    hone__free(config);
    hone__template_free(tmpl);
    return code;
}
