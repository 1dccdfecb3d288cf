/* SPDX-License-Identifier: Apache-2.0 */
/* One record per thread, kept for later threads when it ends: see hazard.h.
 * membarrier(PRIVATE_EXPEDITED) makes every thread of the process that runs
 * execute a full barrier, which is what orders a reader's plain store before
 * its next load as seen from here. */
#define _GNU_SOURCE /* syscall */
#include "runtime/base/hazard.h"

#include "runtime/base/alloc.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of linux/membarrier.h, which older systems lack. */
enum {
    MEMBARRIER_QUERY = 0,
    MEMBARRIER_EXPEDITED = 1 << 3,
    MEMBARRIER_REGISTER = 1 << 4
};

atomic_int hone__hazard_fences = 1;

static _Atomic(hone_hazard *) hazards; /* of all threads there ever were */
static pthread_key_t thread_end;
static int has_thread_end;
_Thread_local hone_hazard_own hone__hazard_own;

static long membarrier(int command)
{
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0);
#else
    (void)command;
    return -1;
#endif
}

static void give_back(void *user)
{
    hone_hazard *hazard = user;

    hone__hazard_own = (hone_hazard_own){.hazard = NULL};
    atomic_store_explicit(&hazard->object, NULL, memory_order_release);
    atomic_store_explicit(&hazard->is_taken, 0, memory_order_release);
}

/* Registering waits for all processors where the process has threads, and
 * CUDA's has: 9 to 15 ms, which the first one pays who gives up a plan, and not
 * everybody who opens a database. */
static int can_sync(void)
{
    const long wanted = MEMBARRIER_EXPEDITED | MEMBARRIER_REGISTER;
    const long there = membarrier(MEMBARRIER_QUERY);

    return there >= 0 && (there & wanted) == wanted;
}

static void start(void)
{
    has_thread_end = pthread_key_create(&thread_end, give_back) == 0;
    if (can_sync())
        atomic_store(&hone__hazard_fences, 0);
}

void hone__hazard_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, start);
}

/* One that a thread left behind, else a new one. */
static hone_hazard *take(void)
{
    hone_hazard *hazard = atomic_load(&hazards);

    for (; hazard; hazard = hazard->next) {
        int is_taken = 0;

        if (atomic_compare_exchange_strong(&hazard->is_taken, &is_taken, 1))
            return hazard;
    }
    hazard = hone__alloc(sizeof *hazard);
    if (!hazard)
        return NULL;
    atomic_store(&hazard->is_taken, 1);
    hazard->next = atomic_load(&hazards);
    while (!atomic_compare_exchange_weak(&hazards, &hazard->next, hazard))
        ;
    return hazard;
}

hone_status hone__hazard_get(hone_error *err)
{
    hone_hazard *hazard = NULL;

    if (hone__hazard_own.hazard)
        return HONE_OK;
    if (has_thread_end)
        hazard = take();
    if (hazard && pthread_setspecific(thread_end, hazard)) {
        give_back(hazard);
        hazard = NULL;
    }
    if (!hazard)
        return hone__out_of_memory(err, " for one more thread");
    hone__hazard_own.hazard = hazard;
    return HONE_OK;
}

hone_hazard *hone__hazard_first(void)
{
    return atomic_load(&hazards);
}

int hone__hazard_sync(void)
{
    if (atomic_load(&hone__hazard_fences) ||
        membarrier(MEMBARRIER_EXPEDITED) == 0)
        return 1;
    /* The first time; a child of fork() may have to register again. */
    return membarrier(MEMBARRIER_REGISTER) == 0 &&
           membarrier(MEMBARRIER_EXPEDITED) == 0;
}

int hone__hazard_protects(const void *object)
{
    const hone_hazard *hazard = atomic_load(&hazards);

    for (; hazard; hazard = hazard->next) {
        if (atomic_load(&hazard->object) == object)
            return 1;
    }
    return 0;
}
