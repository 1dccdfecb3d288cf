/* SPDX-License-Identifier: Apache-2.0 */
/* Does building a space stay within what it may take? See solve.h. */
#include "gen/solve/solve.h"

#include <time.h>

enum { QUIET_S = 3, AGAIN_S = 5 };

static hone_solve_limits chosen = {
    .most_bytes = (int64_t)HONE_SPACE_MEMORY_MIB << 20,
    .most_ns = HONE_SPACE_SECONDS * INT64_C(1000000000)};

void hone__solve_limits_set(const hone_solve_limits *limits)
{
    chosen = *limits;
}

static int64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void hone__solve_watch_begin(hone_solve_watch *watch)
{
    *watch = (hone_solve_watch){.limits = chosen, .begun_ns = now_ns()};
    watch->said_ns =
        watch->begun_ns + (QUIET_S - AGAIN_S) * INT64_C(1000000000);
}

hone_status hone__solve_watch_look(hone_solve_watch *watch, const char *name,
                                   size_t n_vars, size_t n_states,
                                   int64_t size_bytes, hone_error *err)
{
    const hone_solve_limits *limits = &watch->limits;
    const int64_t now = now_ns();

    size_bytes += watch->bytes;
    if (limits->progress &&
        now - watch->said_ns > AGAIN_S * INT64_C(1000000000)) {
        watch->said_ns = now;
        limits->progress(name, watch->n_bound, n_vars, n_states, size_bytes);
    }
    if (limits->most_bytes && size_bytes > limits->most_bytes)
        watch->is_over = 1;
    if (limits->most_ns && now - watch->begun_ns > limits->most_ns)
        watch->is_over = 2;
    if (watch->is_over == 1)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: its search space takes more than %lld MiB: %zu "
                          "partial configurations of %zu of %zu parameters "
                          "differ in what they allow",
                          name, (long long)(limits->most_bytes >> 20), n_states,
                          watch->n_bound, n_vars);
    if (watch->is_over)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: its search space takes more than %lld seconds "
                          "to build: %zu of %zu parameters are bound, in %zu "
                          "partial configurations",
                          name, (long long)(limits->most_ns / 1000000000),
                          watch->n_bound, n_vars, n_states);
    return HONE_OK;
}
