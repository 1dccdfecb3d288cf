/* SPDX-License-Identifier: Apache-2.0 */
/* One function per row of commands.def. Each prints its result on stdout and
 * its messages on stderr, and returns the exit code. */
#ifndef HONE_TOOLS_COMMANDS_H
#define HONE_TOOLS_COMMANDS_H

#include "tools/base/exit_code.h"
#include "tools/base/arguments.h"

#define COMMAND(id, arguments, least, most, summary, example, details)         \
    hone_exit hone__cmd_##id(const hone_options *options);
#include "tools/base/commands.def"
#undef COMMAND

#endif
