/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of `hone run` and `hone bench`: see tuned.h. */
#include "tools/tuned.h"

#include "tools/message.h"

#include "tools/inputs.h"
#include "tools/locate.h"
#include "tools/option_value.h"
#include "tools/references.h"

#include <string.h>

hone_status hone__tuned_read(const hone_options *options, hone_tuned *out,
                             hone_error *err)
{
    const char *dims = hone__options_dims(options);

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__option_device(options, HONE_BACKEND_CUDA, &out->backend,
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
    return hone__option_device_mode(options, out->backend, &out->mode, err);
}

void hone__tuned_free(hone_tuned *tuned)
{
    hone__text_free(&tuned->db_path);
    hone__text_free(&tuned->cache);
    hone__template_free(tuned->tmpl);
    memset(tuned, 0, sizeof *tuned);
}

void hone__tuned_say_waiting(void *user, long holder)
{
    int *is_said = user;

    if (!*is_said)
        hone__message_note("another process (%ld) measures on this GPU: "
                           "waiting for it",
                           holder);
    *is_said = 1;
}
