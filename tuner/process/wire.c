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

static int take(hone_unpack *in, void *out, size_t size_bytes)
{
    if (in->broken || (size_t)(in->end - in->at) < size_bytes) {
        in->broken = 1;
        memset(out, 0, size_bytes);
        return 0;
    }
    memcpy(out, in->at, size_bytes);
    in->at += size_bytes;
    return 1;
}

int64_t hone__unpack_i64(hone_unpack *in)
{
    int64_t value;

    (void)take(in, &value, sizeof value);
    return value;
}

double hone__unpack_f64(hone_unpack *in)
{
    double value;

    (void)take(in, &value, sizeof value);
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

hone_status hone__message_send(int fd, uint32_t kind, const hone_text *payload,
                               hone_error *err)
{
    const hone_message_head head = {kind, (uint32_t)payload->length};

    HONE_TRY(hone__text_check(payload, err));
    if (hone__write_all(fd, &head, sizeof head) ||
        (payload->length &&
         hone__write_all(fd, payload->data, payload->length)))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot write to a worker process: %s",
                                 strerror(errno));
    return HONE_OK;
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

int hone__inbox_fill(hone_inbox *inbox, int fd)
{
    char buffer[65536];
    ssize_t n;

    if (inbox->taken) { /* drop what was handed out */
        inbox->bytes.length -= inbox->taken;
        memmove(inbox->bytes.data, inbox->bytes.data + inbox->taken,
                inbox->bytes.length);
        inbox->taken = 0;
    }
    do {
        n = read(fd, buffer, sizeof buffer);
    } while (n < 0 && errno == EINTR);
    if (n <= 0)
        return 0;
    hone__text_append(&inbox->bytes, buffer, (size_t)n);
    return !inbox->bytes.failed;
}

int hone__inbox_next(hone_inbox *inbox, uint32_t *out_kind,
                     hone_unpack *out_payload)
{
    const size_t there = inbox->bytes.length - inbox->taken;
    const char *at = inbox->bytes.data + inbox->taken;
    hone_message_head head;

    if (there < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (there - sizeof head < head.size_bytes)
        return 0;
    *out_kind = head.kind;
    out_payload->at = at + sizeof head;
    out_payload->end = out_payload->at + head.size_bytes;
    out_payload->broken = 0;
    inbox->taken += sizeof head + head.size_bytes;
    return 1;
}

void hone__inbox_free(hone_inbox *inbox)
{
    hone__text_free(&inbox->bytes);
    inbox->taken = 0;
}
