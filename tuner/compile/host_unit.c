/* SPDX-License-Identifier: Apache-2.0 */
/* From an expanded source to a unit for the C++ compiler. The only CUDA
 * construct that no header can give a meaning to is an extern array in shared
 * memory: it becomes a pointer to the block's dynamic shared memory. */
#include "tuner/compile/host_unit.h"

#include "gen/expand/expand.h"
#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Is the word at `at` (preceded by `before`) exactly `word`? */
static int is_word(const char *text, const char *at, const char *word)
{
    const size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && !hone__code_is_name(at[length]) &&
           (at == text || !hone__code_is_name(at[-1]));
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        ++at;
    return at;
}

/* Past `__align__(n)`, `alignas(n)` and __shared__, in any order. */
static const char *skip_qualifiers(const char *text, const char *at)
{
    for (;;) {
        at = skip_space(at);
        if (is_word(text, at, "__shared__")) {
            at += strlen("__shared__");
        } else if (is_word(text, at, "__align__") ||
                   is_word(text, at, "alignas")) {
            at = strchr(at, ')');
            if (!at)
                return "";
            ++at;
        } else {
            return at;
        }
    }
}

/* How deep the braces nest that are no namespace's and no `extern "C"`'s: 0
 * outside of functions. */
typedef struct scope {
    int depth;
    uint64_t open; /* a bit for each open brace, the innermost lowest: counts */
} scope;

/* Does the brace at `at` open a namespace or an `extern "C"`? */
static int opens_namespace(const char *text, const char *at)
{
    const char *end = at;

    while (end > text && isspace((unsigned char)end[-1]))
        --end;
    if (end > text && end[-1] == '"')
        return 1;
    for (int i = 0; i < 2; ++i) { /* with a name, and without */
        const char *word = end;

        while (word > text && (hone__code_is_name(word[-1]) || word[-1] == ':'))
            --word;
        if (word < end && is_word(text, word, "namespace"))
            return 1;
        for (end = word; end > text && isspace((unsigned char)end[-1]);)
            --end;
    }
    return 0;
}

static void follow(scope *s, const char *text, const char *at)
{
    if (*at == '{') {
        const int counts = !opens_namespace(text, at);

        s->open = s->open << 1 | (uint64_t)counts;
        s->depth += counts;
    } else if (*at == '}') {
        s->depth -= (int)(s->open & 1);
        s->open >>= 1;
    }
}

/* `extern __shared__ .. TYPE NAME[];` at `at`: writes the pointer and returns
 * what follows the semicolon; NULL if it is something else. */
static const char *rewrite_extern(const char *text, const char *at,
                                  int in_function, hone_text *out)
{
    const char *end = strchr(at, ';');
    const char *bracket = strchr(at, '[');
    const char *type = skip_qualifiers(text, at + strlen("extern"));
    const char *name;
    const char *name_end;

    if (*skip_space(at + strlen("extern")) == '"')
        return NULL; /* extern "C" */
    if (!end || !bracket || bracket > end || type >= bracket ||
        !strstr(at, "__shared__") || strstr(at, "__shared__") > end)
        return NULL;
    name_end = bracket;
    while (name_end > type && isspace((unsigned char)name_end[-1]))
        --name_end;
    name = name_end;
    while (name > type && hone__code_is_name(name[-1]))
        --name;
    hone__text_printf(out,
                      in_function
                          ? "auto *%.*s = ::hone_host::dynamic_shared<%.*s>();"
                          : "HONE_HOST_DYNAMIC(%.*s, %.*s)",
                      (int)(name_end - name), name, (int)(name - type), type);
    return end + 1;
}

/* `text`, with `code` the same without comments. */
static void rewrite(const char *text, const char *code, size_t length,
                    hone_text *out)
{
    scope s = {0};
    size_t at = 0;

    while (at < length) {
        const char *rest =
            is_word(code, code + at, "extern")
                ? rewrite_extern(code, code + at, s.depth > 0, out)
                : NULL;
        size_t end = hone__code_literal_end(code, at, length);

        if (rest) {
            for (; code + at < rest; ++at) {
                if (text[at] == '\n')
                    hone__text_puts(out, "\n"); /* line numbers stay */
            }
            continue;
        }
        if (end == at) {
            follow(&s, code, code + at);
            ++end;
        }
        hone__text_append(out, text + at, end - at);
        at = end;
    }
}

static hone_status write_source(const char *source, hone_text *out,
                                hone_error *err)
{
    const size_t length = strlen(source);
    char *code = hone__strdup(source);

    if (!code)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "no memory for a source");
    hone__code_blank(code, length);
    rewrite(source, code, length, out);
    hone__free(code);
    return HONE_OK;
}

/* Can this condition hold in this configuration? A kernel or a constant whose
 * condition is false for good need not be in the source. */
static int may_happen(const hone_template *tmpl, const int64_t *config,
                      const int64_t *dims, const hone_template_expr *condition)
{
    int64_t slots[512] = {0};
    int64_t value = 1;

    if (!condition->expr || condition->reads_dims ||
        condition->reads_properties ||
        tmpl->slots.total > sizeof slots / sizeof slots[0])
        return 1;
    memcpy(slots + tmpl->slots.dims, dims, tmpl->n_dims * sizeof slots[0]);
    memcpy(slots + tmpl->slots.params, config,
           tmpl->n_params * sizeof slots[0]);
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        (void)hone__expr_eval(tmpl->lets[i].value.expr, slots,
                              &slots[tmpl->slots.lets + i], NULL);
    return hone__expr_eval(condition->expr, slots, &value, NULL) != HONE_OK ||
           value != 0;
}

/* Where constant memory is, by name. */
static void write_constants(const hone_template *tmpl, const int64_t *config,
                            const int64_t *dims, hone_text *out)
{
    size_t n = 0;

    for (size_t i = 0; i < tmpl->n_constants; ++i) {
        const hone_template_constant *constant = &tmpl->constants[i];

        if (!may_happen(tmpl, config, dims, &constant->condition))
            continue;
        hone__text_printf(out, "%sHONE_HOST_CONSTANT(%s)",
                          n++ ? "" : "HONE_HOST_CONSTANTS(", constant->name);
    }
    if (n)
        hone__text_puts(out, ")\n");
}

/* Our header in front, `extern __shared__` arrays as pointers, the table of
 * kernels behind. */
static hone_status host_unit(const hone_template *tmpl, const int64_t *config,
                             const int64_t *dims, const char *source,
                             hone_text *out, hone_error *err)
{
    const char *separator = "";

    hone__text_puts(out, "#define HONE_HOST 1\n"
                         "#include \"hone_cuda_host.h\"\n");
    hone__expand_line(tmpl, 1, out);
    HONE_TRY(write_source(source, out, err));
    hone__text_puts(out, "\n#line 1 \"hone\"\nHONE_HOST_KERNELS(");
    for (size_t i = 0; i < tmpl->n_launches; ++i) {
        const hone_template_launch *launch = &tmpl->launches[i];
        int again = 0;

        for (size_t k = 0; k < i; ++k)
            again |=
                strcmp(tmpl->launches[k].kernel, launch->kernel) == 0 &&
                may_happen(tmpl, config, dims, &tmpl->launches[k].condition);
        if (again || !may_happen(tmpl, config, dims, &launch->condition))
            continue;
        hone__text_printf(out, "%s%s", separator, launch->kernel);
        separator = ", ";
    }
    hone__text_puts(out, ")\n");
    write_constants(tmpl, config, dims, out);
    return hone__text_check(out, err);
}

hone_status hone__host_unit(const hone_template *tmpl, const int64_t *config,
                            const int64_t *dims, hone_text *out_source,
                            hone_text *out_options, hone_error *err)
{
    hone_text source = {0};
    hone_status status = hone__expand_unit(tmpl, config, dims, &source, err);

    (void)out_options;
    if (status == HONE_OK)
        status = host_unit(tmpl, config, dims, hone__text_str(&source),
                           out_source, err);
    hone__text_free(&source);
    return status;
}

void hone__arch_for(const hone_template *tmpl, const char *arch,
                    char out[static 16])
{
    (void)snprintf(out, 16, "%.14s%s", arch,
                   tmpl->needs_arch_features ? "a" : "");
}

hone_status hone__default_plan(const hone_template *tmpl,
                               const hone_space *space, int64_t *out_index,
                               hone_launch_spec **out, hone_error *err)
{
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_text plan = {0};
    hone_status status;

    if (!config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__space_default(space, config, err);
    if (status == HONE_OK) {
        *out_index = hone__space_find(space, config);
        status = hone__expand_launch_spec(tmpl, config, &plan, err);
    }
    if (status == HONE_OK)
        status = hone__launch_spec_parse(hone__text_str(&plan), out, err);
    hone__text_free(&plan);
    hone__free(config);
    return status;
}
