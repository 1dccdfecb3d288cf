/* SPDX-License-Identifier: Apache-2.0 */
/* Templates that the command line names: files, and the implementations of an
 * operation. */
#include "tools/inputs/inputs.h"

#include "runtime/base/alloc.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"

#include <limits.h>
#include <stdlib.h>
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

void hone__print_mistakes(hone_diagnostics *diagnostics, const char *path,
                          const hone_text *source)
{
    hone_text text = {0};

    if (diagnostics->n)
        hone__diagnostics_format(diagnostics, path, hone__text_str(source),
                                 &text);
    hone__message_raw(hone__text_str(&text));
    hone__text_free(&text);
    hone__diagnostics_free(diagnostics);
}

/* Those of the template that `name` stands for. */
static void print_mistakes(hone_diagnostics *diagnostics, const char *name,
                           const char *search_path)
{
    hone_text path = {0}, source = {0};

    if (diagnostics->n &&
        hone__template_find(name, search_path, &path, NULL) == HONE_OK)
        (void)hone__text_read_file(&source, hone__text_str(&path), NULL);
    hone__print_mistakes(diagnostics, hone__text_str(&path), &source);
    hone__text_free(&path);
    hone__text_free(&source);
}

/* Once for each: `hone verify` loads a template for each way to build it. */
static hone_status say_shadowed(const char *name, const char *path,
                                const char *search_path, hone_error *err)
{
    static hone_text said;
    hone_text other = {0};
    hone_status status = HONE_OK;
    int is_shadowed = 0;

    if (!strstr(hone__text_str(&said), path))
        status = hone__template_shadowed(name, path, search_path, &is_shadowed,
                                         &other, err);
    if (status == HONE_OK && is_shadowed) {
        hone__text_printf(&said, "%s\n", path);
        hone__message_note("'%s' is %s; %s, which comes later on the template "
                           "path, is not used",
                           name, path, hone__text_str(&other));
    }
    hone__text_free(&other);
    return status;
}

/* Where templates and headers are looked for. */
static hone_status locate(const hone_options *options, const char *name,
                          hone_text *out, hone_error *err)
{
    hone_status status = hone__locate_includes(options, out, err);

    if (status == HONE_OK)
        status = hone__locate_templates(options, out, err);
    /* Templates that a file names may stand beside it. */
    if (status == HONE_ERR_IO && is_file(name)) {
        hone__error_clear(err);
        status = HONE_OK;
    }
    return status;
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
    status = locate(options, name, &search_path, err);
    if (status == HONE_OK) {
        status = hone__template_load(name, hone__text_str(&search_path), out,
                                     &diagnostics, err);
        print_mistakes(&diagnostics, name, hone__text_str(&search_path));
    }
    if (status == HONE_OK) {
        hone__message_detail("template %s", (*out)->path);
        status =
            say_shadowed(name, (*out)->path, hone__text_str(&search_path), err);
    }
    if (status != HONE_OK) {
        hone__template_free(*out);
        *out = NULL;
    }
    hone__text_free(&search_path);
    return status;
}

/* What is known to be faster goes first: code for one architecture alone. */
static int by_promise(const void *a, const void *b)
{
    const hone_template *x = *(hone_template *const *)a;
    const hone_template *y = *(hone_template *const *)b;

    if (!x->call != !y->call)
        return x->call ? -1 : 1;
    if (x->is_reference != y->is_reference)
        return x->is_reference - y->is_reference;
    if (x->needs_arch_features != y->needs_arch_features)
        return y->needs_arch_features - x->needs_arch_features;
    return strcmp(x->implementation, y->implementation);
}

static void contract_text(const hone_template *tmpl, hone_text *out)
{
    hone__template_signature(tmpl, out);
    hone__text_puts(out, " with ");
    hone__template_arguments(tmpl, out);
}

/* All implementations of an operation are called in the same way. */
static hone_status compare_contracts(const hone_implementations *list,
                                     hone_error *err)
{
    hone_text first = {0}, other = {0};
    hone_status status = HONE_OK;

    contract_text(list->items[0], &first);
    for (size_t i = 1; status == HONE_OK && i < list->n; ++i) {
        hone__text_clear(&other);
        contract_text(list->items[i], &other);
        if (strcmp(hone__text_str(&first), hone__text_str(&other)) != 0)
            status = hone__fail(
                err, HONE_ERR_INPUT,
                "%s is %.300s, and %s is %.300s: one contract has to declare "
                "both; or name one of them",
                list->items[0]->path, hone__text_str(&first),
                list->items[i]->path, hone__text_str(&other));
    }
    hone__text_free(&first);
    hone__text_free(&other);
    return status;
}

static hone_status too_many(const char *op, hone_error *err)
{
    return hone__fail(err, HONE_ERR_INPUT,
                      "'%s' has more than %d implementations on the template "
                      "path",
                      op, HONE_MAX_IMPLS);
}

/* Is an operation of that name, which has no contract, in an earlier folder
 * than all that have one? It is meant then. */
static int has_own_first(const hone_template_list *listed)
{
    int own = INT_MAX, contract = INT_MAX;

    for (size_t i = 0; i < listed->n; ++i) {
        const hone_listed_template *item = &listed->items[i];
        int *first = item->has_contract ? &contract : &own;

        if (item->folder < *first)
            *first = item->folder;
    }
    return own < contract;
}

/* Those of `op` on the template path that have a contract, but for `named`;
 * none where another template is meant by `op` alone. */
static hone_status load_listed(const hone_options *options, const char *op,
                               int is_alone, const hone_template *named,
                               hone_implementations *out, hone_error *err)
{
    hone_template_list listed = {0};
    hone_text search_path = {0};
    hone_status status = locate(options, op, &search_path, err);

    if (status == HONE_OK)
        status = hone__templates_list(op, hone__text_str(&search_path), &listed,
                                      err);
    if (is_alone && has_own_first(&listed))
        listed.n = 0;
    for (size_t i = 0; status == HONE_OK && i < listed.n; ++i) {
        const hone_listed_template *item = &listed.items[i];

        if (!item->has_contract ||
            (named && strcmp(named->implementation, item->name) == 0))
            continue;
        status = out->n == HONE_MAX_IMPLS
                     ? too_many(op, err)
                     : hone__load_template(options, item->path,
                                           &out->items[out->n], err);
        out->n += status == HONE_OK;
    }
    hone__templates_list_free(&listed);
    hone__text_free(&search_path);
    return status;
}

/* Functions of vendors' libraries, which the contract names. */
static hone_status add_vendors(hone_implementations *out, hone_error *err)
{
    const hone_template *of = out->items[0];

    for (size_t i = 0; i < of->n_vendors; ++i) {
        if (out->n == HONE_MAX_IMPLS)
            return too_many(of->op, err);
        HONE_TRY(hone__template_of_vendor(of, of->vendors[i],
                                          &out->items[out->n], err));
        ++out->n;
    }
    return HONE_OK;
}

/* NAME of OP/NAME; NULL: it is another name. */
static const char *name_in_op(const char *name)
{
    const char *slash = strchr(name, '/');

    return slash && slash != name && !strchr(slash + 1, '/') &&
                   !ends_in(name, ".cu") && access(name, R_OK) != 0
               ? slash + 1
               : NULL;
}

/* All of the operation that `name` is, or is of; none is no error. */
static hone_status load_op(const hone_options *options, const char *name,
                           const char *in_op, hone_implementations *out,
                           hone_error *err)
{
    char *op = in_op ? hone__strndup(name, (size_t)(in_op - name - 1))
                     : hone__strdup(name);
    hone_status status = op ? load_listed(options, op, !in_op, NULL, out, err)
                            : hone__out_of_memory(err, "");

    hone__free(op);
    HONE_TRY(status);
    if (out->n)
        HONE_TRY(add_vendors(out, err));
    for (size_t i = 0; in_op && i < out->n; ++i) {
        if (strcmp(out->items[i]->implementation, in_op) == 0)
            out->named = out->items[i];
    }
    return HONE_OK;
}

/* Of all of them only the one that was named. */
static void keep_named(hone_implementations *list)
{
    for (size_t i = 0; i < list->n; ++i) {
        if (list->items[i] != list->named)
            hone__template_free(list->items[i]);
    }
    list->items[0] = list->named;
    list->n = 1;
    list->named = NULL;
}

static hone_status load_implementations(const hone_options *options,
                                        const char *name, int with_siblings,
                                        hone_implementations *out,
                                        hone_error *err)
{
    const char *in_op = name_in_op(name);

    *out = (hone_implementations){
        .items = hone__alloc(HONE_MAX_IMPLS * sizeof(hone_template *))};
    if (!out->items)
        return hone__out_of_memory(err, "");
    if (in_op || (!is_file(name) && !ends_in(name, ".json")))
        HONE_TRY(load_op(options, name, in_op, out, err));
    if (out->n && in_op && !out->named) /* which says what there is */
        return hone__load_template(options, name, &out->items[out->n], err);
    if (out->named && !with_siblings)
        keep_named(out);
    if (!out->n) {
        HONE_TRY(hone__load_template(options, name, &out->items[0], err));
        out->n = 1;
        if (with_siblings && out->items[0]->contract_path) {
            out->named = out->items[0];
            HONE_TRY(
                load_listed(options, out->named->op, 0, out->named, out, err));
            HONE_TRY(add_vendors(out, err));
        }
    }
    qsort(out->items, out->n, sizeof(hone_template *), by_promise);
    return compare_contracts(out, err);
}

hone_status hone__load_implementations(const hone_options *options,
                                       const char *name,
                                       hone_implementations *out,
                                       hone_error *err)
{
    return load_implementations(options, name, 0, out, err);
}

hone_status hone__load_siblings(const hone_options *options, const char *name,
                                hone_implementations *out, hone_error *err)
{
    return load_implementations(options, name, 1, out, err);
}

void hone__implementations_free(hone_implementations *list)
{
    for (size_t i = 0; i < list->n; ++i)
        hone__template_free(list->items[i]);
    hone__free(list->items);
    *list = (hone_implementations){0};
}
