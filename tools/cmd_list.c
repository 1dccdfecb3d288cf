/* SPDX-License-Identifier: Apache-2.0 */
/* hone list: the operations on the template path, their implementations, and
 * which of these apply to a problem and a device. */
#include "tools/base/commands.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"

#include "runtime/base/device_properties.h"
#include "tuner/compile/compiler_kind.h"
#include "tuner/trial/devices.h"

#include <string.h>

/* What the list is made for. */
typedef struct listing {
    const hone_options *options;
    hone_backend backend;
    hone_properties properties;
    hone_text device; /* as a person reads it */
    hone_exit code;   /* of a template with mistakes */
} listing;

/* What stands in for a GPU, and why: what the sentence says in front of its
 * details and of what to do. */
static void put_stand_in(hone_text *device, const hone_error *why)
{
    hone__text_printf(device, "sm_90 (%.*s)", (int)strcspn(why->text, ":;"),
                      why->text);
    hone__message_detail("listed for sm_90: %s", why->text);
}

/* --device, else --arch, else the first GPU, else sm_90. */
static hone_status find_device(listing *l, hone_error *err)
{
    const char *arch = l->options->text[HONE_OPT_ARCH];
    const int is_asked = l->options->text[HONE_OPT_DEVICE] != NULL;
    hone_device_report report;
    hone_error why = {0};
    hone_status status;
    int ordinal;

    HONE_TRY(hone__option_device(l->options, HONE_FOR_TIMES, &l->backend,
                                 &ordinal, err));
    if (arch && is_asked)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--arch and --device are two ways to name a device: "
                          "give one");
    if (!arch) {
        status = hone__device_describe(l->backend, ordinal, HONE_ANSWER_S, NULL,
                                       &report, is_asked ? err : &why);
        if (status == HONE_OK) {
            l->properties = report.properties;
            hone__text_puts(&l->device, report.name);
            return HONE_OK;
        }
        if (is_asked)
            return status;
    }
    if (arch)
        hone__text_puts(&l->device, arch);
    else
        put_stand_in(&l->device, &why);
    return hone__properties_of_arch(arch ? arch : "sm_90", &l->properties, err);
}

/* Why the template has no variant there; `out` stays empty if it has one.
 * Without --dims it is asked of every size, and of each type's default or else
 * its first. */
static hone_status why_not(const listing *l, const hone_template *tmpl,
                           hone_text *out, hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];
    hone_space *space = NULL;
    hone_error reason = {0};
    hone_status status;
    int is_given = l->options->text[HONE_OPT_DIMS] != NULL;

    if (is_given)
        HONE_TRY(hone__load_dims(l->options, tmpl, dims, &is_given, err));
    if (hone__backend_takes(l->backend, tmpl, NULL) != HONE_OK) {
        hone__text_puts(out, tmpl->cuda_only);
        return HONE_OK;
    }
    status = hone__space_create(tmpl, is_given ? dims : NULL, &l->properties,
                                &space, &reason);
    if (status == HONE_OK && space->count == 0)
        status = hone__space_fail_empty(space, &reason);
    if (status != HONE_OK)
        hone__text_puts(out, reason.text);
    hone__space_free(space);
    return status == HONE_ERR_NO_MEMORY
               ? hone__fail(err, status, "out of memory")
               : HONE_OK;
}

/* One operation: its implementations, and what they have in common. */
typedef struct operation {
    const char *op;
    hone_text signature;
    hone_text arguments;
    const char *first; /* the file that says so */
    json_t *shapes;    /* as --dims takes them */
    int has_vendors;   /* they are listed already */
    json_t *implementations;
} operation;

static json_t *shapes_json(const hone_template *tmpl)
{
    json_t *shapes = json_array();

    for (size_t i = 0; i < tmpl->n_problems; ++i) {
        hone_text text = {0};

        for (size_t k = 0; k < tmpl->n_dims; ++k) {
            hone__text_puts(&text, k ? "," : "");
            hone__template_dim_text(&tmpl->dims[k], tmpl->problems[i].dims[k],
                                    &text);
        }
        shapes = hone__json_append(shapes, hone__json_text(&text));
    }
    return shapes;
}

/* All implementations of an operation are called in the same way. */
static void compare_signature(operation *o, const hone_template *tmpl,
                              const char *path, hone_text *out_reason)
{
    hone_text signature = {0}, arguments = {0};

    hone__template_signature(tmpl, &signature);
    hone__template_arguments(tmpl, &arguments);
    if (!o->first) {
        o->first = path;
        o->signature = signature;
        o->arguments = arguments;
        o->shapes = shapes_json(tmpl);
        return;
    }
    if (strcmp(hone__text_str(&signature), hone__text_str(&o->signature)) ||
        strcmp(hone__text_str(&arguments), hone__text_str(&o->arguments)))
        hone__text_printf(
            out_reason,
            "it is %s with %s, and %s is %s with %s: one contract "
            "has to declare both",
            hone__text_str(&signature), hone__text_str(&arguments), o->first,
            hone__text_str(&o->signature), hone__text_str(&o->arguments));
    hone__text_free(&signature);
    hone__text_free(&arguments);
}

static hone_status add(operation *o, const char *name, const char *kind,
                       const char *said, const char *path, hone_text *reason,
                       hone_error *err)
{
    const hone_status status = hone__text_check(reason, err);

    if (status == HONE_OK)
        o->implementations = hone__json_append(
            o->implementations,
            hone__json("op:s name:s kind:s applies:b reason:s description:s "
                       "path:s",
                       o->op, name, kind, !reason->length,
                       reason->length ? reason->data : NULL, said, path));
    hone__text_free(reason);
    return status;
}

/* A template that could be read; `path` is that of its file. */
static hone_status put(const listing *l, const hone_template *tmpl,
                       const char *path, operation *o, hone_error *err)
{
    hone_text reason = {0};
    hone_status status = HONE_OK;

    compare_signature(o, tmpl, path, &reason);
    if (!reason.length)
        status = why_not(l, tmpl, &reason, err);
    if (status != HONE_OK) {
        hone__text_free(&reason);
        return status;
    }
    return add(o, tmpl->implementation, hone__template_kind(tmpl),
               tmpl->implementation_description[0]
                   ? tmpl->implementation_description
                   : tmpl->description,
               path, &reason, err);
}

/* Functions of vendors' libraries, which the contract names. */
static hone_status put_vendors(const listing *l, const hone_template *of,
                               operation *o, hone_error *err)
{
    hone_status status = HONE_OK;

    for (size_t i = 0; status == HONE_OK && i < of->n_vendors; ++i) {
        hone_template *tmpl = NULL;

        status = hone__template_of_vendor(of, of->vendors[i], &tmpl, err);
        if (status == HONE_OK)
            status = put(l, tmpl, of->contract_path, o, err);
        hone__template_free(tmpl);
    }
    return status;
}

static hone_status put_file(listing *l, const hone_listed_template *item,
                            int with_vendors, operation *o, hone_error *err)
{
    hone_template *tmpl = NULL;
    hone_error mistake = {0};
    hone_text reason = {0};
    hone_status status =
        hone__load_template(l->options, item->path, &tmpl, &mistake);

    if (status == HONE_ERR_INPUT) {
        l->code = hone__message_error(&mistake);
        hone__text_puts(&reason, mistake.text);
        return add(o, item->name, "template", "", item->path, &reason, err);
    }
    if (status != HONE_OK)
        *err = mistake;
    else if (with_vendors && !o->has_vendors)
        status = put_vendors(l, tmpl, o, err);
    o->has_vendors |= status == HONE_OK;
    if (status == HONE_OK)
        status = put(l, tmpl, item->path, o, err);
    hone__template_free(tmpl);
    return status;
}

/* In JSON one row is an operation, else an implementation. */
static void print(const listing *l, operation *o, hone_output *output)
{
    if (hone__options_is(l->options, HONE_OPT_FORMAT, "json")) {
        hone__output_row(output,
                         hone__json("op:s signature:s arguments:s shapes:o "
                                    "implementations:o",
                                    o->op, hone__text_str(&o->signature),
                                    hone__text_str(&o->arguments),
                                    o->shapes ? o->shapes : json_array(),
                                    o->implementations));
    } else {
        for (size_t i = 0; i < json_array_size(o->implementations); ++i)
            hone__output_row(
                output, json_incref(json_array_get(o->implementations, i)));
        json_decref(o->implementations);
        json_decref(o->shapes);
    }
    hone__text_free(&o->signature);
    hone__text_free(&o->arguments);
}

static hone_exit print_all(listing *l, const hone_template_list *list)
{
    hone_output *output = hone__output_begin(
        l->options, "operations",
        "op, name, kind, applies, description=what it is, reason=why not",
        hone__json("device:s", hone__text_str(&l->device)));
    /* OP/NAME is one file. */
    const int with_vendors =
        !l->options->n_args || !strchr(hone__options_arg(l->options, 0), '/');
    hone_status status = HONE_OK;
    hone_error err = {0};
    hone_exit code;

    for (size_t i = 0; i < list->n && status == HONE_OK;) {
        operation o = {.op = list->items[i].op,
                       .implementations = json_array()};

        for (; i < list->n && !strcmp(list->items[i].op, o.op); ++i) {
            if (status == HONE_OK)
                status = put_file(l, &list->items[i], with_vendors, &o, &err);
        }
        print(l, &o, output);
    }
    code = hone__output_end(output, hone__json(""));
    if (status != HONE_OK)
        return hone__message_error(&err);
    return code ? code : l->code;
}

static hone_status find(const listing *l, hone_template_list *out,
                        hone_error *err)
{
    const char *asked =
        l->options->n_args ? hone__options_arg(l->options, 0) : NULL;
    hone_text path = {0};
    hone_status status = hone__locate_templates(l->options, &path, err);

    if (status == HONE_OK)
        status = hone__templates_list(asked, hone__text_str(&path), out, err);
    if (status == HONE_OK && asked && !out->n)
        status = hone__fail(err, HONE_ERR_NOT_FOUND,
                            "there is no operation '%s' in %s%s%s; 'hone list' "
                            "says what there is",
                            asked, hone__text_str(&path),
                            out->refused.length ? ", of which this user may "
                                                  "not read "
                                                : "",
                            hone__text_str(&out->refused));
    else if (status == HONE_OK && !out->n && out->refused.length)
        status =
            hone__fail(err, HONE_ERR_NOT_FOUND,
                       "there is no template in %s, of which this user "
                       "may not read %s",
                       hone__text_str(&path), hone__text_str(&out->refused));
    hone__text_free(&path);
    return status;
}

hone_exit hone__cmd_list(const hone_options *options)
{
    listing l = {.options = options};
    hone_template_list list = {0};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;

    if (options->text[HONE_OPT_DIMS] && !options->n_args)
        (void)hone__fail(&err, HONE_ERR_ARGUMENT,
                         "--dims belong to one operation: name it, as in "
                         "hone list %s",
                         "gemm --dims 4096,4096,4096");
    if (err.status || find_device(&l, &err) || find(&l, &list, &err))
        code = hone__message_error(&err);
    else
        code = print_all(&l, &list);
    hone__templates_list_free(&list);
    hone__text_free(&l.device);
    return code;
}
