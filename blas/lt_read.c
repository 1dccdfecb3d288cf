/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions are opaque: their values are asked for one by one, 30 to 45 ns
 * each (cuBLASLt 13.1, 40 of them). Programs make new ones for each call, with
 * the same bytes; so what was asked is kept with the bytes, for each thread.
 * Only of versions whose header was looked at (table `sizes`): what a larger
 * description says behind the bytes that are compared would be missed. Of
 * versions newer than these nothing is known but that they may have more to
 * say: their products are counted and left alone. */
#include "blas/lt_read.h"

#include "runtime/base/alloc.h"
#include "runtime/base/hash.h"

#include <pthread.h>
#include <string.h>

enum {
    DESC_BYTES = 256, /* cublasLtMatmulDescOpaque_t, version 13 */
    LAYOUT_BYTES_MOST = 112,
    NEWEST_VERSION = 130499,
    PLACES = 128
};

/* Attributes of a layout and of an operation. */
enum { TYPE, ORDER, ROWS, COLUMNS, LEADING, COUNT, DISTANCE, BATCH_MODE = 8 };
enum {
    COMPUTE,
    SCALE,
    POINTER_MODE,
    OP_A,
    OP_B,
    OP_C,
    FILL,
    EPILOGUE,
    BIAS,
    BIAS_DISTANCE = 10, /* from a product of a batch to the next */
    A_SCALE = 17,       /* then B, C, D, and where the largest of D goes */
    D_LARGEST = 21,
    BIAS_TYPE = 26, /* -1: that of the result */
    WAITS_IN = 29,  /* counters of other kernels; then those that it advances */
    WAITS_OUT = 30,
    OUT_SCALE = 36,
    EMULATION = 38,
    ALPHA_STEP = 39, /* from a product of a batch to the next; then beta's */
    BETA_STEP = 40
};
enum { ORDER_COLUMNS = 0, FILL_FULL = 2, BIAS_TYPE_OF_RESULT = -1 };

typedef struct layout {
    uint32_t type;
    int32_t order, count, batch_mode;
    uint64_t rows, columns;
    int64_t leading, distance;
} layout;

/* The bytes of a product's descriptions. */
typedef struct described {
    unsigned char desc[DESC_BYTES];
    unsigned char layouts[4][LAYOUT_BYTES_MOST];
} described;

typedef struct place {
    const hone_real_lt *real;
    described of;
    hone_blas_shape shape;
    const void *bias;
    int is_same;
} place;

/* ---- asking -------------------------------------------------------------- */

static int ask_layout(const hone_real_lt *real, hone_lt_layout l, layout *out)
{
    const struct {
        int attribute;
        void *to;
        size_t bytes;
    } rows[] = {{TYPE, &out->type, sizeof out->type},
                {ORDER, &out->order, sizeof out->order},
                {ROWS, &out->rows, sizeof out->rows},
                {COLUMNS, &out->columns, sizeof out->columns},
                {LEADING, &out->leading, sizeof out->leading},
                {COUNT, &out->count, sizeof out->count},
                {DISTANCE, &out->distance, sizeof out->distance}};
    size_t written;

    *out = (layout){0};
    for (size_t i = 0; i < HONE_COUNT(rows); ++i)
        if (!l || real->layout_get(l, rows[i].attribute, rows[i].to,
                                   rows[i].bytes, &written))
            return 0;
    /* Versions before 13 do not have it: strided. */
    if (real->layout_get(l, BATCH_MODE, &out->batch_mode,
                         sizeof out->batch_mode, &written))
        out->batch_mode = 0;
    return 1;
}

/* An attribute of 32 bits; `otherwise` where the library has none. */
static int32_t ask(const hone_real_lt *real, hone_lt_desc desc, int attribute,
                   int32_t otherwise)
{
    int32_t value = otherwise;
    size_t written;

    if (real->desc_get(desc, attribute, &value, sizeof value, &written))
        return otherwise;
    return value;
}

/* A pointer, or another value of 64 bits; older versions do not have all. */
static int has_value(const hone_real_lt *real, hone_lt_desc desc, int attribute)
{
    uint64_t value = 0;
    size_t written;

    return !real->desc_get(desc, attribute, &value, sizeof value, &written) &&
           value;
}

/* Does it say something that gemm does not have, or that nobody here knows? */
static int is_special(const hone_real_lt *real, hone_lt_desc desc)
{
    static const int values[] = {WAITS_IN,  WAITS_OUT,  OUT_SCALE,
                                 EMULATION, ALPHA_STEP, BETA_STEP};

    if (ask(real, desc, OP_C, HONE_BLAS_OP_N) != HONE_BLAS_OP_N ||
        ask(real, desc, FILL, FILL_FULL) != FILL_FULL)
        return 1;
    for (int i = A_SCALE; i <= D_LARGEST; ++i)
        if (has_value(real, desc, i))
            return 1;
    for (size_t i = 0; i < HONE_COUNT(values); ++i)
        if (has_value(real, desc, values[i]))
            return 1;
    return real->version() > NEWEST_VERSION;
}

/* One of those that gemm has, by the same numbers; a bias is of the type of the
 * result, and the same for all products. */
static int has_epilogue(const hone_real_lt *real, hone_lt_desc desc,
                        int32_t epilogue, int32_t type)
{
    static const int32_t known[] = {HONE_LT_EPILOGUE_NONE, 2, 4, 6, 32, 36};
    const int32_t bias_type = ask(real, desc, BIAS_TYPE, BIAS_TYPE_OF_RESULT);
    size_t i = 0;

    while (i < HONE_COUNT(known) && known[i] != epilogue)
        ++i;
    return i < HONE_COUNT(known) &&
           (!(epilogue & HONE_LT_EPILOGUE_BIAS) ||
            ((bias_type == BIAS_TYPE_OF_RESULT || bias_type == type) &&
             !has_value(real, desc, BIAS_DISTANCE)));
}

static hone_oddity oddity_of(const hone_real_lt *real, hone_lt_desc desc,
                             int32_t epilogue, const layout *l, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (l[i].order != ORDER_COLUMNS)
            return HONE_ODDITY_LAYOUT;
    for (size_t i = 0; i < n; ++i)
        if (l[i].batch_mode != 0 || l[i].count != l[n - 1].count)
            return HONE_ODDITY_ARRAYS;
    if (ask(real, desc, POINTER_MODE, 0) != HONE_BLAS_POINTER_MODE_HOST)
        return HONE_ODDITY_SCALARS;
    if (!has_epilogue(real, desc, epilogue, (int32_t)l[n - 1].type))
        return HONE_ODDITY_EPILOGUE;
    if (is_special(real, desc))
        return HONE_ODDITY_DESCRIPTION;
    return HONE_ODDITY_NONE;
}

/* Does op(A) times op(B) fit the result, and C it? Else it is the library's to
 * refuse. */
static int fits_together(const layout *a, const layout *b, const layout *c,
                         const layout *out, const hone_blas_shape *s)
{
    const int a_is_n = s->op_a == HONE_BLAS_OP_N;
    const int b_is_n = s->op_b == HONE_BLAS_OP_N;

    return (a_is_n ? a->rows : a->columns) == out->rows &&
           (b_is_n ? b->columns : b->rows) == out->columns &&
           (b_is_n ? b->rows : b->columns) == (a_is_n ? a->columns : a->rows) &&
           c->rows == out->rows && c->columns == out->columns;
}

static void ask_all(const hone_real_lt *real, const hone_lt_product *p,
                    hone_blas_call *out_call, int *is_same)
{
    hone_blas_shape *const s = &out_call->shape;
    size_t written;
    layout l[4]; /* A, B, C, the result */
    const hone_lt_layout of[4] = {p->a, p->b, p->c ? p->c : p->out, p->out};
    const layout *a = &l[0], *b = &l[1], *c = &l[2], *out = &l[3];

    *s = (hone_blas_shape){.oddity = HONE_ODDITY_DESCRIPTION, .batch = 1};
    *is_same = 0;
    for (size_t i = 0; i < 4; ++i)
        if (!p->desc || !ask_layout(real, of[i], &l[i]))
            return;
    s->compute = ask(real, p->desc, COMPUTE, -1);
    s->epilogue = ask(real, p->desc, EPILOGUE, HONE_LT_EPILOGUE_NONE);
    if ((s->epilogue & HONE_LT_EPILOGUE_BIAS) &&
        real->desc_get(p->desc, BIAS, &out_call->bias, sizeof out_call->bias,
                       &written))
        out_call->bias = NULL;
    s->oddity =
        (int16_t)oddity_of(real, p->desc, s->epilogue, l, HONE_COUNT(l));
    if (s->oddity == HONE_ODDITY_NONE &&
        ask(real, p->desc, SCALE, -1) != hone__scalar_type(s->compute))
        s->oddity = HONE_ODDITY_DESCRIPTION;
    s->op_a = (uint8_t)ask(real, p->desc, OP_A, HONE_BLAS_OP_N);
    s->op_b = (uint8_t)ask(real, p->desc, OP_B, HONE_BLAS_OP_N);
    if (s->oddity == HONE_ODDITY_NONE &&
        (s->op_a == HONE_BLAS_OP_C || s->op_b == HONE_BLAS_OP_C))
        s->oddity = HONE_ODDITY_CONJUGATE;
    if (s->oddity == HONE_ODDITY_NONE && !fits_together(a, b, c, out, s))
        s->oddity = HONE_ODDITY_DESCRIPTION;
    s->m = (int64_t)out->rows;
    s->n = (int64_t)out->columns;
    s->k = (int64_t)(s->op_a == HONE_BLAS_OP_N ? a->columns : a->rows);
    s->lda = a->leading;
    s->ldb = b->leading;
    s->ldc = out->leading;
    s->batch = out->count;
    if (s->batch > 1) {
        s->stride_a = a->distance;
        s->stride_b = b->distance;
        s->stride_c = out->distance;
    }
    s->a_type = (int16_t)a->type;
    s->b_type = (int16_t)b->type;
    s->c_type = (int16_t)out->type;
    *is_same = c->type == out->type && c->leading == out->leading &&
               (s->batch <= 1 || c->distance == out->distance);
}

/* ---- remembering --------------------------------------------------------- */

static _Thread_local place *places;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_key;

static void free_places(void *of_thread)
{
    hone__free(of_thread);
}

static void make_key(void)
{
    has_key = !pthread_key_create(&key, free_places);
}

static const void *layout_of(const hone_lt_product *p, size_t i)
{
    const hone_lt_layout all[4] = {p->a, p->b, p->c ? p->c : p->out, p->out};

    return all[i];
}

/* The bytes of a layout, asked once for each thread and library; 0: not known.
 * Those that a program has made itself, by the header of an older version of
 * 13, may be shorter: then what lies behind them is compared as well. */
static size_t layout_bytes(const hone_real_lt *real)
{
    static const struct {
        size_t from, to, bytes;
    } sizes[] = {{130000, 130199, 64}, {130200, NEWEST_VERSION, 112}};
    static _Thread_local const hone_real_lt *asked;
    static _Thread_local size_t bytes;

    if (asked != real) {
        const size_t version = real->version();

        asked = real;
        bytes = 0;
        for (size_t i = 0; i < HONE_COUNT(sizes); ++i)
            if (version >= sizes[i].from && version <= sizes[i].to)
                bytes = sizes[i].bytes;
    }
    return bytes;
}

static uint64_t mixed(uint64_t hash, const void *bytes, size_t n)
{
    return (hash << 7 | hash >> 57) ^ hone__hash64(bytes, n);
}

/* Of layouts, sizes and types are among the first bytes; what else differs is
 * compared. A bias is anywhere in the description, which is taken in halves: up
 * to 128 bytes have a way of their own through the hash, several times as fast.
 */
static place *place_of(const hone_lt_product *p)
{
    enum { FIRST_BYTES = 64, HALF_BYTES = DESC_BYTES / 2 };
    const unsigned char *desc = (const unsigned char *)p->desc;
    uint64_t hash = hone__hash64(desc, HALF_BYTES);

    hash = mixed(hash, desc + HALF_BYTES, HALF_BYTES);
    hash = mixed(hash, p->a, FIRST_BYTES);
    hash = mixed(hash, p->b, FIRST_BYTES);
    hash = mixed(hash, p->out, FIRST_BYTES); /* as C mostly is */
    if (!places) {
        (void)pthread_once(&once, make_key);
        places = has_key ? hone__alloc(PLACES * sizeof *places) : NULL;
        if (places && pthread_setspecific(key, places)) {
            hone__free(places);
            places = NULL;
        }
    }
    return places ? &places[hash % PLACES] : NULL;
}

static int is_of(const place *known, const hone_real_lt *real,
                 const hone_lt_product *p, size_t bytes)
{
    if (known->real != real || memcmp(known->of.desc, p->desc, DESC_BYTES) != 0)
        return 0;
    for (size_t i = 0; i < 4; ++i)
        if (memcmp(known->of.layouts[i], layout_of(p, i), bytes) != 0)
            return 0;
    return 1;
}

void hone__lt_read(const hone_real_lt *real, const hone_lt_product *p,
                   hone_blas_call *out, int *out_is_same)
{
    const size_t n = p->desc && p->a && p->b && p->out ? layout_bytes(real) : 0;
    place *known = n ? place_of(p) : NULL;

    if (known && is_of(known, real, p, n)) {
        out->shape = known->shape;
        out->bias = known->bias;
        *out_is_same = known->is_same;
        return;
    }
    ask_all(real, p, out, out_is_same);
    if (!known)
        return;
    memcpy(known->of.desc, p->desc, DESC_BYTES);
    for (size_t i = 0; i < 4; ++i)
        memcpy(known->of.layouts[i], layout_of(p, i), n);
    known->shape = out->shape;
    known->bias = out->bias;
    known->is_same = *out_is_same;
    known->real = real;
}
