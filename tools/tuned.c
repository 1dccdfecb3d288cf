/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of `hone run` and `hone bench`: see tuned.h. */
#include "tools/tuned.h"

#include "tools/message.h"

#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/locate.h"
#include "tools/option_value.h"
#include "tools/references.h"
#include "runtime/base/paths.h"

#include <stdio.h>
#include <string.h>

/* Once. */
static void say_waiting(void *user, long holder)
{
    int *is_said = user;

    if (!*is_said)
        hone__message_note("another process (%ld) measures on this GPU: "
                           "waiting for it",
                           holder);
    *is_said = 1;
}

hone_status hone__tuned_read(const hone_options *options, hone_tuned *out,
                             hone_error *err)
{
    const char *dims = hone__options_dims(options);

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__option_device(options, HONE_BACKEND_CUDA, &out->farm.backend,
                                 &out->device, err));
    HONE_TRY(hone__load_template(options, hone__options_arg(options, 0),
                                 &out->tmpl, err));
    HONE_TRY(
        hone__template_parse_dims(out->tmpl, dims ? dims : "", out->dims, err));
    HONE_TRY(hone__locate_db(options, &out->db_path, err));
    HONE_TRY(hone__locate_cache(options, &out->cache, err));
    HONE_TRY(hone__cache_create(hone__text_str(&out->cache), err));
    out->seed = hone__option_seed(options);
    out->references = hone__references(&out->n_references);
    out->farm.cache_folder = hone__text_str(&out->cache);
    out->farm.stop = hone__interrupt_flag();
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
    hone_text text = {0}, dims = {0};

    if (!hint)
        return;
    hone__text_puts(&text, "run: hone tune ");
    hone__shell_word(hone__options_arg(options, 0), &text);
    for (size_t i = 0; i < tuned->tmpl->n_dims; ++i) {
        hone__text_puts(&dims, i ? "," : "");
        hone__template_dim_text(&tuned->tmpl->dims[i], tuned->dims[i], &dims);
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

void hone__tuned_free(hone_tuned *tuned)
{
    hone__text_free(&tuned->db_path);
    hone__text_free(&tuned->cache);
    hone__template_free(tuned->tmpl);
    memset(tuned, 0, sizeof *tuned);
}
