/* SPDX-License-Identifier: Apache-2.0 */
/* The names a template declares: one flat space for dimensions, parameters,
 * lets, arguments, workspaces, loop variables and enumeration values; and
 * which of them its code has. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

static const char *const reserved[] = {
    "alignas",       "alignof",     "and",
    "asm",           "auto",        "bitand",
    "bitor",         "bool",        "break",
    "case",          "catch",       "char",
    "class",         "compl",       "concept",
    "const",         "consteval",   "constexpr",
    "constinit",     "continue",    "decltype",
    "default",       "delete",      "do",
    "double",        "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "nullptr",
    "operator",      "or",          "private",
    "protected",     "public",      "register",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "struct",        "switch",      "template",
    "this",          "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "while",       "xor",
    "and_eq",        "char8_t",     "char16_t",
    "char32_t",      "co_await",    "co_return",
    "co_yield",      "const_cast",  "dynamic_cast",
    "not_eq",        "or_eq",       "reinterpret_cast",
    "static_assert", "static_cast", "thread_local",
    "wchar_t",       "xor_eq",      NULL,
};

static const char *const builtin[] = {
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "half",   "min",
    "max",       "abs",      "ceildiv",  "align",   "log2",     "ispow2", "gcd",
    "device",    "sm",       "main",     "nv",      "NULL",     NULL,
};

/* Of float4 and its like. */
static const char *const vectors[] = {
    "char",  "uchar",    "short",     "ushort", "int",    "uint", "long",
    "ulong", "longlong", "ulonglong", "float",  "double", NULL,
};

static int is_text(const char *text, const char *name, size_t length)
{
    return strlen(text) == length && !memcmp(text, name, length);
}

static int is_in(const char *const *list, const char *name, size_t length)
{
    while (*list && !is_text(*list, name, length))
        ++list;
    return *list != NULL;
}

const char *hone__name_reserved(const char *name, size_t length)
{
    if (is_in(reserved, name, length))
        return "is a word of C++";
    if (is_in(builtin, name, length))
        return "already means something in CUDA or in expressions";
    if (hone__type_find(name, length))
        return "is an element type";
    if (length >= 4 && (!memcmp(name, "HONE", 4) || !memcmp(name, "hone", 4)))
        return "starts with HONE, which is kept for hone's own names";
    if (length > 1 && name[0] == '_' &&
        (name[1] == '_' || isupper((unsigned char)name[1])))
        return "is kept for the compiler";
    for (size_t i = 1; i < length; ++i) {
        if (name[i - 1] == '_' && name[i] == '_')
            return "has two underscores in a row, which C++ keeps for the "
                   "compiler";
    }
    return length > 63 ? "is longer than 63 letters" : NULL;
}

static int is_buffer(hone_name_kind kind)
{
    return kind == HONE_NAME_ARG || kind == HONE_NAME_WORKSPACE ||
           kind == HONE_NAME_CONSTANT || kind == HONE_NAME_MAP;
}

const hone_name *hone__name_find(const hone_parser *p, const char *name,
                                 size_t length, int buffers)
{
    for (size_t i = p->n_names; i-- > 0;) {
        if (is_buffer(p->names[i].kind) == buffers &&
            is_text(p->names[i].name, name, length))
            return &p->names[i];
    }
    return NULL;
}

const hone_name *hone__name_of(const hone_parser *p, hone_slice word)
{
    return hone__name_find(p, p->bare + word.begin, word.end - word.begin, 0);
}

const hone_name *hone__buffer_of(const hone_parser *p, hone_slice word)
{
    return hone__name_find(p, p->bare + word.begin, word.end - word.begin, 1);
}

const hone_name *hone__buffer_need(hone_parser *p, hone_slice word,
                                   unsigned kinds, const char *what)
{
    const hone_name *known = hone__buffer_of(p, word);
    hone_suggestion s =
        hone__suggest(p->bare + word.begin, word.end - word.begin);

    if (known && kinds >> known->kind & 1)
        return known;
    for (size_t i = 0; i < p->n_names; ++i) {
        if (kinds >> p->names[i].kind & 1)
            hone__suggest_offer(&s, p->names[i].name);
    }
    (void)hone__complain(p, word, "no %s is called '%.*s'%s", what,
                         HONE_SLICE(p, word), hone__suggest_text(&s));
    return NULL;
}

int hone__name_new(hone_cursor *c, hone_name_kind kind, size_t n,
                   hone_slice *out)
{
    static const struct {
        const char *what, *owner, *plural;
        size_t most;
    } kinds[] = {
        [HONE_NAME_DIM] = {"the name of a dimension", "an op", "dimensions",
                           HONE_MAX_DIMS},
        [HONE_NAME_PARAM] = {"the name of a parameter", "a template",
                             "parameters", HONE_MAX_PARAMS},
        [HONE_NAME_ARG] = {"the name of an argument", "an op", "arguments",
                           HONE_MAX_ARGS},
        [HONE_NAME_WORKSPACE] = {"the name of a workspace", "an op",
                                 "workspaces", HONE_MAX_WORKSPACES},
        [HONE_NAME_CONSTANT] = {"the name of a __constant__ array", "an op",
                                "constants", HONE_MAX_CONSTANTS},
        [HONE_NAME_MAP] = {"the name of a tensor map", "an op", "tensor maps",
                           HONE_MAX_MAPS},
        [HONE_NAME_REPEAT] = {"the name of the repetition's number", "an op",
                              "repetitions", HONE_MAX_LAUNCHES},
    };

    if (!hone__cursor_need_word(c, kinds[kind].what, out))
        return 0;
    if (n < kinds[kind].most)
        return 1;
    return hone__complain(c->p, *out, "%s has at most %zu %s",
                          kinds[kind].owner, kinds[kind].most,
                          kinds[kind].plural);
}

/* What the code calls a type cannot be a constant of it; an enumeration may
 * well have such a value. */
static int is_cuda_type(const char *name, size_t length)
{
    return is_text("dim3", name, length) || is_text("half2", name, length) ||
           (length && name[length - 1] >= '1' && name[length - 1] <= '4' &&
            is_in(vectors, name, length - 1));
}

int hone__name_declare(hone_parser *p, hone_slice where, hone_name_kind kind,
                       size_t index, const char **out_name)
{
    const char *text = p->bare + where.begin;
    const size_t length = where.end - where.begin;
    const char *reason = hone__name_reserved(text, length);
    const hone_name *known = hone__name_of(p, where);
    hone_name *name;

    *out_name = "";
    if (!reason && is_cuda_type(text, length))
        reason = "is a type of CUDA";
    if (reason)
        return hone__complain(p, where, "'%.*s' %s; choose another name",
                              (int)length, text, reason);
    if (!known || (known->kind == HONE_NAME_VALUE && is_buffer(kind)))
        known = hone__buffer_of(p, where);
    if (known)
        return hone__complain(p, where,
                              "'%s' is already declared on line %d%s%s",
                              known->name, HONE_LINE_OF(p->tmpl, known->line));
    name = HONE_PUSH(p, p->names, p->n_names);
    if (!name)
        return 0;
    *name = (hone_name){.name = "",
                        .kind = kind,
                        .index = index,
                        .line = hone__line_of(p, where.begin),
                        .where = where};
    *out_name = hone__slice_copy(p, where);
    if (!*out_name)
        return 0;
    name->name = *out_name;
    return 1;
}

int64_t hone__symbol_intern(hone_parser *p, const char *name, size_t length)
{
    hone_template *tmpl = p->tmpl;
    const char **symbol;

    for (size_t i = 0; i < tmpl->n_symbols; ++i) {
        if (is_text(tmpl->symbols[i], name, length))
            return 1000 + (int64_t)i;
    }
    symbol = HONE_PUSH(p, tmpl->symbols, tmpl->n_symbols);
    if (!symbol)
        return 0;
    *symbol = hone__arena_strndup(&tmpl->arena, name, length);
    if (!*symbol) {
        --tmpl->n_symbols;
        return hone__no_memory(p);
    }
    return 999 + (int64_t)tmpl->n_symbols;
}

/* ---- what the code names -------------------------------------------------
 * A name counts wherever it stands outside comments, strings and pragma lines
 * of ours; as itself, as NAME_values, or with the prefix of its macros. A name
 * that the code builds with ## is not found. */

/* End of a literal or of one of our pragma lines that starts at `at`; `at`
 * itself if none does. */
static size_t skip_non_code(const char *code, size_t at, size_t length)
{
    const char *word = code + at + 1 + strspn(code + at + 1, " \t");

    if (code[at] != '#' || strncmp(word, "pragma", 6) != 0)
        return hone__code_literal_end(code, at, length);
    word += 6 + strspn(word + 6, " \t");
    if (strncmp(word, "hone", 4) != 0 || hone__code_is_name(word[4]))
        return at;
    at = (size_t)(word - code);
    while (at < length && (code[at] != '\n' || hone__code_is_spliced(code, at)))
        ++at;
    return at;
}

/* Does the word stand for the parameter or let `name`? */
static int names_it(const char *word, size_t length, const char *name)
{
    const size_t prefix = length > 5 && !strncmp(word, "HONE_", 5) ? 5 : 0;
    const size_t n = prefix + strlen(name);

    if (length < n || strncmp(word + prefix, name, n - prefix) != 0)
        return 0;
    return length == n ||
           (prefix ? word[n] == '_'
                   : length == n + 7 && !strncmp(word + n, "_values", 7));
}

static void mark(const hone_template *tmpl, const char *word, size_t length,
                 unsigned char *mentioned)
{
    for (size_t i = 0; i < tmpl->n_params; ++i)
        mentioned[i] |=
            (unsigned char)names_it(word, length, tmpl->params[i].name);
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        mentioned[tmpl->n_params + i] |=
            (unsigned char)names_it(word, length, tmpl->lets[i].name);
}

static void mark_all(const hone_template *tmpl, const char *code,
                     unsigned char *mentioned)
{
    const size_t length = strlen(code);
    size_t at = 0;

    while (at < length) {
        const size_t skipped = skip_non_code(code, at, length);
        size_t end = at;

        while (skipped == at && hone__code_is_name(code[end]))
            ++end;
        if (end > at && !isdigit((unsigned char)code[at]))
            mark(tmpl, code + at, end - at, mentioned);
        at = skipped > at ? skipped : end > at ? end : at + 1;
    }
}

hone_status hone__mentions_find(const hone_parser *p, hone_error *err)
{
    hone_template *tmpl = p->tmpl;
    unsigned char *mentioned =
        hone__arena_alloc(&tmpl->arena, tmpl->n_params + tmpl->n_lets + 1);

    if (!mentioned)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    mark_all(tmpl, p->bare, mentioned);
    for (size_t i = 0; i < p->n_headers; ++i)
        mark_all(tmpl, p->headers[i].code, mentioned);
    tmpl->mentioned = mentioned;
    return HONE_OK;
}
