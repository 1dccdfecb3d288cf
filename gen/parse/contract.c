/* SPDX-License-Identifier: Apache-2.0 */
/* What says which results are right, as text: an edit of it leaves nothing
 * verified. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

static void add_tokens(const hone_parser *p, size_t statement, hone_text *out)
{
    const hone_slice text = p->statements[statement].text;

    if (!hone__code_tokens(p->bare + text.begin, text.end - text.begin, out))
        out->failed = 1;
    else
        out->data[out->length - 1] = '\n';
}

/* The lets that are named in `all` and not yet in it, the last one first, since
 * each reads earlier ones. Returns how many there were. */
static size_t add_lets(hone_parser *p, char *is_in, hone_text *all)
{
    size_t n = 0;

    for (size_t i = p->n_statements; i-- > 0;) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice name;

        if (is_in[i] || !hone__cursor_accept_word(&c, "let"))
            continue;
        name = hone__cursor_word(&c);
        if (!hone__code_names(hone__text_str(all), p->bare + name.begin,
                              name.end - name.begin))
            continue;
        add_tokens(p, i, all);
        is_in[i] = 1;
        ++n;
    }
    return n;
}

hone_status hone__contract_write(hone_parser *p, hone_error *err)
{
    char *is_in = hone__alloc(p->n_statements + 1);
    hone_text all = {0};

    if (!is_in)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);

        if (hone__cursor_accept_word(&c, "arg") ||
            hone__cursor_accept_word(&c, "check") ||
            hone__cursor_accept_word(&c, "inputs"))
            add_tokens(p, i, &all);
    }
    /* The statements of a part lie behind those of the template that read
     * them: one pass does not see them all. */
    while (add_lets(p, is_in, &all))
        ;
    hone__free(is_in);
    p->tmpl->contract = hone__text_keep(p, &all);
    return p->tmpl->contract
               ? HONE_OK
               : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}
