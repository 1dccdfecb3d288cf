/* SPDX-License-Identifier: Apache-2.0 */
/* How times are taken: words that requests, reports and rows share. */
#ifndef HONE_TUNER_TIMING_H
#define HONE_TUNER_TIMING_H

/* How a sample is taken: a CUDA graph that is replayed, or launches between
 * two events. AUTO takes graphs for short executions. */
typedef enum hone_timing {
    HONE_TIMING_AUTO,
    HONE_TIMING_EVENT,
    HONE_TIMING_GRAPH
} hone_timing;
const char *hone__timing_name(hone_timing timing); /* "auto", "event", .. */

typedef enum hone_mode { HONE_MODE_COLD, HONE_MODE_HOT } hone_mode;
const char *hone__mode_name(hone_mode mode); /* "cold", "hot" */

#endif
