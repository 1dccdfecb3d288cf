/* SPDX-License-Identifier: Apache-2.0 */
/* Cubins and objects loaded into a context: see context.h. */
#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

static hone_status load(hone_context *context, const hone_store_row *row,
                        hone_module *module, hone_error *err)
{
    hone_text code = {0};
    hone_status status =
        hone__store_cubin(context->ctx->store, row, &code, err);

    if (status == HONE_OK)
        status = hone__driver_load(context->driver, code.data, code.length,
                                   row->config, &module->handle, err);
    hone__text_free(&code);
    return status;
}

static hone_status add_module(hone_context *context, const hone_store_row *row,
                              hone_module **out, hone_error *err)
{
    hone_module *module = hone__alloc(sizeof *module);
    hone_status status;

    if (!module)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a module");
    status = load(context, row, module, err);
    if (status != HONE_OK) {
        hone__free(module);
        return status;
    }
    (void)snprintf(module->cubin_sha256, sizeof module->cubin_sha256, "%s",
                   row->cubin_sha256);
    (void)snprintf(module->config, sizeof module->config, "%s", row->config);
    module->context = context;
    module->next = context->modules;
    context->modules = module;
    *out = module;
    return HONE_OK;
}

hone_status hone__module_get(hone_context *context, const hone_store_row *row,
                             int with_code, hone_module **out, hone_error *err)
{
    hone_module *module = context->modules;

    *out = NULL;
    while (module && strcmp(module->cubin_sha256, row->cubin_sha256) != 0)
        module = module->next;
    if (!module)
        HONE_TRY(add_module(context, row, &module, err));
    if (with_code && !module->code.length) {
        const hone_status status =
            hone__store_cubin(context->ctx->store, row, &module->code, err);

        if (status != HONE_OK) {
            hone__text_free(&module->code);
            return status;
        }
    }
    *out = module;
    return HONE_OK;
}

void hone__modules_unload(hone_context *context, int alive)
{
    while (context->modules) {
        hone_module *next = context->modules->next;

        if (alive)
            (void)context->driver->module_unload(context->modules->handle);
        hone__text_free(&context->modules->code);
        hone__free(context->modules);
        context->modules = next;
    }
}
