/* SPDX-License-Identifier: Apache-2.0 */
/* The macros that the code gets of names (gen/expand/values.c writes them): one
 * that two names would define has the value of the second. */
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <string.h>

/* HONE_NAME, or HONE_NAME_VALUE. */
typedef struct macro {
    const char *text; /* behind HONE_ */
    const hone_name *of;
} macro;

typedef struct macros {
    hone_parser *p;
    macro *all;
    size_t n;
} macros;

static int refuse(hone_parser *p, const hone_name *name, const macro *known)
{
    if (!known->of)
        return hone__complain(p, name->where,
                              "'%s' would define HONE_%s, which hone defines; "
                              "choose another name",
                              name->name, known->text);
    return hone__complain(p, name->where,
                          "'%s' and '%s', declared on line %d%s%s, would both "
                          "define HONE_%s; choose another name",
                          name->name, known->of->name,
                          HONE_LINE_OF(p->tmpl, known->of->line), known->text);
}

/* HONE_NAME or, with a value, HONE_NAME_VALUE. 0 after a complaint. */
static int add(macros *m, const hone_name *name, const char *value)
{
    hone_text text = {0};
    macro *slot = HONE_PUSH(m->p, m->all, m->n);

    if (!slot)
        return 0;
    hone__text_printf(&text, "%s%s%s", name->name, value ? "_" : "",
                      value ? value : "");
    *slot = (macro){hone__text_keep(m->p, &text), name};
    if (!slot->text)
        return 0;
    for (size_t i = 0; i + 1 < m->n; ++i) {
        if (m->all[i].of != name && strcmp(m->all[i].text, slot->text) == 0)
            return refuse(m->p, name, &m->all[i]);
    }
    return 1;
}

static int add_types(macros *m, const hone_name *name, const int64_t *types,
                     size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (!add(m, name, hone__type_name((hone_type)types[i])))
            return 0;
    }
    return 1;
}

/* The enumeration's own type is NAME_values. */
static int add_values(macros *m, const hone_name *name, const hone_param *param)
{
    hone_text type = {0};
    const hone_name *other;

    for (size_t i = 0; i < param->n_values; ++i) {
        if (!add(m, name, m->p->tmpl->symbols[param->values[i] - 1000]))
            return 0;
    }
    hone__text_printf(&type, "%s_values", name->name);
    if (type.failed)
        return hone__no_memory(m->p);
    other = hone__name_find(m->p, type.data, type.length, 0);
    hone__text_free(&type);
    return !other ||
           hone__complain(m->p, other->where,
                          "the code gets '%s' as the type of the enumeration "
                          "'%s'; choose another name",
                          other->name, name->name);
}

static int add_name(macros *m, const hone_name *name)
{
    const hone_template *tmpl = m->p->tmpl;
    /* A template may have no parameters, or no dimensions. */
    const hone_template_dim *dim =
        name->index < tmpl->n_dims ? &tmpl->dims[name->index] : NULL;
    const hone_param *param =
        name->index < tmpl->n_params ? &tmpl->params[name->index] : NULL;

    switch (name->kind) {
    case HONE_NAME_DIM_TYPE:
        return add(m, name, NULL) &&
               add_types(m, name, dim->types, dim->n_types);
    case HONE_NAME_DIM_CHOICE:
        return add(m, name, NULL);
    case HONE_NAME_PARAM:
        if (!add(m, name, NULL))
            return 0;
        return param->kind == HONE_PARAM_TYPE
                   ? add_types(m, name, param->values, param->n_values)
               : param->kind == HONE_PARAM_ENUM ? add_values(m, name, param)
                                                : 1;
    case HONE_NAME_LET: /* others are no constants of the code */
        return name->reads_dims || name->reads_properties || add(m, name, NULL);
    default:
        return 1;
    }
}

int hone__macros_complete(hone_parser *p)
{
    macros m = {.p = p};
    hone_text op = {0};
    macro *slot;

    slot = HONE_PUSH(p, m.all, m.n);
    if (!slot)
        return 0;
    *slot = (macro){.text = "HOST"}; /* on the cpu device */
    hone__text_printf(&op, "OP_%s", p->tmpl->op);
    slot = HONE_PUSH(p, m.all, m.n);
    if (!slot) {
        hone__text_free(&op);
        return 0;
    }
    *slot = (macro){.text = hone__text_keep(p, &op)};
    for (size_t i = 0; i < p->n_names && !p->no_memory; ++i)
        (void)add_name(&m, &p->names[i]);
    return !p->no_memory && !p->diagnostics->n;
}
