/* SPDX-License-Identifier: Apache-2.0 */
/* Names in expressions of a template: what they mean, and which may be read
 * where. */
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <stdio.h>
#include <string.h>

static hone_symbol slot(size_t number)
{
    return (hone_symbol){HONE_SYMBOL_SLOT, (int64_t)number};
}

static hone_symbol refuse(hone_parser *p, const char *name, size_t length,
                          const char *why)
{
    (void)snprintf(p->note, sizeof p->note, "'%.*s' %s", (int)length, name,
                   why);
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* Of a parameter or a let, where the default of a dimension reads it. */
static const char not_of_callers[] =
    "is no dimension; the default of a dimension reads dimensions before it, "
    "for callers know nothing else";

/* The line on which a let or parameter of this name is declared; 0: none. */
static int declared_on(hone_parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice word;

        if (!hone__cursor_accept_word(&c, "let") &&
            !hone__cursor_accept_word(&c, "param"))
            continue;
        word = hone__cursor_word(&c);
        if (word.end - word.begin == length &&
            !memcmp(p->bare + word.begin, name, length))
            return hone__line_of(p, word.begin);
    }
    return 0;
}

/* A dimension of the op, whose defaults are being compiled, that is not
 * declared yet. */
static int is_later_dim(hone_parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice word;

        if (!hone__cursor_accept_word(&c, "op"))
            continue;
        (void)hone__cursor_word(&c);
        (void)hone__cursor_accept(&c, '(');
        do {
            word = hone__cursor_word(&c);
            if (word.end - word.begin == length &&
                !memcmp(p->bare + word.begin, name, length))
                return 1;
            (void)hone__cursor_until(&c, ",", NULL);
        } while (hone__cursor_accept(&c, ','));
    }
    return 0;
}

/* What stands below is not known yet: lets cannot go in circles. */
static int unknown_yet(hone_parser *p, const char *name, size_t length)
{
    const int line = declared_on(p, name, length);

    if (p->scope == HONE_SCOPE_DIM && is_later_dim(p, name, length)) {
        (void)snprintf(p->note, sizeof p->note,
                       "'%.*s' is a dimension that follows; the default of a "
                       "dimension reads those before it",
                       (int)length, name);
        return 1;
    }
    if (!line)
        return 0;
    if (p->scope == HONE_SCOPE_DIM) {
        (void)refuse(p, name, length, not_of_callers);
        return 1;
    }
    if (line == hone__line_of(p, (size_t)(name - p->bare)))
        (void)snprintf(p->note, sizeof p->note, "'%.*s' cannot read itself",
                       (int)length, name);
    else
        (void)snprintf(p->note, sizeof p->note,
                       "'%.*s' is declared below, on line %d%s%s; a name is "
                       "declared above "
                       "its first use, so that lets cannot go in circles",
                       (int)length, name, HONE_LINE_OF(p->tmpl, line));
    return 1;
}

static hone_symbol unknown(hone_parser *p, const char *name, size_t length)
{
    hone_suggestion s = hone__suggest(name, length);

    if (unknown_yet(p, name, length))
        return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
    for (size_t i = 0; i < p->n_names; ++i)
        hone__suggest_offer(&s, p->names[i].name);
    if (length == 2 && !memcmp(name, "sm", 2))
        s.best = "device.sm";
    (void)snprintf(p->note, sizeof p->note, "unknown name '%.*s'%s",
                   (int)length, name, hone__suggest_text(&s));
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* `name` is what follows "device." */
static hone_symbol property(hone_parser *p, const char *name, size_t length)
{
    hone_suggestion s = hone__suggest(name, length);

    for (size_t i = 0; i < HONE_N_PROPERTIES; ++i) {
        if (strlen(hone__property_names[i]) == length &&
            !memcmp(hone__property_names[i], name, length)) {
            p->reads_properties = 1;
            if (p->scope == HONE_SCOPE_ANY || p->scope == HONE_SCOPE_EXISTS ||
                p->scope == HONE_SCOPE_DEVICE ||
                (p->scope == HONE_SCOPE_ARCH && i == HONE_PROPERTY_sm))
                return slot(i);
            return refuse(p, name - 7, length + 7,
                          p->scope == HONE_SCOPE_ARCH
                              ? "cannot be asked here; 'arch' reads sm only"
                          : p->scope == HONE_SCOPE_DIM
                              ? "is a property of the device; the default of a "
                                "dimension reads dimensions before it"
                              : "is a device property, known only at run time; "
                                "this place takes parameters");
        }
        hone__suggest_offer(&s, hone__property_names[i]);
    }
    (void)snprintf(p->note, sizeof p->note, "unknown device property '%.*s'%s",
                   (int)length, name, hone__suggest_text(&s));
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

int hone__name_is_real(const hone_parser *p, const hone_name *name)
{
    return name->kind == HONE_NAME_PARAM &&
           p->tmpl->params[name->index].kind == HONE_PARAM_REAL;
}

/* Why the expression that is read may not have this name; NULL: it may. */
static const char *out_of_scope(const hone_parser *p, const hone_name *known)
{
    if (hone__name_is_real(p, known) && !p->takes_reals)
        return "is a floating-point number, and expressions are of integers; "
               "the code reads it, and kernels get it as f32(NAME) or "
               "f64(NAME)";
    if (p->scope >= HONE_SCOPE_ARCH)
        return p->scope == HONE_SCOPE_ARCH
                   ? "cannot be read here; 'arch' reads sm only"
               : p->scope == HONE_SCOPE_DEVICE
                   ? "cannot be read here; 'for device' reads "
                     "properties of the device, such as sm"
                   : "cannot be read here; the values of a parameter "
                     "are constants";
    if (p->scope == HONE_SCOPE_DIM &&
        (known->kind == HONE_NAME_PARAM || known->kind == HONE_NAME_LET))
        return not_of_callers;
    if (p->scope == HONE_SCOPE_DIM && known->index + 1 == p->tmpl->n_dims)
        return "cannot read itself";
    if (known->kind == HONE_NAME_REPEAT &&
        (p->scope != HONE_SCOPE_ANY || p->repeat != (int)known->index + 1))
        return "is the number of a repetition; the 'if', 'grid' and "
               "'args' behind its repeat(..) read it, and nothing else";
    return NULL;
}

static int is_of_dims(const hone_name *known)
{
    return known->kind == HONE_NAME_DIM || known->kind == HONE_NAME_REPEAT ||
           known->reads_dims;
}

/* Why its place may not have what is known only at run time; NULL: it may. */
static const char *known_too_late(const hone_parser *p, const hone_name *known)
{
    if (p->scope == HONE_SCOPE_EXISTS && is_of_dims(known))
        return "depends on a problem dimension that is known only at run "
               "time; whether a parameter exists may depend on parameters, "
               "dimensions that list their values, and the device";
    if (p->scope != HONE_SCOPE_VARIANT)
        return NULL;
    if (known->kind == HONE_NAME_DIM)
        return "is a problem dimension, known only at run time; this place "
               "takes parameters";
    if (is_of_dims(known))
        return "reads a problem dimension, known only at run time; this place "
               "takes parameters";
    return known->reads_properties
               ? "reads a device property, known only at run time; this place "
                 "takes parameters"
               : NULL;
}

static hone_symbol declared(hone_parser *p, const hone_name *known,
                            const char *name, size_t length)
{
    const hone_slots *slots = &p->tmpl->slots;
    const char *why;

    if (known->kind == HONE_NAME_VALUE)
        return (hone_symbol){HONE_SYMBOL_CONSTANT, known->value};
    why = out_of_scope(p, known);
    if (!why) {
        p->reads_dims |= is_of_dims(known);
        p->reads_properties |= known->reads_properties;
        why = known_too_late(p, known);
    }
    if (why)
        return refuse(p, name, length, why);
    return slot(known->index + (known->kind == HONE_NAME_PARAM  ? slots->params
                                : known->kind == HONE_NAME_LET  ? slots->lets
                                : known->kind == HONE_NAME_LOOP ? 0
                                : known->kind == HONE_NAME_REPEAT
                                    ? slots->total
                                    : slots->dims));
}

hone_symbol hone__symbol(void *user, const char *name, size_t length)
{
    hone_parser *p = user;
    const hone_name *known;

    if (length > 7 && !memcmp(name, "device.", 7))
        return property(p, name + 7, length - 7);
    if (p->scope == HONE_SCOPE_ARCH && length == 2 && !memcmp(name, "sm", 2))
        return slot(HONE_PROPERTY_sm);
    known = hone__name_find(p, name, length, 0);
    if (known)
        return declared(p, known, name, length);
    known = hone__name_find(p, name, length, 1);
    if (known)
        return refuse(p, name, length,
                      known->kind == HONE_NAME_MAP
                          ? "is a tensor map; expressions read dimensions, "
                            "parameters and lets"
                          : "is an argument or workspace; expressions read "
                            "dimensions, parameters and lets");
    if (p->scope == HONE_SCOPE_DEVICE)
        return property(p, name, length);
    if (!hone__type_find(name, length))
        return unknown(p, name, length);
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}
