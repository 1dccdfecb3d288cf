/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the CUDA driver that tell of the machine and not of what ran: a
 * memory error of the card, a card that is gone, a driver that was replaced
 * underneath. A variant that happened to run then is not to blame. */
#ifndef HONE_TUNER_MACHINE_FAULT_H
#define HONE_TUNER_MACHINE_FAULT_H

#include "runtime/base/error.h"

enum { HONE_CARD_IS_GONE = 101 };

/* X(code, what it says). CUresult; names in comments of machine_fault.c. */
#define HONE_MACHINE_FAULT_MAP(X)                                              \
    X(46, "the card is not to be had: another process has it for itself, or "  \
          "it was reset")                                                      \
    X(100, "no card answers any more")                                         \
    X(HONE_CARD_IS_GONE, "the card is gone: it fell off the bus, needs a "     \
                         "reset, or its driver was replaced")                  \
    X(214, "the card reported a memory error that it cannot correct (ECC)")    \
    X(220, "a link between cards reported an error that it cannot correct")    \
    X(304, "the operating system refused a call of the driver")                \
    X(721, "the card contained an error of its memory or of a link")           \
    X(802, "the driver is not ready: a service of the system (the fabric "     \
           "manager) does not run")                                            \
    X(803, "the driver was replaced while this process ran or without a "      \
           "restart: its parts do not fit each other")                         \
    X(804, "the driver does not fit this card")                                \
    X(805, "the service that shares the card (MPS) does not answer")           \
    X(806, "the service that shares the card (MPS) does not answer")           \
    X(807, "the service that shares the card (MPS) is not ready")              \
    X(810, "the service that shares the card (MPS) ended this process")

/* What such an error says; NULL: it is none. */
const char *hone__machine_fault(const hone_error *err);

#endif
