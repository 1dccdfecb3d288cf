/* SPDX-License-Identifier: Apache-2.0 */
/* Calls since the last time are written, so that records add up whatever kills
 * the program. Nothing here allocates more than a few lines, and nothing that
 * fails is more than a line on stderr. */
#include "blas/blas_report.h"

#include "blas/answer.h"
#include "blas/both_ways.h"
#include "blas/blas_device.h"
#include "blas/mode.h"
#include "blas/sample.h"
#include "runtime/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_S = 10, WAIT_MS = 2000 };

static const char *const met_names[] = {
#define NAME(id, symbol, form, INT, type, compute) #symbol,
    HONE_MET_MAP(NAME)
#undef NAME
        "cublasLtMatmul"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static time_t written_s;
static int has_failed;

static time_t now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static double call_ns(const hone_entry *e)
{
    double ns;

    hone__sample_lock();
    ns = hone__times_mean(&e->library);
    hone__sample_unlock();
    return ns;
}

static double ours_ns(const hone_entry *e)
{
    double ns;

    hone__sample_lock();
    ns = hone__times_mean(&e->ours);
    hone__sample_unlock();
    return ns > 0 ? ns : e->deal ? e->deal->promise.ours_ns : 0;
}

/* What a call of the library takes: as measured here, else when it was tuned.
 */
static double library_ns(const hone_entry *e)
{
    const double ns = call_ns(e);

    return ns > 0 ? ns : e->deal ? e->deal->promise.vendor_ns : 0;
}

/* ---- the record ---------------------------------------------------------- */

/* "arch=sm_90 multiprocessors=132 match=library by=cublas vendor=1
 * device=NVIDIA_H200" */
static void write_facts(const hone_entry *e, hone_text *out)
{
    const unsigned bits = e->addresses;
    hone_about_device about;

    (void)hone__blas_about(e->shape.device, &about);
    for (char *at = about.name; *at; ++at)
        if (*at <= ' ' || *at == '#' || *at == 127)
            *at = '_';
    hone__text_printf(out,
                      "arch=%s multiprocessors=%" PRId64
                      " match=library by=cublas vendor=1 device=%s call=%s",
                      about.arch, about.sm_count, about.name,
                      met_names[e->met]);
    if (call_ns(e) > 0)
        hone__text_printf(out, " time_ns=%.0f", call_ns(e));
    if (bits)
        hone__text_printf(out, " alignment=%u", bits & -bits);
}

/* What gemm has no problem for is a comment, and says why. */
static void write_product(const hone_entry *e, const char **why, hone_text *out)
{
    const hone_blas_shape *s = &e->shape;
    int64_t dims[HONE_GEMM_DIMS];

    *why = hone__gemm_of(s, dims);
    if (!*why) {
        hone__text_printf(out, "gemm ");
        hone__gemm_write(dims, out);
        return;
    }
    hone__text_printf(out,
                      "# %s m=%" PRId64 " n=%" PRId64 " k=%" PRId64
                      " %s*%s->%s op=%d,%d ld=%" PRId64 ",%" PRId64 ",%" PRId64
                      " batch=%" PRId64 " compute=%d epilogue=%d",
                      met_names[e->met], s->m, s->n, s->k,
                      hone__cuda_type_name(s->a_type),
                      hone__cuda_type_name(s->b_type),
                      hone__cuda_type_name(s->c_type), s->op_a, s->op_b, s->lda,
                      s->ldb, s->ldc, s->batch, s->compute, s->epilogue);
}

typedef struct pending {
    hone_text lines;
    uint64_t n[HONE_ENTRIES_MOST]; /* calls that these lines have */
    hone_entry *entries[HONE_ENTRIES_MOST];
    size_t count;
} pending;

static pending to_write; /* under the lock */

static void add_line(hone_entry *e, void *user)
{
    const uint64_t n = e->n_calls - e->n_written;
    hone_text product = {0}, facts = {0};
    const char *why = NULL;

    (void)user;
    if (!n || to_write.count == HONE_ENTRIES_MOST)
        return;
    write_product(e, &why, &product);
    write_facts(e, &facts);
    if (why)
        hone__text_printf(&facts, ": %s", why);
    if (!product.failed && !facts.failed) {
        hone__record_line(hone__text_str(&product), n, hone__text_str(&facts),
                          &to_write.lines);
        to_write.n[to_write.count] = n;
        to_write.entries[to_write.count++] = e;
    }
    hone__text_free(&product);
    hone__text_free(&facts);
}

/* Lock held. */
static hone_status append(const char *path, int wait_ms, hone_error *err)
{
    const int file =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    hone_status status;

    if (file < 0)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "the record '%.300s' cannot be written: %s",
                                 path, strerror(errno));
    status = hone__record_append(file, path, &to_write.lines, wait_ms, err);
    (void)close(file);
    return status;
}

/* What another process keeps from being written stays for the next time. */
static void write_record(const char *path, int wait_ms)
{
    hone_error err = {0};
    hone_status status;

    (void)pthread_mutex_lock(&lock);
    written_s = now_s();
    to_write.count = 0;
    hone__entries_each(add_line, NULL);
    if (to_write.count && !to_write.lines.failed) {
        status = append(path, wait_ms, &err);
        if (status == HONE_OK) {
            for (size_t i = 0; i < to_write.count; ++i)
                to_write.entries[i]->n_written += to_write.n[i];
        } else if (!has_failed && (wait_ms || status != HONE_ERR_BUSY)) {
            has_failed = 1;
            hone__blas_say(0, "%s; the program goes on", err.text);
        }
    }
    hone__text_free(&to_write.lines);
    (void)pthread_mutex_unlock(&lock);
}

void hone__report_now_and_then(void)
{
    const char *path = hone__blas_settings()->file;
    int is_time;

    if (!path || pthread_mutex_trylock(&lock))
        return;
    is_time = now_s() - written_s >= EVERY_S;
    (void)pthread_mutex_unlock(&lock);
    if (!is_time)
        return;
    hone__sample_collect();
    write_record(path, 0); /* the program waits meanwhile */
}

/* ---- at exit ------------------------------------------------------------- */

typedef struct summary {
    uint64_t n_calls, n_answered;
    size_t n_shapes, n_kept;
    uint64_t n_most;
    double total_ns, saved_ns;
    struct {
        hone_entry *entry;
        double total_ns;
    } top[HONE_ENTRIES_MOST]; /* longest first */
} summary;

/* On the device, all calls together. */
static double total_ns(const hone_entry *e)
{
    const double n_answered = (double)e->n_answered;

    return ((double)e->n_calls - n_answered) * library_ns(e) +
           n_answered * ours_ns(e);
}

static void add_up(hone_entry *e, void *user)
{
    summary *s = user;
    const double total = total_ns(e);
    size_t at = s->n_kept;

    if (!e->n_calls)
        return;
    s->n_calls += e->n_calls;
    s->n_answered += e->n_answered;
    ++s->n_shapes;
    s->total_ns += total;
    if (e->n_answered)
        s->saved_ns += (double)e->n_answered * (library_ns(e) - ours_ns(e));
    if (s->n_kept < HONE_ENTRIES_MOST && s->n_kept < s->n_most)
        ++s->n_kept;
    else if (!at)
        return;
    else if (s->top[--at].total_ns >= total)
        return;
    for (; at && s->top[at - 1].total_ns < total; --at)
        s->top[at] = s->top[at - 1];
    s->top[at].entry = e;
    s->top[at].total_ns = total;
}

static void say_promise(hone_entry *e, hone_text *out)
{
    const hone_deal *deal = hone__blas_settings()->mode == HONE_BLAS_RECORD
                                ? hone__answer_deal(e)
                                : e->deal;

    if (!deal)
        return;
    if (e->n_answered)
        hone__text_printf(out, ": %" PRIu64 " answered by %s", e->n_answered,
                          deal->promise.implementation);
    else if (deal->promise.is_kept)
        hone__text_printf(out, ": %s takes %.1f us, %.2fx as fast",
                          deal->promise.implementation,
                          deal->promise.ours_ns / 1e3,
                          library_ns(e) / deal->promise.ours_ns);
    if (!deal->answers)
        hone__text_printf(out, "%s %s", deal->promise.is_kept ? "," : ":",
                          deal->why);
}

static void say_entry(hone_entry *e, double total, double of_all)
{
    hone_text line = {0};
    const char *why = NULL;
    const double share = of_all > 0 ? 100 * total / of_all : 0;

    hone__text_printf(&line, "%5.1f %% %8" PRIu64 " x %9.1f us  ", share,
                      e->n_calls, total / (double)e->n_calls / 1e3);
    write_product(e, &why, &line);
    say_promise(e, &line);
    if (!line.failed)
        hone__blas_say(1, "%s", hone__text_str(&line));
    hone__text_free(&line);
}

static void say_summary(summary *s)
{
    uint64_t n_wrong = 0;
    const uint64_t n_checks = hone__check_count(&n_wrong);

    hone__blas_say(1,
                   "process %ld: %" PRIu64 " matrix products of %zu shapes, "
                   "about %.3f s on the device; %" PRIu64
                   " answered by tuned kernels, about %.3f s saved",
                   (long)getpid(), s->n_calls, s->n_shapes, s->total_ns / 1e9,
                   s->n_answered, s->saved_ns / 1e9);
    if (n_checks)
        hone__blas_say(1, "%" PRIu64 " computed both ways, %" PRIu64 " wrong",
                       n_checks, n_wrong);
    if (hone__entries_n_lost())
        hone__blas_say(1, "%" PRIu64 " calls of further shapes are not in it",
                       hone__entries_n_lost());
    for (size_t i = 0; i < s->n_kept; ++i)
        say_entry(s->top[i].entry, s->top[i].total_ns, s->total_ns);
}

static void report(void)
{
    const hone_blas_settings *settings = hone__blas_settings();
    static summary s; /* once a process; too large for a stack */

    hone__sample_collect();
    if (settings->file)
        write_record(settings->file, WAIT_MS);
    s.n_most = settings->n_lines;
    hone__entries_each(add_up, &s);
    if (s.n_calls && !settings->is_quiet)
        say_summary(&s);
}

void hone__report_start(void)
{
    written_s = now_s();
    if (atexit(report))
        hone__blas_say(0, "there will be no report at exit");
}

void hone__report_forget(void)
{
    (void)pthread_mutex_init(&lock, NULL); /* it may have been held */
    written_s = now_s();
}
