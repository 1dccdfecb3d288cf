/* SPDX-License-Identifier: Apache-2.0 */
/* One hash over what a launch relies on: see launch_hash.h. */
#include "runtime/store/launch_hash.h"

#include "runtime/launch/launch_body.h"

#include <string.h>

int hone__launch_is_vendors(const char *launch_plan)
{
    return launch_plan && strstr(launch_plan, "\nvendor ") != NULL;
}

hone_status hone__launch_hash(const hone_launch_parts *parts,
                              char out_sha256[HONE_SHA256_HEX], hone_error *err)
{
    const char *const lines[] = {parts->config, parts->types,
                                 parts->compile_arch, parts->cubin_sha256};
    hone_text text = {0};
    hone_status status;

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        hone__text_puts(&text, lines[i] ? lines[i] : "");
        hone__text_puts(&text, "\n");
    }
    hone__text_puts(&text, parts->launch_plan ? parts->launch_plan : "");
    status = hone__text_check(&text, err);
    if (status == HONE_OK)
        hone__sha256_hex(text.data, text.length, out_sha256);
    hone__text_free(&text);
    return status;
}

hone_status hone__launch_verify(const hone_launch_parts *parts,
                                const char *launch_sha256, const char *op,
                                hone_launch_spec **spec, hone_error *err)
{
    if (launch_sha256) {
        char hash[HONE_SHA256_HEX];

        HONE_TRY(hone__launch_hash(parts, hash, err));
        if (strcmp(hash, launch_sha256) != 0)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "with configuration, types, architecture and "
                              "cubin it does not match its SHA-256");
    }
    if (!*spec)
        HONE_TRY(hone__launch_spec_parse(parts->launch_plan, spec, err));
    if (strcmp((*spec)->op, op) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "it is for another operation");
    if (((*spec)->vendor.line != 0) == (parts->cubin_sha256[0] != '\0'))
        return hone__fail(err, HONE_ERR_DATABASE,
                          (*spec)->vendor.line
                              ? "it is for a vendor's library and has a cubin"
                              : "it has no cubin");
    return hone__launch_spec_check_config(*spec, parts->config, err);
}
