/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver for benchmarks. */
#include "tests/runtime/bench_fake.h"
#include "tests/runtime/fake_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loaded, not linked: its symbols would be found before a real driver's. */
static void *find(const char *name)
{
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, name) : NULL;

    if (!address) {
        (void)fprintf(stderr, "%s: %s\n", FAKE_CUDA_PATH, dlerror());
        exit(4);
    }
    return address;
}

void bench_fake_start(void)
{
    void (*reset)(void);
    void (*record)(int);
    hone_cu_context (*create)(void);
    void *const symbols[] = {find("fake_reset"), find("fake_record"),
                             find("fake_context_create")};

    memcpy(&reset, &symbols[0], sizeof symbols[0]);
    memcpy(&record, &symbols[1], sizeof symbols[1]);
    memcpy(&create, &symbols[2], sizeof symbols[2]);
    (void)setenv("HONE_CUDA_LIBRARY", FAKE_CUDA_PATH, 1);
    reset();
    record(0);
    (void)create();
}
