/* SPDX-License-Identifier: Apache-2.0 */
/* Messages over pipes: see wire.h. */
#include "tuner/process/wire.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void hone__pack_i64(hone_text *out, int64_t value)
{
    hone__text_append(out, (const char *)&value, sizeof value);
}

void hone__pack_f64(hone_text *out, double value)
{
    hone__text_append(out, (const char *)&value, sizeof value);
}

void hone__pack_bytes(hone_text *out, const void *bytes, size_t size_bytes)
{
    hone__pack_i64(out, (int64_t)size_bytes);
    hone__text_append(out, bytes, size_bytes);
}

void hone__pack_string(hone_text *out, const char *string)
{
    hone__pack_bytes(out, string, strlen(string) + 1);
}

static void take(hone_unpack *in, void *out, size_t size_bytes)
{
    if (in->broken || (size_t)(in->end - in->at) < size_bytes) {
        in->broken = 1;
        return;
    }
    memcpy(out, in->at, size_bytes);
    in->at += size_bytes;
}

int64_t hone__unpack_i64(hone_unpack *in)
{
    int64_t value = 0;

    take(in, &value, sizeof value);
    return value;
}

double hone__unpack_f64(hone_unpack *in)
{
    double value = 0;

    take(in, &value, sizeof value);
    return value;
}

const void *hone__unpack_bytes(hone_unpack *in, size_t *out_size_bytes)
{
    const int64_t size_bytes = hone__unpack_i64(in);
    const char *at = in->at;

    if (in->broken || size_bytes < 0 || size_bytes > in->end - in->at) {
        in->broken = 1;
        *out_size_bytes = 0;
        return "";
    }
    in->at += size_bytes;
    *out_size_bytes = (size_t)size_bytes;
    return at;
}

const char *hone__unpack_string(hone_unpack *in)
{
    size_t size_bytes = 0;
    const char *string = hone__unpack_bytes(in, &size_bytes);

    if (in->broken || !size_bytes || string[size_bytes - 1] != '\0') {
        in->broken = 1;
        return "";
    }
    return string;
}

void hone__pack_error(hone_text *out, const hone_error *error)
{
    hone__pack_i64(out, error->status);
    hone__pack_i64(out, error->domain);
    hone__pack_i64(out, error->native);
    hone__pack_string(out, error->text);
}

hone_status hone__unpack_error(hone_unpack *in, hone_error *err)
{
    const hone_status status = (hone_status)hone__unpack_i64(in);
    const hone_domain domain = (hone_domain)hone__unpack_i64(in);
    const int native = (int)hone__unpack_i64(in);
    const char *text = hone__unpack_string(in);

    if (in->broken || status == HONE_OK)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "a worker process failed and did not say why");
    return hone__fail_native(err, status, domain, native, "%s", text);
}

/* 1: all read, 0: end of stream before the first byte, -1: error. */
static int read_all(int fd, char *bytes, size_t size_bytes)
{
    size_t have = 0;

    while (have < size_bytes) {
        const ssize_t n = read(fd, bytes + have, size_bytes - have);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 && have == 0 ? 0 : -1;
        have += (size_t)n;
    }
    return 1;
}

static hone_status make_head(uint32_t kind, const hone_text *payload,
                             hone_message_head *out, hone_error *err)
{
    HONE_TRY(hone__text_check(payload, err));
    if (payload->length > UINT32_MAX)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "a message of %zu bytes is longer than 4 GiB",
                          payload->length);
    *out = (hone_message_head){kind, (uint32_t)payload->length};
    return HONE_OK;
}

static hone_status cannot_write(int code, hone_error *err)
{
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                             "cannot write to a process of the tuner: %s",
                             strerror(code));
}

hone_status hone__message_send(int fd, uint32_t kind, const hone_text *payload,
                               hone_error *err)
{
    hone_message_head head;

    HONE_TRY(make_head(kind, payload, &head, err));
    if (hone__write_all(fd, &head, sizeof head) ||
        (payload->length &&
         hone__write_all(fd, payload->data, payload->length)))
        return cannot_write(errno, err);
    return HONE_OK;
}

hone_status hone__message_say(int fd, uint32_t kind, hone_text *payload,
                              hone_error *err)
{
    const hone_status status = hone__message_send(fd, kind, payload, err);

    hone__text_free(payload);
    return status;
}

hone_status hone__message_receive(int fd, uint32_t *out_kind,
                                  hone_text *payload, hone_error *err)
{
    hone_message_head head = {0, 0};
    char buffer[4096];
    int got = read_all(fd, (char *)&head, sizeof head);

    hone__text_clear(payload);
    *out_kind = head.kind;
    for (size_t left = head.size_bytes; got > 0 && left;) {
        const size_t n = left < sizeof buffer ? left : sizeof buffer;

        got = read_all(fd, buffer, n) > 0 ? 1 : -1;
        if (got > 0)
            hone__text_append(payload, buffer, n);
        left -= n;
    }
    if (got > 0)
        return hone__text_check(payload, err);
    if (got == 0)
        return hone__fail(err, HONE_ERR_NOT_FOUND, "end of messages");
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                             "a message from a worker process broke off");
}

hone_status hone__serve(int from_parent, hone_serve_one *one, void *user,
                        hone_error *err)
{
    hone_text message = {0};
    int leave = 0;
    hone_status status;

    do {
        uint32_t kind = 0;
        hone_unpack in;

        status = hone__message_receive(from_parent, &kind, &message, err);
        /* The parent closes the pipe between two messages, or dies. */
        if (status == HONE_ERR_NOT_FOUND || status == HONE_ERR_IO) {
            status = HONE_OK;
            break;
        }
        in = (hone_unpack){message.data, message.data + message.length, 0};
        if (status == HONE_OK)
            status = one(user, kind, &in, &leave, err);
    } while (status == HONE_OK && !leave);
    hone__text_free(&message);
    return status;
}

void hone__serve_failed(int to_parent, uint32_t kind, const hone_error *error)
{
    hone_text payload = {0};

    hone__pack_error(&payload, error);
    (void)hone__message_say(to_parent, kind, &payload, NULL);
}

/* ---- the parent's side -------------------------------------------------- */

static void drop_done(hone_mail *mail)
{
    if (!mail->done)
        return;
    mail->bytes.length -= mail->done;
    memmove(mail->bytes.data, mail->bytes.data + mail->done,
            mail->bytes.length);
    mail->done = 0;
}

void hone__mail_free(hone_mail *mail)
{
    hone__text_free(&mail->bytes);
    mail->done = 0;
}

hone_status hone__outbox_add(hone_mail *outbox, uint32_t kind,
                             const hone_text *payload, hone_error *err)
{
    hone_message_head head;

    HONE_TRY(make_head(kind, payload, &head, err));
    drop_done(outbox);
    hone__text_append(&outbox->bytes, (const char *)&head, sizeof head);
    hone__text_append(&outbox->bytes, payload->data, payload->length);
    return hone__text_check(&outbox->bytes, err);
}

int hone__outbox_is_empty(const hone_mail *outbox)
{
    return outbox->done == outbox->bytes.length;
}

hone_status hone__outbox_flush(hone_mail *outbox, int fd, hone_error *err)
{
    while (!hone__outbox_is_empty(outbox)) {
        const ssize_t n = write(fd, outbox->bytes.data + outbox->done,
                                outbox->bytes.length - outbox->done);

        if (n > 0) {
            outbox->done += (size_t)n;
        } else if (errno == EAGAIN) {
            return HONE_OK;
        } else if (errno != EINTR) {
            const int code = errno;

            hone__mail_free(outbox);
            return cannot_write(code, err);
        }
    }
    hone__text_clear(&outbox->bytes);
    outbox->done = 0;
    return HONE_OK;
}

hone_status hone__inbox_fill(hone_mail *inbox, int fd, int *out_end,
                             hone_error *err)
{
    char buffer[65536];
    ssize_t n;

    drop_done(inbox);
    do {
        n = read(fd, buffer, sizeof buffer);
    } while (n < 0 && errno == EINTR);
    *out_end = n <= 0;
    if (n > 0)
        hone__text_append(&inbox->bytes, buffer, (size_t)n);
    return hone__text_check(&inbox->bytes, err);
}

int hone__inbox_next(hone_mail *inbox, uint32_t *out_kind,
                     hone_unpack *out_payload)
{
    const size_t there = inbox->bytes.length - inbox->done;
    const char *at = inbox->bytes.data + inbox->done;
    hone_message_head head;

    if (there < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (there - sizeof head < head.size_bytes)
        return 0;
    *out_kind = head.kind;
    at += sizeof head;
    *out_payload = (hone_unpack){at, at + head.size_bytes, 0};
    inbox->done += sizeof head + head.size_bytes;
    return 1;
}
