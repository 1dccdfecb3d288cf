/* SPDX-License-Identifier: Apache-2.0 */
/* A slot is free, or its events are on their way. Nobody waits: neither for the
 * device, nor for a slot. Events go with their context (cudaDeviceReset()),
 * which has a number of its own even where the next one has the same handle:
 * those of a context that is gone are never touched again. */
#include "blas/sample.h"

#include "blas/blas_device.h"
#include "blas/mode.h"

#include <pthread.h>
#include <time.h>

/* LEAST_NS: no product is done sooner. */
enum { SLOTS = 32, LEAST_NS = 1000 };

struct hone_sample {
    enum { FREE, OPEN, UNDER_WAY } state;
    hone_entry *entry;
    int is_first, is_ours;
    hone_cu_event begin, end;
    hone_cu_context context;       /* of the events */
    unsigned long long context_id; /* 0: there are none */
    double host_ns;                /* that the device waited for the call */
};

static hone_sample samples[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hone__sample_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

void hone__sample_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

static double now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Lock held. */
static void add_time(const hone_sample *s, double ns)
{
    hone_times *t = s->is_ours ? &s->entry->ours : &s->entry->library;

    if (s->host_ns > 0)
        ns = ns - s->host_ns > LEAST_NS ? ns - s->host_ns : LEAST_NS;
    if (s->is_first) {
        t->first_ns = ns;
        return;
    }
    t->sum_ns += ns;
    ++t->n;
}

static int is_alive(const hone_driver *driver, const hone_sample *s)
{
    unsigned long long id = 0;

    return !driver->context_id(s->context, &id) && id == s->context_id;
}

/* Lock held. */
static void collect(const hone_driver *driver)
{
    for (size_t i = 0; i < SLOTS; ++i) {
        hone_sample *s = &samples[i];
        hone_cu_result result;
        float ms = 0;

        if (s->state == OPEN || !s->context_id)
            continue;
        if (!is_alive(driver, s)) {
            s->context_id = 0;
            s->state = FREE;
        }
        if (s->state != UNDER_WAY)
            continue;
        result = driver->event_elapsed(&ms, s->begin, s->end);
        if (result == HONE_CU_NOT_READY)
            continue;
        if (!result)
            add_time(s, (double)ms * 1e6);
        else
            s->context_id = 0;
        s->state = FREE;
    }
}

/* Lock held. In the current context, whose number is `id`. */
static int has_events(const hone_driver *driver, hone_sample *s,
                      unsigned long long id)
{
    if (s->context_id == id)
        return 1;
    if (s->context_id) { /* of another one, which is alive */
        (void)driver->event_destroy(s->begin);
        (void)driver->event_destroy(s->end);
    }
    s->context_id = 0;
    if (driver->context_get(&s->context) ||
        driver->event_create(&s->begin, HONE_CU_EVENT_DEFAULT))
        return 0;
    if (driver->event_create(&s->end, HONE_CU_EVENT_DEFAULT)) {
        (void)driver->event_destroy(s->begin);
        return 0;
    }
    s->context_id = id;
    return 1;
}

/* Lock held, collect() called. */
static hone_sample *take(const hone_driver *driver)
{
    unsigned long long id = 0;
    hone_sample *any = NULL;

    if (driver->context_id(NULL, &id))
        return NULL;
    for (size_t i = 0; i < SLOTS; ++i) {
        if (samples[i].state != FREE)
            continue;
        any = &samples[i];
        if (any->context_id == id)
            break;
    }
    return any && has_events(driver, any, id) ? any : NULL;
}

/* Where the device has nothing to do, the first event is reached before the
 * call is made: what the host needs for it is no time of the device. On the cpu
 * device it is. */
static int waits_for_host(const hone_driver *driver, hone_stream stream)
{
    return !hone__blas_settings()->is_host && driver->stream_query(stream) == 0;
}

hone_sample *hone__sample_begin(hone_entry *entry, uint64_t number,
                                hone_stream stream)
{
    const hone_driver *driver = hone__blas_driver();
    hone_sample *s = NULL;
    int saved, waits;

    if (!driver || entry->shape.device < 0 || hone__blas_is_captured(stream))
        return NULL;
    if (pthread_mutex_trylock(&lock))
        return NULL;
    hone__blas_relax(&saved);
    collect(driver);
    s = take(driver);
    waits = s && waits_for_host(driver, stream);
    if (s && driver->event_record(s->begin, stream))
        s = NULL;
    if (s) {
        s->state = OPEN;
        s->entry = entry;
        s->is_first = number == 1;
        s->host_ns = waits ? -now_ns() : 0;
    }
    hone__blas_unrelax(&saved);
    (void)pthread_mutex_unlock(&lock);
    return s;
}

void hone__sample_end(hone_sample *s, hone_stream stream, int is_ours)
{
    const hone_driver *driver = hone__blas_driver();

    hone__sample_lock();
    s->is_ours = is_ours;
    if (s->host_ns < 0)
        s->host_ns += now_ns();
    s->state =
        driver && !driver->event_record(s->end, stream) ? UNDER_WAY : FREE;
    hone__sample_unlock();
}

void hone__sample_drop(hone_sample *s)
{
    hone__sample_lock();
    s->state = FREE;
    hone__sample_unlock();
}

void hone__sample_collect(void)
{
    const hone_driver *driver = hone__blas_driver();
    int saved;

    if (!driver)
        return;
    hone__sample_lock();
    hone__blas_relax(&saved);
    collect(driver);
    hone__blas_unrelax(&saved);
    hone__sample_unlock();
}

void hone__sample_forget(void)
{
    (void)pthread_mutex_init(&lock, NULL); /* it may have been held */
    for (size_t i = 0; i < SLOTS; ++i) {
        samples[i].state = FREE;
        if (!hone__blas_settings()->is_host)
            samples[i].context_id = 0; /* the parent's events */
    }
}
