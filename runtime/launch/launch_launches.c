/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a launch plan about its launches. See launch_spec.h for
 * the text. */
#include "runtime/launch/launch_reader.h"

#include <string.h>

hone_status hone__reader_launch(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_launch *launch = &spec->launches[spec->n_launches];
    hone_piece name = hone__reader_word(r);

    if (!name.length)
        return hone__reader_fail(r, "a kernel's name is missing after",
                                 (hone_piece){"launch", 6});
    if (spec->n_launches == HONE_MAX_LAUNCHES)
        return hone__reader_fail(r, "more than 8 launches:", name);
    HONE_TRY(hone__reader_copy(r, name, &launch->kernel));
    launch->line = r->line;
    ++spec->n_launches;
    return hone__reader_at_end(r);
}

static spec_launch *current_launch(hone_reader *r)
{
    return &r->spec->launches[r->spec->n_launches - 1];
}

/* ---- repetitions ---------------------------------------------------------
 */

/* The repeat whose number this line may read, plus 1; 0: none. */
static int reads_repeat(const hone_reader *r)
{
    const int is_constant = hone__piece_is(r->keyword, "block") ||
                            hone__piece_is(r->keyword, "shared") ||
                            hone__piece_is(r->keyword, "cluster");

    return is_constant ? 0 : r->spec->launches[r->spec->n_launches - 1].repeat;
}

static hone_status expr_of_launch(hone_reader *r, hone_piece text,
                                  const hone_expr **out)
{
    hone_status status;

    r->reads_repeat = reads_repeat(r);
    status = hone__reader_expr(r, text, out);
    r->reads_repeat = 0;
    return status;
}

hone_status hone__reader_repeat(hone_reader *r)
{
    hone_launch_spec *spec = r->spec;
    spec_launch *launch = current_launch(r);
    spec_repeat *repeat = &spec->repeats[spec->n_repeats];
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (launch->repeat || launch->condition || launch->grid[0] ||
        launch->n_passed)
        return hone__reader_fail(
            r, "'repeat' stands once, directly below its launch:", name);
    if (!r->rest.length) {
        if (spec->n_launches < 2 || !launch[-1].repeat ||
            !hone__piece_is(name, spec->repeats[launch[-1].repeat - 1].name))
            return hone__reader_fail(
                r, "the launch above is not repeated under the name", name);
        launch->repeat = launch[-1].repeat;
        return HONE_OK;
    }
    HONE_TRY(hone__reader_expr(r, r->rest, &repeat->count));
    HONE_TRY(hone__reader_declare(
        r, name,
        (hone_symbol){HONE_SYMBOL_SLOT,
                      SLOT_REPEATS + (int64_t)spec->n_repeats}));
    HONE_TRY(hone__reader_copy(r, name, &repeat->name));
    launch->repeat = (int)++spec->n_repeats;
    return HONE_OK;
}

/* ---- clauses and parameters ----------------------------------------------
 */

/* What a launch has of expressions. */
hone_status hone__reader_clause(hone_reader *r)
{
    static const hone_reader_part parts[] = {
        {"if", offsetof(spec_launch, condition), 0},
        {"grid", offsetof(spec_launch, grid), 3},
        {"block", offsetof(spec_launch, block), 3},
        {"shared", offsetof(spec_launch, shared), 0},
        {"cluster", offsetof(spec_launch, cluster), 3},
    };

    const size_t n_parts = sizeof parts / sizeof parts[0];
    hone_status status;

    r->reads_repeat = reads_repeat(r);
    status = hone__reader_part(r, r->keyword, parts, n_parts, current_launch(r),
                               "stated twice for one launch:");
    r->reads_repeat = 0;
    return status;
}

hone_status hone__reader_cooperative(hone_reader *r)
{
    current_launch(r)->cooperative = 1;
    return hone__reader_at_end(r);
}

hone_status hone__reader_early(hone_reader *r)
{
    current_launch(r)->early = 1;
    return hone__reader_at_end(r);
}

static hone_status add_passed(hone_reader *r, spec_pass pass)
{
    spec_launch *launch = current_launch(r);

    if (launch->n_passed == HONE_MAX_PASSED)
        return hone__reader_fail(
            r, "more than 40 kernel parameters for",
            (hone_piece){launch->kernel, strlen(launch->kernel)});
    launch->passed[launch->n_passed++] = pass;
    return HONE_OK;
}

hone_status hone__reader_pass(hone_reader *r)
{
    spec_pass pass;
    hone_piece name;

    HONE_TRY(hone__reader_name(r, &name));
    if (!hone__reader_find_passed(r->spec, name, &pass))
        return hone__reader_fail(
            r, "no argument, workspace or tensor map is called", name);
    HONE_TRY(hone__reader_at_end(r));
    return add_passed(r, pass);
}

hone_status hone__reader_number(hone_reader *r)
{
    static const char *const words[] = {"i32", "i64", "f32", "f64"};
    static const hone_pass_kind kinds[] = {HONE_PASS_I32, HONE_PASS_I64,
                                           HONE_PASS_F32, HONE_PASS_F64};
    const hone_piece word = hone__reader_word(r);
    spec_pass pass = {.is_real = hone__piece_is(r->keyword, "real")};
    size_t i = pass.is_real ? 2 : 0;
    const size_t n = r->version > 2 ? 4 : 2;

    while (i < n && !hone__piece_is(word, words[i]))
        ++i;
    if (i == n)
        return hone__reader_fail(
            r, "a value is i32, i64, or f32 or f64 of version 3, not", word);
    pass.kind = kinds[i];
    HONE_TRY(expr_of_launch(r, r->rest, &pass.value));
    return add_passed(r, pass);
}

/* pick NAME NAME .. ; E */
hone_status hone__reader_pick(hone_reader *r)
{
    spec_choice choices[HONE_MAX_PICKED];
    spec_pass pass = {.kind = HONE_PASS_ARG};
    const size_t bytes = sizeof choices[0];
    spec_pass found;
    hone_piece name;

    while (r->rest.length && *r->rest.text != ';') {
        HONE_TRY(hone__reader_name(r, &name));
        if (!hone__reader_find_passed(r->spec, name, &found))
            return hone__reader_fail(
                r, "no argument, workspace or tensor map is called", name);
        if (pass.n_choices == HONE_MAX_PICKED)
            return hone__reader_fail(r, "more than 8 to pick from:", name);
        choices[pass.n_choices++] = (spec_choice){found.kind, found.index};
    }
    if (!pass.n_choices || !r->rest.length)
        return hone__reader_fail(
            r, "expected names, ';' and an expression behind", r->keyword);
    HONE_TRY(expr_of_launch(
        r, (hone_piece){r->rest.text + 1, r->rest.length - 1}, &pass.value));
    pass.choices = hone__arena_alloc(&r->spec->arena, pass.n_choices * bytes);
    if (!pass.choices)
        return hone__reader_no_memory(r);
    memcpy(pass.choices, choices, pass.n_choices * bytes);
    pass.kind = choices[0].kind;
    pass.index = choices[0].index;
    return add_passed(r, pass);
}
