/* SPDX-License-Identifier: Apache-2.0 */
/* hone record: a program runs, and its matrix products are counted. */
#include "tools/base/message.h"
#include "tools/preload.h"

hone_exit hone__cmd_record(const hone_options *options)
{
    hone_error err = {0};

    (void)hone__preload(options, "record", &err);
    return hone__message_error(&err);
}
