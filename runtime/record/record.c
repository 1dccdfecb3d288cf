/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of one hone_ctx and their counters: see record.h. Shapes are
 * kept when their plans are evicted, for they mostly come again; only where
 * there are very many do those without a plan go, once they are written. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "runtime/record/record.h"

#include "runtime/base/alloc.h"
#include "runtime/base/count.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/table.h"
#include "runtime/base/type.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MANY_SHAPES = 65536, /* about 20 MB */
    EVERY_S = 10,        /* that is written while plans are made */
    WAIT_MS = 2000,      /* for another process that is writing */
    N_MATCHES = 16
};

struct hone_record_shape {
    uint32_t counter;
    hone_match_kind match;
    int is_vendor;
    size_t n_plans;
    uint64_t n_written; /* launches that are in the file */
    uint64_t n_now;     /* and that will be when this write is done */
    uint64_t tag;
    hone_record_shape *next;
    const char *facts; /* "arch=sm_90 ..", behind the shape in `text` */
    char text[];       /* "gemm 4096,4096,4096,3" */
};

struct hone_record {
    int file; /* -1: none */
    char *path;
    pthread_mutex_t lock; /* of what follows */
    hone_table table;
    hone_record_shape *shapes;
    size_t n_shapes;
    size_t most_shapes;
    time_t written_s;
    int has_complained;
    uint64_t gone[N_MATCHES]; /* launches of shapes that are not kept */
    uint64_t gone_of_vendors;
    hone_record *next; /* of all that are open; under `all_lock` */
};

/* Of those with a file: what a program that ends without hone_close() has
 * launched is written when it ends. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static hone_record *all;

static time_t now_s(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* ---- shapes -------------------------------------------------------------- */

/* One word, whatever the name of a device has in it. */
static void put_word(hone_text *out, const char *key, const char *word)
{
    const size_t start = out->length;

    hone__text_printf(out, " %s=%s", key, *word ? word : "-");
    for (size_t i = start + 1; !out->failed && i < out->length; ++i)
        if ((unsigned char)out->data[i] <= ' ' || out->data[i] == '#')
            out->data[i] = '_';
}

static void describe(const hone_launched *launched, hone_text *out)
{
    hone__text_printf(out, "%s %s", launched->op, launched->dims);
    hone__text_append(out, "", 1);
    hone__text_printf(out, "arch=%s multiprocessors=%" PRId64 " match=%s",
                      launched->arch, launched->multiprocessors,
                      hone__match_name(launched->match));
    put_word(out, "by", launched->implementation);
    hone__text_puts(out, launched->is_vendor ? " vendor=1" : "");
    put_word(out, "device", launched->device);
}

static hone_record_shape *find(const hone_record *record, const hone_text *text,
                               uint64_t tag)
{
    hone_table_walk walk = hone__table_walk(&record->table, tag);
    hone_record_shape *shape;

    while ((shape = hone__table_next(&walk)) != NULL) {
        const size_t length = strlen(shape->text) + 1;

        if (length < text->length &&
            memcmp(shape->text, text->data, length) == 0 &&
            strcmp(shape->facts, text->data + length) == 0)
            return shape;
    }
    return NULL;
}

static hone_record_shape *add(hone_record *record, const hone_text *text,
                              uint64_t tag, const hone_launched *launched)
{
    hone_record_shape *shape = hone__alloc(sizeof *shape + text->length + 1);

    if (!shape)
        return NULL;
    memcpy(shape->text, text->data, text->length + 1);
    shape->facts = shape->text + strlen(shape->text) + 1;
    shape->match = launched->match;
    shape->is_vendor = launched->is_vendor;
    shape->tag = tag;
    shape->counter = hone__count_take();
    if (!shape->counter ||
        hone__table_put(&record->table, tag, shape, NULL) != HONE_OK) {
        hone__count_give(shape->counter);
        hone__free(shape);
        return NULL;
    }
    shape->next = record->shapes;
    record->shapes = shape;
    ++record->n_shapes;
    return shape;
}

hone_record_shape *hone__record_enter(hone_record *record,
                                      const hone_launched *launched)
{
    hone_text text = {0};
    hone_record_shape *shape = NULL;

    describe(launched, &text);
    if (!text.failed) {
        const uint64_t hash = hone__hash64(text.data, text.length);
        const uint64_t tag = hash + !hash;

        (void)pthread_mutex_lock(&record->lock);
        shape = find(record, &text, tag);
        if (!shape)
            shape = add(record, &text, tag, launched);
        if (shape)
            ++shape->n_plans;
        (void)pthread_mutex_unlock(&record->lock);
    }
    hone__text_free(&text);
    return shape;
}

void hone__record_leave(hone_record *record, hone_record_shape *shape)
{
    (void)pthread_mutex_lock(&record->lock);
    --shape->n_plans;
    (void)pthread_mutex_unlock(&record->lock);
}

uint32_t hone__record_counter(const hone_record_shape *shape)
{
    return shape->counter;
}

static void count_as_gone(hone_record *record, const hone_record_shape *shape)
{
    const uint64_t n = hone__count_sum(shape->counter);

    record->gone[shape->match] += n;
    if (shape->is_vendor)
        record->gone_of_vendors += n;
}

/* Those without a plan, where there are too many. Lock held. */
static void thin_out(hone_record *record)
{
    hone_record_shape **link = &record->shapes;

    if (record->n_shapes <= record->most_shapes)
        return;
    while (*link) {
        hone_record_shape *shape = *link;

        if (shape->n_plans) {
            link = &shape->next;
            continue;
        }
        *link = shape->next;
        count_as_gone(record, shape);
        hone__table_remove(&record->table, shape->tag, shape);
        hone__count_give(shape->counter);
        hone__free(shape);
        --record->n_shapes;
    }
    record->most_shapes =
        2 * record->n_shapes > MANY_SHAPES ? 2 * record->n_shapes : MANY_SHAPES;
}

void hone__record_sum(hone_record *record, uint64_t *by_match, size_t n,
                      uint64_t *of_vendors)
{
    (void)pthread_mutex_lock(&record->lock);
    for (size_t i = 0; i < n && i < N_MATCHES; ++i)
        by_match[i] += record->gone[i];
    *of_vendors += record->gone_of_vendors;
    for (const hone_record_shape *s = record->shapes; s; s = s->next) {
        const uint64_t sum = hone__count_sum(s->counter);

        if ((size_t)s->match < n)
            by_match[s->match] += sum;
        *of_vendors += s->is_vendor ? sum : 0;
    }
    (void)pthread_mutex_unlock(&record->lock);
}

/* ---- writing ------------------------------------------------------------- */

static hone_status write_shapes(hone_record *record, int wait_ms,
                                hone_error *err)
{
    hone_text lines = {0};
    hone_status status = HONE_OK;

    for (hone_record_shape *s = record->shapes; s; s = s->next) {
        s->n_now = hone__count_sum(s->counter);
        if (s->n_now != s->n_written)
            hone__record_line(s->text, s->n_now - s->n_written, s->facts,
                              &lines);
    }
    if (lines.length || lines.failed)
        status = hone__text_check(&lines, err);
    if (status == HONE_OK && lines.length)
        status = hone__record_append(record->file, record->path, &lines,
                                     wait_ms, err);
    for (hone_record_shape *s = record->shapes; s && status == HONE_OK;
         s = s->next)
        s->n_written = s->n_now;
    hone__text_free(&lines);
    return status;
}

/* A file that cannot be written is said once. */
static hone_status write_out(hone_record *record, int wait_ms, hone_error *err)
{
    hone_error why = {0};
    hone_status status = HONE_OK;

    if (record->file >= 0)
        status = write_shapes(record, wait_ms, &why);
    if (status != HONE_OK && status != HONE_ERR_BUSY &&
        !record->has_complained) {
        record->has_complained = 1;
        hone__log(HONE_LOG_WARNING, "%s", why.text);
    }
    if (status != HONE_OK && err)
        *err = why;
    if (status != HONE_ERR_BUSY)
        thin_out(record);
    record->written_s = now_s();
    return status;
}

hone_status hone__record_write(hone_record *record, hone_error *err)
{
    hone_status status;

    (void)pthread_mutex_lock(&record->lock);
    status = write_out(record, WAIT_MS, err);
    (void)pthread_mutex_unlock(&record->lock);
    return status;
}

void hone__record_write_now_and_then(hone_record *record)
{
    (void)pthread_mutex_lock(&record->lock);
    if (now_s() - record->written_s >= EVERY_S ||
        record->n_shapes > record->most_shapes)
        (void)write_out(record, 0, NULL);
    (void)pthread_mutex_unlock(&record->lock);
}

static void write_all_at_exit(void)
{
    (void)pthread_mutex_lock(&all_lock);
    for (hone_record *r = all; r; r = r->next)
        (void)hone__record_write(r, NULL);
    (void)pthread_mutex_unlock(&all_lock);
}

/* ---- the process --------------------------------------------------------- */

/* What was launched until now is the parent's to write. */
static void before_fork(void)
{
    (void)pthread_mutex_lock(&all_lock);
    for (hone_record *r = all; r; r = r->next) {
        (void)pthread_mutex_lock(&r->lock);
        for (hone_record_shape *s = r->shapes; s; s = s->next)
            s->n_now = hone__count_sum(s->counter);
    }
}

static void after_fork(void)
{
    for (hone_record *r = all; r; r = r->next)
        (void)pthread_mutex_unlock(&r->lock);
    (void)pthread_mutex_unlock(&all_lock);
}

static void after_fork_in_child(void)
{
    for (hone_record *r = all; r; r = r->next)
        for (hone_record_shape *s = r->shapes; s; s = s->next)
            s->n_written = s->n_now;
    after_fork();
}

static void meet_process(void)
{
    (void)atexit(write_all_at_exit);
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ---- opening and closing ------------------------------------------------- */

static hone_status open_file(hone_record *record, const char *path,
                             hone_error *err)
{
    struct stat now = {0};

    record->path = hone__strdup(path);
    if (!record->path)
        return hone__out_of_memory(err, " for a record of launches");
    record->file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (record->file < 0 || fstat(record->file, &now)) {
        const int code = errno;

        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                                 "cannot record launches in '%.300s': %s", path,
                                 strerror(code));
    }
    return S_ISREG(now.st_mode)
               ? HONE_OK
               : hone__fail(err, HONE_ERR_IO,
                            "cannot record launches in '%.300s': it is no file "
                            "on a disk",
                            path);
}

static void free_record(hone_record *record)
{
    while (record->shapes) {
        hone_record_shape *next = record->shapes->next;

        hone__count_give(record->shapes->counter);
        hone__free(record->shapes);
        record->shapes = next;
    }
    hone__table_free(&record->table);
    if (record->file >= 0)
        (void)close(record->file);
    (void)pthread_mutex_destroy(&record->lock);
    hone__free(record->path);
    hone__free(record);
}

hone_status hone__record_open(const char *path, hone_record **out,
                              hone_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    hone_record *record = hone__alloc(sizeof *record);
    hone_status status = HONE_OK;

    *out = NULL;
    if (!record || pthread_mutex_init(&record->lock, NULL)) {
        hone__free(record);
        return hone__out_of_memory(err, " for a record of launches");
    }
    record->file = -1;
    record->most_shapes = MANY_SHAPES;
    record->written_s = now_s();
    if (path)
        status = open_file(record, path, err);
    if (status != HONE_OK) {
        free_record(record);
        return status;
    }
    (void)pthread_once(&once, meet_process);
    (void)pthread_mutex_lock(&all_lock);
    record->next = all;
    all = record;
    (void)pthread_mutex_unlock(&all_lock);
    *out = record;
    return HONE_OK;
}

void hone__record_close(hone_record *record)
{
    hone_record **link = &all;

    if (!record)
        return;
    (void)hone__record_write(record, NULL);
    (void)pthread_mutex_lock(&all_lock);
    while (*link != record)
        link = &(*link)->next;
    *link = record->next;
    (void)pthread_mutex_unlock(&all_lock);
    free_record(record);
}
