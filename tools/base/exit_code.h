/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes of the program, and which status becomes which. */
#ifndef HONE_TOOLS_EXIT_CODE_H
#define HONE_TOOLS_EXIT_CODE_H

#include "runtime/hone.h"

/* X(NAME, value, meaning). Scripts rely on the values. */
#define HONE_EXIT_MAP(X)                                                       \
    X(DONE, 0, "done")                                                         \
    X(NEGATIVE, 1, "it ran, and the answer is negative")                       \
    X(USAGE, 2, "wrong use: unknown command, option or value")                 \
    X(INPUT, 3, "bad input: template, dimensions, configuration, database")    \
    X(ENVIRONMENT, 4, "something is missing here: GPU, driver, compiler")      \
    X(BUG, 5, "a bug of hone")                                                 \
    X(INTERRUPTED, 130, "interrupted; what was finished is kept")

typedef enum hone_exit {
#define HONE_EXIT_ENUM(name, value, meaning) HONE_EXIT_##name = value,
    HONE_EXIT_MAP(HONE_EXIT_ENUM)
#undef HONE_EXIT_ENUM
} hone_exit;

/* X(status, exit code). Every status has a row; a test compares the count
 * with HONE_STATUS_MAP. */
#define HONE_STATUS_EXIT_MAP(X)                                                \
    X(HONE_OK, DONE)                                                           \
    X(HONE_ERR_ARGUMENT, USAGE)                                                \
    X(HONE_ERR_NO_MEMORY, ENVIRONMENT)                                         \
    X(HONE_ERR_IO, INPUT)                                                      \
    X(HONE_ERR_INPUT, INPUT)                                                   \
    X(HONE_ERR_OVERFLOW, INPUT)                                                \
    X(HONE_ERR_NOT_FOUND, INPUT)                                               \
    X(HONE_ERR_DATABASE, INPUT)                                                \
    X(HONE_ERR_NO_GPU, ENVIRONMENT)                                            \
    X(HONE_ERR_NO_NVRTC, ENVIRONMENT)                                          \
    X(HONE_ERR_CUDA, ENVIRONMENT)                                              \
    X(HONE_ERR_NVRTC, ENVIRONMENT)                                             \
    X(HONE_ERR_CONSTRAINT, INPUT)                                              \
    X(HONE_ERR_UNSUPPORTED, INPUT)                                             \
    X(HONE_ERR_BUSY, ENVIRONMENT)                                              \
    X(HONE_ERR_INTERRUPTED, INTERRUPTED)                                       \
    X(HONE_ERR_INTERNAL, BUG)                                                  \
    X(HONE_ERR_DIMS, INPUT)                                                    \
    X(HONE_ERR_KERNEL, NEGATIVE)                                               \
    X(HONE_ERR_NO_COMPILER, ENVIRONMENT)

hone_exit hone__exit_of_status(hone_status status);

#endif
