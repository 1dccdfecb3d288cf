/* SPDX-License-Identifier: Apache-2.0 */
/* Who tunes what: pure rules over what is done, under way and left. A problem
 * is tuned by one device at a time and finished once; what its device leaves
 * undone is dealt again. A device may have two lanes, of which one prepares a
 * problem while that of the other comes to its end: what is called a device
 * here is a lane then. */
#ifndef HONE_TUNER_DEAL_H
#define HONE_TUNER_DEAL_H

#include <stddef.h>

typedef enum hone_deal_state {
    HONE_DEAL_LEFT,     /* nobody has it */
    HONE_DEAL_UNDERWAY, /* `device` tunes it */
    HONE_DEAL_DONE,
    HONE_DEAL_GIVEN_UP /* two devices were lost with it */
} hone_deal_state;

typedef struct hone_deal_problem {
    int model; /* of devices: only these may tune it */
    double cost_s;
    hone_deal_state state;
    int device;    /* that tunes it, or was lost with it; -1: none yet */
    int n_lost;    /* devices */
    double left_s; /* of its search, expected; 0: another device is no help,
                      in its set-up or in the final, say */
    int n_helpers; /* devices that are lent to it */
    int is_ending; /* little is left to be compiled for it */
} hone_deal_problem;

typedef enum hone_deal_device_state {
    HONE_DEAL_FREE,
    HONE_DEAL_BUSY, /* with `problem` */
    HONE_DEAL_LENT, /* to `problem` */
    HONE_DEAL_OUT   /* it fell off */
} hone_deal_device_state;

typedef struct hone_deal_device {
    int model;
    hone_deal_device_state state;
    int problem; /* -1: none */
    int beside;  /* the device's other lane, from 1; 0: there is none */
} hone_deal_device;

typedef struct hone_deal {
    hone_deal_problem *problems;
    size_t n_problems;
    hone_deal_device *devices;
    size_t n_devices;
} hone_deal;

/* Less of a search is over before a second device has begun to help. */
#define HONE_DEAL_LEAST_LEFT_S 2.0
/* A problem that so many devices were lost with is given up. */
enum { HONE_DEAL_MOST_LOST = 2 };

typedef struct hone_deal_move {
    int problem; /* -1: none, the device waits */
    int is_loan; /* it helps the device that has the problem */
} hone_deal_move;

/* What a free device does next: the costliest problem that is left, if it can
 * be one with which it was not lost before; none left, help where most is to
 * be done. While its other lane has a problem, nothing before that is ending,
 * and no help. */
hone_deal_move hone__deal_next(const hone_deal *deal, int device);
/* It does it. */
void hone__deal_make(hone_deal *deal, int device, hone_deal_move move);
/* The device has finished its problem; those that helped are free. */
void hone__deal_finish(hone_deal *deal, int device);
/* Its problem came to no end, for a reason of the device; it may stay or be
 * out. The problem is dealt again, or given up: then its number, else -1. */
int hone__deal_lose(hone_deal *deal, int device, int is_out);
/* A lane is out, for no fault of its problem: that is dealt again. */
void hone__deal_take_back(hone_deal *deal, int device);
/* A lent device is free again, or out. */
void hone__deal_return(hone_deal *deal, int device, int is_out);
/* A problem of a model that has no device any more is never finished. */
int hone__deal_can_finish(const hone_deal *deal, int problem);
/* Is anything under way, or can anything be? */
int hone__deal_is_over(const hone_deal *deal);

#endif
