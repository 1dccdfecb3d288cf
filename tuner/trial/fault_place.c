/* SPDX-License-Identifier: Apache-2.0 */
/* Places of faults: see verify.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tuner/trial/verify.h"

#include "tuner/compile/compile_log.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NEAR_BYTES = 1 << 20 }; /* further off, an address is nobody's */

/* A process runs one kernel at a time, and the sanitizer's callback brings
 * nothing with it. */
static struct {
    const hone_problem *problem;
    int pass;
    const hone_subject *subject;
    void *(*address)(void);
} now;

/* The nearest block so far. */
typedef struct nearest {
    uintptr_t address;
    uintptr_t distance;
    char text[160];
} nearest;

/* 1: no other is as near. */
static int is_nearer(nearest *n, const hone_block *block)
{
    const uintptr_t begin = (uintptr_t)block->data;
    const uintptr_t end = begin + block->size_bytes;
    const uintptr_t distance = n->address < begin  ? begin - n->address
                               : n->address >= end ? n->address - end + 1
                                                   : 0;

    if (!block->base || distance >= n->distance)
        return 0;
    n->distance = distance;
    return 1;
}

/* In units of `size` bytes, rounded down. */
static long long place(const nearest *n, const hone_block *block, size_t size)
{
    const long long bytes = (long long)(n->address - (uintptr_t)block->data);

    return bytes >= 0 ? bytes / (long long)size
                      : -((-bytes + (long long)size - 1) / (long long)size);
}

static void on_report(const char *report)
{
    nearest n = {.distance = NEAR_BYTES};
    const hone_problem *problem = now.problem;

    (void)report;
    n.address = now.address ? (uintptr_t)now.address() : 0;
    for (size_t i = 0; problem && i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_block *block = hone__arg_is_written(arg)
                                      ? &problem->work[i]
                                      : &problem->pristine[now.pass][i];

        if (arg->mode != HONE_ARG_SCALAR && is_nearer(&n, block))
            (void)snprintf(n.text, sizeof n.text,
                           "element %lld of '%.60s', which has %lld",
                           place(&n, block, hone__type_size_bytes(arg->type)),
                           arg->name, (long long)arg->count);
    }
    for (size_t i = 0; problem && i < now.subject->n_blocks; ++i) {
        const hone_block *block = &now.subject->blocks[i];

        if (is_nearer(&n, block))
            (void)snprintf(n.text, sizeof n.text,
                           "byte %lld of workspace %zu, which has %zu",
                           place(&n, block, 1), i + 1, block->size_bytes);
    }
    if (n.text[0])
        (void)dprintf(STDERR_FILENO, "\n" HONE_FAULT_PLACE "%s\n", n.text);
}

void hone__fault_place_install(void)
{
    void (*set)(void (*)(const char *)) = NULL;
    void *setter = dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback");
    void *address = dlsym(RTLD_DEFAULT, "__asan_get_report_address");

    if (!setter || !address)
        return;
    memcpy(&set, &setter, sizeof set);
    memcpy(&now.address, &address, sizeof now.address);
    set(on_report);
}

void hone__fault_place_watch(const hone_problem *problem, int pass,
                             const hone_subject *subject)
{
    now.problem = problem;
    now.pass = pass;
    now.subject = subject;
}
