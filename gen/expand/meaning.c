/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about one variant: see meaning.h. */
#include "gen/expand/meaning.h"

#include "gen/expand/live.h"
#include "gen/expand/values.h"
#include "gen/parse/code.h"
#include "runtime/base/alloc.h"

#include <string.h>

struct hone_meaning {
    const hone_template *tmpl;
    hone_live_headers headers;
};

hone_status hone__meaning_create(const hone_template *tmpl, hone_meaning **out,
                                 hone_error *err)
{
    hone_meaning *made = hone__alloc(sizeof *made);
    hone_status status;

    *out = NULL;
    if (!made)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    made->tmpl = tmpl;
    status = hone__live_headers_create(tmpl, &made->headers, err);
    if (status == HONE_OK)
        *out = made;
    else
        hone__free(made);
    return status;
}

void hone__meaning_free(hone_meaning *meaning)
{
    if (!meaning)
        return;
    hone__live_headers_free(&meaning->headers);
    hone__free(meaning);
}

/* ---- the parameters that the code names ---------------------------------
 */

/* A name, or its macro: the code may put the one together from the other. */
static int names(const char *live, const char *name, size_t length)
{
    static const char prefix[] = "HONE_";
    const size_t n = sizeof prefix - 1;

    return hone__code_names(live, name, length) ||
           (length > n && memcmp(name, prefix, n) == 0 &&
            hone__code_names(live, name + n, length - n));
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (hone__code_is_name(at[n]))
        ++n;
    return n;
}

/* The values of an enumeration that are named, each with its position: one
 * more at the end is no other enumeration for who does not name it. */
static void write_values(const char *line, const char *end, hone_text *out)
{
    int place = 0;

    for (const char *at = strchr(line, '{'); at && at < end; ++place) {
        size_t length;

        at += 1 + strspn(at + 1, " ");
        length = word_length(at);
        if (names(out->data, at, length))
            hone__text_printf(out, "%d %.*s\n", place, (int)length, at);
        at = memchr(at, ',', (size_t)(end - at));
    }
}

/* The name that a line of the block declares. */
static const char *declared(const char *line, const char *end, size_t *out)
{
    static const char define[] = "#define ";
    static const char type[] = "using ";
    const char *name = line;

    if (strncmp(line, define, sizeof define - 1) == 0) {
        name = line + sizeof define - 1;
    } else if (strncmp(line, type, sizeof type - 1) == 0) {
        name = line + sizeof type - 1;
    } else {
        const char *assigned = memchr(line, '=', (size_t)(end - line));

        if (assigned)
            for (name = assigned - 1; hone__code_is_name(name[-1]);)
                --name;
    }
    *out = word_length(name);
    return name;
}

/* From its end, since lines name what earlier ones declare. */
static hone_status write_block(const char *block, hone_text *out,
                               hone_error *err)
{
    const char *end = block + strlen(block);
    const int is_pasted = strstr(hone__text_str(out), "##") != NULL;

    while (!out->failed && end > block) {
        const char *line = end - 1;
        size_t length;
        const char *name;

        while (line > block && line[-1] != '\n')
            --line;
        name = declared(line, end, &length);
        if (!is_pasted && strncmp(line, "enum ", 5) == 0)
            write_values(line, end, out);
        else if (is_pasted || names(out->data, name, length))
            hone__text_append(out, line, (size_t)(end - line));
        end = line;
    }
    return hone__text_check(out, err);
}

/* ---- launch and check ---------------------------------------------------
 */

/* Without what says which configurations there are: that this one is among
 * them is known. Values as they are written, since a name of an enumeration
 * has another number once there are more of them. */
static void write_plan(const hone_template *tmpl, const char *plan,
                       const int64_t *config, hone_text *out)
{
    static const char *const left_out[] = {"require ", "symbol ", "param "};

    while (*plan) {
        const size_t length = strcspn(plan, "\n") + 1;
        int is_written = 1;

        for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; ++i)
            is_written &= strncmp(plan, left_out[i], strlen(left_out[i])) != 0;
        if (is_written)
            hone__text_append(out, plan, length);
        plan += plan[length - 1] ? length : length - 1;
    }
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        hone__text_printf(out, "param %s ", tmpl->params[i].name);
        hone__template_value_text(tmpl, &tmpl->params[i], config[i], out);
        hone__text_puts(out, "\n");
    }
}

hone_status hone__meaning_write(hone_meaning *meaning, const char *source,
                                const char *plan, const int64_t *config,
                                const int64_t *dims, hone_text *out,
                                hone_error *err)
{
    const hone_template *tmpl = meaning->tmpl;
    hone_text block = {0};
    hone_text before = {0};
    hone_values values;
    const char *at;
    hone_status status;

    HONE_TRY(hone__values_create(tmpl, config, dims, &values, err));
    hone__block_write(tmpl, config, dims, &values, &block);
    hone__values_free(&values);
    at = block.failed ? NULL : strstr(source, block.data);
    if (at)
        hone__text_append(&before, source, (size_t)(at - source));
    status = hone__text_check(block.failed ? &block : &before, err);
    if (status == HONE_OK)
        status = hone__live_write(&meaning->headers, hone__text_str(&before),
                                  block.data, at ? at + block.length : source,
                                  out, err);
    if (status == HONE_OK)
        status = write_block(block.data, out, err);
    hone__text_free(&block);
    hone__text_free(&before);
    if (status == HONE_OK) {
        write_plan(tmpl, plan, config, out);
        hone__text_puts(out, tmpl->contract);
        status = hone__text_check(out, err);
    }
    return status;
}
