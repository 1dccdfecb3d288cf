/* SPDX-License-Identifier: Apache-2.0 */
/* Processes for one small thing each: see ask.h. */
#include "tuner/process/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER = 1, FAILED = 2, STEP = 3 };

/* ---- in the process ----------------------------------------------------- */

void hone__ask_step(int to_parent, const hone_step *step)
{
    hone_text payload = {0};

    hone__pack_string(&payload, step->what);
    hone__pack_string(&payload, step->advice);
    hone__pack_f64(&payload, step->at_most_s);
    hone__pack_i64(&payload, step->blame);
    (void)hone__message_say(to_parent, STEP, &payload, NULL);
}

int hone__ask_answer(int to_parent, const void *answer, size_t size_bytes,
                     hone_status status, const hone_error *error)
{
    hone_text payload = {0};

    if (status == HONE_OK)
        hone__pack_bytes(&payload, answer, size_bytes);
    else
        hone__pack_error(&payload, error);
    (void)hone__message_say(to_parent, status == HONE_OK ? ANSWER : FAILED,
                            &payload, NULL);
    return status == HONE_OK ? 0 : 1;
}

/* ---- who asks ----------------------------------------------------------- */

typedef struct asker {
    hone_worker worker;
    hone_wait wait;
    char what[400];
    char advice[400];
    double at_most_s;
    hone_status blame;
} asker;

static void begin_step(asker *a, const hone_step *step)
{
    (void)snprintf(a->what, sizeof a->what, "%s", step->what);
    (void)snprintf(a->advice, sizeof a->advice, "%s", step->advice);
    a->at_most_s = step->at_most_s;
    a->blame = step->blame;
    a->wait.until_s = hone__now_s() + step->at_most_s;
}

static void take_step(asker *a, hone_unpack *in)
{
    hone_step step = {.what = hone__unpack_string(in)};

    step.advice = hone__unpack_string(in);
    step.at_most_s = hone__unpack_f64(in);
    step.blame = (hone_status)hone__unpack_i64(in);
    begin_step(a, &step);
}

static hone_status take_answer(hone_unpack *in, void *out, size_t out_bytes,
                               hone_error *err)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    if (size_bytes != out_bytes)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "a worker's answer has the wrong size");
    memcpy(out, bytes, out_bytes);
    return HONE_OK;
}

static hone_status no_answer(asker *a, int has_ended, hone_error *err)
{
    char how[128];
    const hone_worker_end end =
        hone__worker_stop(&a->worker, has_ended ? 2.0 : 0, how, sizeof how);

    if (has_ended)
        return hone__fail(err, a->blame,
                          "%s ended its process without an answer: %s. %s",
                          a->what, how, a->advice);
    return hone__fail(err, a->blame, "%s did not end within %g s%s%s. %s",
                      a->what, a->at_most_s,
                      end == HONE_WORKER_STUCK ? ", and " : "",
                      end == HONE_WORKER_STUCK ? how : "", a->advice);
}

static hone_status listen(asker *a, void *out, size_t out_bytes,
                          hone_error *err)
{
    for (;;) {
        uint32_t kind = 0;
        hone_unpack in;

        HONE_TRY(hone__worker_hear(&a->worker, &a->wait, &kind, &in, err));
        switch (kind) {
        case STEP:
            take_step(a, &in);
            break;
        case ANSWER:
            return take_answer(&in, out, out_bytes, err);
        case FAILED:
            return hone__unpack_error(&in, err);
        default:
            return no_answer(a, kind == HONE_HEARD_END, err);
        }
    }
}

hone_status hone__ask(const hone_question *question, void *out,
                      size_t out_bytes, hone_error *err)
{
    asker a = {.wait = {.stop = question->stop}};
    hone_status status;

    HONE_TRY(
        hone__worker_start(&a.worker, question->run, question->user, -1, err));
    begin_step(&a, &question->first);
    status = listen(&a, out, out_bytes, err);
    if (status == HONE_ERR_INTERRUPTED)
        hone__worker_kill(&a.worker);
    else
        (void)hone__worker_stop(&a.worker, 2.0, NULL, 0);
    return status;
}

/* ---- waiting for the disk ----------------------------------------------- */

/* Every byte says that something was written; a read takes all there are. */
static int sync_disk(void *user, int from_parent, int to_parent)
{
    const char *path = user;
    char bytes[4096];
    int fd = -1;

    (void)to_parent;
    hone__worker_name("hone-disk");
    for (;;) {
        const ssize_t n = read(from_parent, bytes, sizeof bytes);

        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return 1;
        if (fd < 0)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            (void)fdatasync(fd);
    }
}

hone_status hone__disk_sync_start(hone_worker *worker, const char *path,
                                  hone_error *err)
{
    return hone__worker_start(worker, sync_disk, (void *)(uintptr_t)path, -1,
                              err);
}

int hone__disk_sync_soon(const hone_worker *worker)
{
    /* A full pipe means that it will sync anyway. */
    return worker->pid && (write(worker->to, "", 1) == 1 || errno == EAGAIN);
}
