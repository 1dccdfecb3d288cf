/* SPDX-License-Identifier: Apache-2.0 */
/* Names of recorded spaces that fit over a column: words of the file's name
 * (of a database: of what the recording is about), less those that are not
 * needed to tell the spaces apart, and the first one cut:
 * convolution_milo_A100_T4.json.gz and gemm_RTX_Titan_kerneltuner.json.gz
 * become "conv A100" and "gemm Titan". */
#include "tools/simulate/simulate.h"

#include "runtime/base/alloc.h"
#include "tuner/replay/replay_tune.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16, MOST_DISTINCT = 1024, SHORT_WORD = 6, CUT_WORD = 4 };

typedef struct word {
    const char *text;
    size_t length;
    size_t n_names; /* it occurs in */
    int is_dropped;
} word;

typedef struct space_name {
    hone_text text; /* what the words point into */
    size_t words[MOST_WORDS];
    size_t n_words;
} space_name;

typedef struct name_set {
    space_name *names;
    size_t n;
    word *words;
    size_t n_words;
    size_t cut; /* letters of a long first word that are kept; 0: all */
} name_set;

static size_t word_of(name_set *all, const char *text, size_t length)
{
    size_t i = 0;

    while (i < all->n_words && (all->words[i].length != length ||
                                memcmp(all->words[i].text, text, length) != 0))
        ++i;
    if (i == all->n_words && i < MOST_DISTINCT)
        all->words[all->n_words++] = (word){text, length, 0, 0};
    return i;
}

static void full_text(const hone_recording *recording, hone_text *out)
{
    if (strcmp(recording->format, "hone") == 0) {
        hone__text_printf(out, "%s ", recording->op);
        for (size_t i = 0; i < recording->n_dims; ++i)
            hone__text_printf(out, "%s%lld", i ? "x" : "",
                              (long long)recording->dims[i]);
        hone__text_printf(out, " %s %s", recording->device,
                          recording->mode == HONE_MODE_HOT ? "hot" : "cold");
    } else {
        hone__text_append(out, recording->file, strcspn(recording->file, "."));
    }
}

static void split(name_set *all, space_name *name)
{
    static const char between[] = " _-.,";
    const char *at = hone__text_str(&name->text);

    while (*(at += strspn(at, between)) && name->n_words < MOST_WORDS) {
        const size_t length = strcspn(at, between);
        const size_t i = word_of(all, at, length);

        if (i < all->n_words) {
            name->words[name->n_words++] = i;
            ++all->words[i].n_names;
        }
        at += length;
    }
}

/* How much of a first word is kept, in whole code points of UTF-8. */
static size_t kept_length(const name_set *all, const word *w)
{
    size_t length = w->length;

    if (all->cut && length > SHORT_WORD)
        length = all->cut;
    while (length < w->length &&
           ((unsigned char)w->text[length] & 0xc0) == 0x80)
        --length;
    return length;
}

/* The first word is the kernel's name, which a reader looks for. */
static void join(const name_set *all, const space_name *name, hone_text *out)
{
    hone__text_clear(out);
    for (size_t i = 0; i < name->n_words; ++i) {
        const word *w = &all->words[name->words[i]];

        if (i && w->is_dropped)
            continue;
        if (i)
            hone__text_puts(out, " ");
        hone__text_append(out, w->text, i ? w->length : kept_length(all, w));
    }
}

/* Is no name the beginning of another one's? */
static int tells_apart(const name_set *all)
{
    hone_text a = {0}, b = {0};
    int good = 1;

    for (size_t i = 0; good && i < all->n; ++i) {
        join(all, &all->names[i], &a);
        for (size_t k = 0; good && k < all->n; ++k) {
            if (k == i)
                continue;
            join(all, &all->names[k], &b);
            good = b.length < a.length ||
                   memcmp(hone__text_str(&a), hone__text_str(&b), a.length);
        }
    }
    hone__text_free(&a);
    hone__text_free(&b);
    return good;
}

/* Words that many names have say the least; of those, short ones. */
static int by_worth(const void *a, const void *b)
{
    const word *x = *(word *const *)a;
    const word *y = *(word *const *)b;

    if (x->n_names != y->n_names)
        return x->n_names > y->n_names ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->text, y->text, x->length);
}

static void shorten(name_set *all, word **order)
{
    for (size_t i = 0; i < all->n_words; ++i)
        order[i] = &all->words[i];
    qsort(order, all->n_words, sizeof(word *), by_worth);
    for (size_t i = 0; i < all->n_words; ++i) {
        order[i]->is_dropped = 1;
        order[i]->is_dropped = tells_apart(all);
    }
    all->cut = CUT_WORD;
    if (!tells_apart(all))
        all->cut = 0;
}

/* Names that are the same all the same are numbered. */
static hone_status store(const name_set *all, char **out, hone_error *err)
{
    hone_text text = {0}, before = {0};
    hone_status status = HONE_OK;

    for (size_t i = 0; status == HONE_OK && i < all->n; ++i) {
        size_t n_same = 0;

        join(all, &all->names[i], &text);
        for (size_t k = 0; k < i; ++k) {
            join(all, &all->names[k], &before);
            n_same +=
                strcmp(hone__text_str(&before), hone__text_str(&text)) == 0;
        }
        if (n_same)
            hone__text_printf(&text, " #%zu", n_same + 1);
        out[i] = hone__strdup(hone__text_str(&text));
        status = out[i] ? hone__text_check(&text, err)
                        : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    hone__text_free(&text);
    hone__text_free(&before);
    return status;
}

/* Comparing all pairs for each word is for tables that somebody reads. */
enum { MOST_SHORTENED = 64 };

hone_status hone__simulation_names(hone_simulation *s, hone_error *err)
{
    name_set all = {.n = s->n_spaces};
    word **order = hone__alloc(MOST_DISTINCT * sizeof *order);
    hone_status status = HONE_OK;

    all.names = hone__alloc((s->n_spaces + 1) * sizeof *all.names);
    all.words = hone__alloc(MOST_DISTINCT * sizeof *all.words);
    if (!order || !all.names || !all.words)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == HONE_OK && i < s->n_spaces; ++i) {
        full_text(s->spaces[i], &all.names[i].text);
        split(&all, &all.names[i]);
        status = hone__text_check(&all.names[i].text, err);
    }
    if (status == HONE_OK && s->n_spaces <= MOST_SHORTENED)
        shorten(&all, order);
    if (status == HONE_OK)
        status = store(&all, s->names, err);
    for (size_t i = 0; all.names && i < s->n_spaces; ++i)
        hone__text_free(&all.names[i].text);
    hone__free(all.names);
    hone__free(all.words);
    hone__free(order);
    return status;
}
