/* SPDX-License-Identifier: Apache-2.0 */
/* hone tune --device replay:FILE. */
#ifndef HONE_TOOLS_TUNE_REPLAY_H
#define HONE_TOOLS_TUNE_REPLAY_H

#include "tools/arguments.h"
#include "tools/exit_code.h"
#include "tuner/tuner.h"

/* Does --device name a recording? */
int hone__device_is_replay(const hone_options *options);

/* The whole command for such a device: every recording of the file in turn,
 * or those of the operations that are named. */
hone_exit hone__tune_replay(const hone_options *options,
                            void (*on_progress)(void *user,
                                                const hone_tune_progress *p));

#endif
