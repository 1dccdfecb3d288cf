/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in .npy files: see input_values.h. A file has a magic word, a version,
 * the length of a header, the header (a Python dictionary) and the elements. */
#include "tuner/judge/check_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    hone_type type;
    const char *descr;
} names[] = {
    {HONE_TYPE_F16, "<f2"},  {HONE_TYPE_BF16, "<f4"}, {HONE_TYPE_TF32, "<f4"},
    {HONE_TYPE_F32, "<f4"},  {HONE_TYPE_F64, "<f8"},  {HONE_TYPE_I8, "|i1"},
    {HONE_TYPE_I32, "<i4"},  {HONE_TYPE_C32, "<c8"},  {HONE_TYPE_U8, "|u1"},
    {HONE_TYPE_U32, "<u4"},  {HONE_TYPE_I64, "<i8"},  {HONE_TYPE_U64, "<u8"},
    {HONE_TYPE_C64, "<c16"}, {HONE_TYPE_E4M3, "<f4"}, {HONE_TYPE_E5M2, "<f4"}};

static const char magic[] = "\x93NUMPY";
enum {
    MAGIC = sizeof magic - 1,
    FIRST = MAGIC + 4, /* version 1: two bytes of it, two of the length */
    ALIGNED = 64
};

#define MOST_ARRAY_BYTES (INT64_C(16) << 30)

static const char *descr_of(hone_type type)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i].type == type)
            return names[i].descr;
    }
    return "";
}

/* NumPy has no such numbers: files have f32. */
static int is_widened(hone_type type)
{
    return type == HONE_TYPE_BF16 || type == HONE_TYPE_E4M3 ||
           type == HONE_TYPE_E5M2;
}

static size_t element_bytes(hone_type type)
{
    return is_widened(type) ? 4 : hone__type_size_bytes(type);
}

/* ---- writing ------------------------------------------------------------- */

static void write_header(FILE *file, hone_type type, const int64_t *shape,
                         size_t n_dims)
{
    hone_text text = {0};
    size_t size;

    hone__text_printf(&text,
                      "{'descr': '%s', 'fortran_order': False, 'shape': (",
                      descr_of(type));
    for (size_t i = 0; i < n_dims; ++i)
        hone__text_printf(&text, "%lld,%s", (long long)shape[i],
                          i + 1 < n_dims ? " " : "");
    hone__text_puts(&text, "), }");
    size = (FIRST + text.length + 1 + ALIGNED - 1) / ALIGNED * ALIGNED - FIRST;
    (void)fprintf(file, "%s%c%c%c%c%-*s\n", magic, 1, 0, (int)(size & 0xff),
                  (int)(size >> 8), (int)size - 1, hone__text_str(&text));
    hone__text_free(&text);
}

static void write_elements(FILE *file, hone_type type, int64_t n,
                           const void *array)
{
    if (!is_widened(type)) {
        (void)fwrite(array, hone__type_size_bytes(type), (size_t)n, file);
        return;
    }
    for (int64_t i = 0; i < n; ++i) {
        const float value = (float)hone__element_load((int)type, array, i);

        (void)fwrite(&value, sizeof value, 1, file);
    }
}

hone_status hone__npy_write(const char *path, hone_type type,
                            const int64_t *shape, size_t n_dims,
                            const void *array, hone_error *err)
{
    FILE *file = fopen(path, "wb");
    int64_t n = 1;
    int failed;

    for (size_t i = 0; i < n_dims; ++i)
        n *= shape[i];
    if (file) {
        write_header(file, type, shape, n_dims);
        write_elements(file, type, n, array);
    }
    failed = !file || ferror(file);
    failed |= file && fclose(file);
    return failed ? hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO,
                                      errno, "cannot write '%s': %s", path,
                                      strerror(errno))
                  : HONE_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* What stands behind "'key':" in the header; NULL: nothing. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, ": ");
}

/* The product of "(3, 4)"; -1 where it is none. */
static int64_t product(const char *shape)
{
    int64_t n = 1;

    if (!shape || *shape != '(')
        return -1;
    for (++shape; *shape && *shape != ')';) {
        char *end;
        const long long value = strtoll(shape, &end, 10);

        if (end == shape || value < 0 || __builtin_mul_overflow(n, value, &n))
            return -1;
        shape = end + strspn(end, ", ");
    }
    return n;
}

/* How many elements there are, behind *out_at bytes; 0: `why` says what is
 * wrong. */
static int64_t read_header(const hone_text *text, hone_type type,
                           size_t *out_at, const char **why)
{
    const unsigned char *bytes = (const unsigned char *)text->data;
    char header[512] = "";
    const char *descr, *order;
    size_t length;
    int64_t n;

    *why = "it is not a .npy file";
    if (text->length < FIRST || memcmp(bytes, magic, MAGIC) != 0)
        return 0;
    *why = "it is of a newer version of the format than 1.0";
    if (bytes[MAGIC] != 1)
        return 0;
    *why = "it is damaged";
    length = (size_t)bytes[MAGIC + 2] | (size_t)bytes[MAGIC + 3] << 8;
    *out_at = FIRST + length;
    if (*out_at > text->length || length >= sizeof header)
        return 0;
    memcpy(header, bytes + FIRST, length);
    descr = value_of(header, "'descr'");
    order = value_of(header, "'fortran_order'");
    n = product(value_of(header, "'shape'"));
    if (!descr || !order || n < 0)
        return 0;
    *why = "its elements are of another type";
    if (strncmp(descr + 1, descr_of(type), strlen(descr_of(type))) != 0 ||
        descr[1 + strlen(descr_of(type))] != '\'')
        return 0;
    *why = "its order is Fortran's; save numpy.ascontiguousarray(..)";
    if (strncmp(order, "False", 5) != 0)
        return 0;
    *why = n ? "it is cut off" : "it has no elements";
    return (uint64_t)n <= (text->length - *out_at) / element_bytes(type) ? n
                                                                         : 0;
}

hone_status hone__npy_read(const char *path, hone_type type, int64_t count,
                           void *array, hone_error *err)
{
    const size_t size = hone__type_size_bytes(type);
    hone_text text = {0};
    const char *why = "";
    size_t at = 0;
    hone_status status =
        hone__text_read_most(&text, path, MOST_ARRAY_BYTES, err);
    const int64_t n =
        status == HONE_OK ? read_header(&text, type, &at, &why) : 0;

    for (int64_t i = 0; n && i < count; ++i) {
        const char *from =
            text.data + at + (size_t)(i % n) * element_bytes(type);
        float value;

        if (is_widened(type)) {
            memcpy(&value, from, sizeof value);
            hone__element_store((int)type, array, i, (double)value);
        } else {
            memcpy((char *)array + (size_t)i * size, from, size);
        }
    }
    if (status == HONE_OK && !n)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "cannot take %s from '%s': %s (%s is wanted)",
                            hone__type_name(type), path, why, descr_of(type));
    hone__text_free(&text);
    return status;
}
