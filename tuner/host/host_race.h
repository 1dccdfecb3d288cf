/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing to check without the race build. */
#ifndef HONE_TUNER_HOST_RACE_H
#define HONE_TUNER_HOST_RACE_H

#include <host_memory.h>

namespace hone_host {

#ifndef HONE_HOST_RACE
inline void race_at_barrier(worker &)
{
}
inline void race_at_syncwarp(thread **, unsigned)
{
}
inline bool race_prepare(worker &, unsigned char *, size_t,
                         unsigned char *const *, const size_t *)
{
    return true;
}
inline void race_begin_block(worker &)
{
}
inline void race_release(worker &)
{
}
inline void race_copy_begins(void *, size_t)
{
}
#endif

} /* namespace hone_host */

#endif
