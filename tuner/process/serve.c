/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker process: see serve.h. */
#include "tuner/process/serve.h"

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
    (void)hone__message_send(to_parent, kind, &payload, NULL);
    hone__text_free(&payload);
}
