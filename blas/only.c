/* SPDX-License-Identifier: Apache-2.0 */
#include "blas/only.h"

#include "blas/gemm.h"
#include "blas/mode.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <string.h>

enum { FILE_BYTES_MOST = 16 << 20 };

typedef struct shape {
    int64_t dims[HONE_GEMM_DIMS];
} shape;

static shape *shapes;
static size_t n_shapes;
static int is_read;

/* "gemm DIMS .."; lines of other operations are none of ours. */
static void read_line(char *line, int number)
{
    static const char blanks[] = " \t\r";
    char *rest = NULL, *op, *dims;

    line[strcspn(line, "#")] = '\0';
    op = strtok_r(line, blanks, &rest);
    dims = strtok_r(NULL, blanks, &rest);
    if (!op || strcmp(op, "gemm") != 0)
        return;
    if (!HONE_GROW(shapes, n_shapes))
        return;
    if (dims && hone__gemm_read_dims(dims, shapes[n_shapes].dims))
        ++n_shapes;
    else
        hone__blas_say(0,
                       "%s:%d: '%.60s' is left out: write M,N,K,T,OUT,TRANS_A,"
                       "TRANS_B,.. in this order, or names behind the first",
                       hone__blas_settings()->only, number, dims ? dims : "");
}

static void read_file(const char *path)
{
    hone_text text = {0};
    hone_error err = {0};
    char *rest = NULL;
    int number = 0;

    if (hone__text_read_most(&text, path, FILE_BYTES_MOST, &err) != HONE_OK) {
        hone__blas_say(0, "HONE_BLAS_ONLY: nothing is answered: %s", err.text);
        return;
    }
    for (char *at = text.data; at && *at; at = rest) {
        const size_t length = strcspn(at, "\n");

        rest = at[length] ? at + length + 1 : NULL;
        at[length] = '\0';
        read_line(at, ++number);
    }
    hone__text_free(&text);
}

int hone__only_has(const int64_t *dims)
{
    const char *path = hone__blas_settings()->only;
    shape adding;

    if (!path)
        return 1;
    if (!is_read)
        read_file(path);
    is_read = 1;
    memcpy(adding.dims, dims, sizeof adding.dims);
    (void)hone__gemm_add(adding.dims);
    for (size_t i = 0; i < n_shapes; ++i)
        if (memcmp(shapes[i].dims, dims, sizeof shapes[i].dims) == 0 ||
            memcmp(shapes[i].dims, adding.dims, sizeof adding.dims) == 0)
            return 1;
    return 0;
}
