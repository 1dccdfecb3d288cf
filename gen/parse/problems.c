/* SPDX-License-Identifier: Apache-2.0 */
/* The statement about the problems that are tuned where none is asked for. */
#include "gen/parse/parse.h"

#include <string.h>

/* Between the brackets, in the way of a command line. */
static int read_problem(hone_parser *p, hone_slice text,
                        hone_template_problem *out)
{
    char *copy = hone__arena_strndup(&p->tmpl->arena, p->bare + text.begin,
                                     text.end - text.begin);
    hone_error err = {0};
    const hone_status status =
        copy ? hone__template_parse_dims(p->tmpl, copy, out->dims, &err)
             : HONE_ERR_NO_MEMORY;

    if (status == HONE_ERR_NO_MEMORY)
        return hone__no_memory(p);
    return status == HONE_OK || hone__complain(p, text, "%s", err.text);
}

static int complain_twice(hone_parser *p, hone_slice text, size_t i)
{
    const hone_template_problem *problems = p->tmpl->problems;
    const size_t size = p->tmpl->n_dims * sizeof problems->dims[0];

    for (size_t k = 0; k < i; ++k)
        if (memcmp(problems[k].dims, problems[i].dims, size) == 0)
            return hone__complain(p, text,
                                  "this problem is given twice, first on line "
                                  "%d",
                                  problems[k].line);
    return 1;
}

int hone__statement_shapes(hone_parser *p, hone_cursor *c)
{
    do {
        hone_template_problem *problem;
        hone_slice text;

        if (!hone__cursor_expect(c, '(', "before the sizes of a problem"))
            return 0;
        text = hone__cursor_until(c, ")", NULL);
        if (!hone__cursor_expect(c, ')', "behind the sizes of a problem"))
            return 0;
        problem = HONE_PUSH(p, p->tmpl->problems, p->tmpl->n_problems);
        if (!problem)
            return 0;
        memset(problem, 0, sizeof *problem);
        problem->line = hone__line_of(p, text.begin);
        if (!read_problem(p, text, problem) ||
            !complain_twice(p, text, p->tmpl->n_problems - 1))
            return 0;
    } while (hone__cursor_peek(c) != '\0');
    return hone__cursor_finish(c);
}
