/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the tuner and its worker processes: a kind, a length and
 * a payload over a pipe, and packing values into payloads. Both ends are the
 * same program on the same machine, so values travel as they are in memory.
 */
#ifndef HONE_TUNER_WIRE_H
#define HONE_TUNER_WIRE_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* Reading side of a payload. Running past its end sets `broken` and yields
 * zeros, so that a reader checks once, after the last field. */
typedef struct hone_unpack {
    const char *at;
    const char *end;
    int broken;
} hone_unpack;

void hone__pack_bytes(hone_text *out, const void *bytes, size_t size_bytes);
void hone__pack_i64(hone_text *out, int64_t value);
void hone__pack_f64(hone_text *out, double value);
void hone__pack_string(hone_text *out, const char *string);
/* Bytes with their length; the pointer is into the payload. */
const void *hone__unpack_bytes(hone_unpack *in, size_t *out_size_bytes);
int64_t hone__unpack_i64(hone_unpack *in);
double hone__unpack_f64(hone_unpack *in);
/* A NUL-terminated string inside the payload. */
const char *hone__unpack_string(hone_unpack *in);
/* An error as a payload. Unpacking fills `err` (NULL ok) and returns its
 * status, HONE_ERR_INTERNAL if there is none in the payload. */
void hone__pack_error(hone_text *out, const hone_error *error);
hone_status hone__unpack_error(hone_unpack *in, hone_error *err);

typedef struct hone_message_head {
    uint32_t kind;
    uint32_t size_bytes;
} hone_message_head;

/* ---- a worker's side: it waits for its parent --------------------------- */

/* Write one message, all of it. HONE_ERR_IO when the other side is gone. */
hone_status hone__message_send(int fd, uint32_t kind, const hone_text *payload,
                               hone_error *err);
/* The same, and free the payload, in any case. */
hone_status hone__message_say(int fd, uint32_t kind, hone_text *payload,
                              hone_error *err);
/* Read one message, waiting for it. `payload` is cleared first.
 * HONE_ERR_NOT_FOUND: end of stream between two messages. */
hone_status hone__message_receive(int fd, uint32_t *out_kind,
                                  hone_text *payload, hone_error *err);

/* Answer one message. Set `*out_leave` for the process to end after it. */
typedef hone_status hone_serve_one(void *user, uint32_t kind, hone_unpack *in,
                                   int *out_leave, hone_error *err);
/* What a worker does all its life: answer messages until the parent has no
 * more or `one` wants to leave: HONE_OK. Otherwise what failed, for
 * hone__serve_failed(). */
hone_status hone__serve(int from_parent, hone_serve_one *one, void *user,
                        hone_error *err);
/* Tell the parent why this process cannot go on: a message of the kind
 * `kind`, which it unpacks with hone__unpack_error(). */
void hone__serve_failed(int to_parent, uint32_t kind, const hone_error *error);

/* ---- the parent's side: it waits for nobody ----------------------------- */

/* Messages on their way: an outbox to a descriptor that does not block, an
 * inbox from one that poll() found readable. */
typedef struct hone_mail {
    hone_text bytes;
    size_t done; /* so many of them are sent, or handed out */
} hone_mail;

void hone__mail_free(hone_mail *mail);

hone_status hone__outbox_add(hone_mail *outbox, uint32_t kind,
                             const hone_text *payload, hone_error *err);
/* Write what goes at once. HONE_ERR_IO when the other side is gone: what was
 * left is dropped then. */
hone_status hone__outbox_flush(hone_mail *outbox, int fd, hone_error *err);
int hone__outbox_is_empty(const hone_mail *outbox);
/* Read what is there; `*out_end`: the stream has ended. HONE_ERR_NO_MEMORY.
 */
hone_status hone__inbox_fill(hone_mail *inbox, int fd, int *out_end,
                             hone_error *err);
/* Next whole message: 1 and a view into the inbox, valid until the next
 * fill; 0 if there is none yet. */
int hone__inbox_next(hone_mail *inbox, uint32_t *out_kind,
                     hone_unpack *out_payload);

#endif
