/* SPDX-License-Identifier: Apache-2.0 */
/* hone with: a program runs with tuned matrix products. */
#include "tools/base/message.h"
#include "tools/preload.h"

hone_exit hone__cmd_with(const hone_options *options)
{
    hone_error err = {0};

    (void)hone__preload(options, "on", &err);
    return hone__message_error(&err);
}
