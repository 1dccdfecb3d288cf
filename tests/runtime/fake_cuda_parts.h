/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the fake driver share. */
#ifndef HONE_TESTS_RUNTIME_FAKE_CUDA_PARTS_H
#define HONE_TESTS_RUNTIME_FAKE_CUDA_PARTS_H

#include "tests/runtime/fake_cuda.h"

/* The driver's symbols with their real parameters. */
#define DECLARE(field, symbol, parameters)                                     \
    FAKE_API hone_cu_result symbol parameters;
HONE_CUDA_MAP(DECLARE)
HONE_CUDA_OPTIONAL_MAP(DECLARE)
#undef DECLARE

enum {
    FAKE_INVALID_VALUE = 1,
    FAKE_DEFAULT_SHARED = 48 * 1024,
    FAKE_OPTIN_SHARED = 232448
};

/* Count a call; the code it has to fail with, 0: none. */
int fake_enter(void);

/* Every call but the explaining ones begins with this. */
#define FAKE_ENTER()                                                           \
    do {                                                                       \
        const int fake_code = fake_enter();                                    \
        if (fake_code)                                                         \
            return fake_code;                                                  \
    } while (0)

/* The process is a child of the one that has called cuInit(). */
int fake_is_forked(void);
/* For fake_reset(). */
void fake_forget_maps(void);
void fake_forget_steps(void);
/* Note a step; launches do, while they are recorded. */
void fake_step_add(fake_step step);

#endif
