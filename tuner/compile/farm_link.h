/* SPDX-License-Identifier: Apache-2.0 */
/* A compile farm in the parent process, used by several of its children, each
 * of which sees a farm as farm.h has it: the child's end of the pipes
 * (farm_link.c) and what the parent does for all of them (farm_share.c).
 * Messages that are not about compiling go to whoever owns the pipes. */
#ifndef HONE_TUNER_FARM_LINK_H
#define HONE_TUNER_FARM_LINK_H

#include "tuner/compile/farm.h"

/* Kinds of messages; those of the owner are below these. */
enum {
    HONE_LINK_COMPILE = 0x1000, /* to the parent: number, input */
    HONE_LINK_FORGET,           /* to the parent: number, not wanted any more */
    HONE_LINK_COMPILED          /* from the parent: number, output */
};

/* ---- in the child -------------------------------------------------------- */

typedef struct hone_linked_job {
    int64_t number; /* of the link */
    hone_farm *farm;
    int64_t job; /* of that farm */
} hone_linked_job;

/* A message of the owner's; valid until it returns. */
typedef hone_status hone_link_other(void *user, uint32_t kind, hone_unpack *in,
                                    hone_error *err);

struct hone_farm_link {
    hone_worker parent; /* no child, but pipes to somebody all the same */
    int n_workers;
    hone_toolchain toolchain;
    hone_linked_job *jobs; /* under way */
    size_t n_jobs;
    int64_t next;
    hone_link_other *on_other;
    void *user;
};

/* `farm` is the parent's, as this process inherited it. */
void hone__farm_link_open(hone_farm_link *link, const hone_farm *farm,
                          int from_parent, int to_parent,
                          hone_link_other *on_other, void *user);
void hone__farm_link_close(hone_farm_link *link);
/* Handle what the parent has said. HONE_ERR_IO: it is gone. */
hone_status hone__farm_link_read(hone_farm_link *link, hone_error *err);

/* For farm.c: a farm on this link, its jobs, and their end. */
void hone__farm_link_join(hone_farm_link *link, hone_farm *farm);
hone_status hone__farm_link_submit(hone_farm_link *link, hone_farm *farm,
                                   int64_t job, const hone_compile_input *input,
                                   hone_error *err);
void hone__farm_link_forget(hone_farm_link *link, hone_farm *farm);

/* ---- in the parent ------------------------------------------------------- */

typedef struct hone_shared_job hone_shared_job;

/* What the compile processes did, and what waited for them. */
typedef struct hone_farm_use {
    double wall_s;   /* since the farm opened */
    double busy_s;   /* of all processes together */
    double queued_s; /* that jobs waited for a process, together */
    int64_t n_jobs;  /* compiled or from the cache */
    int64_t n_cached;
    int n_workers;
} hone_farm_use;

typedef struct hone_farm_share {
    hone_farm *farm;
    hone_worker *const *clients; /* those that it serves */
    size_t n_clients;
    hone_shared_job *jobs; /* in the order they came */
    int64_t next;
    hone_farm_use use;
    double looked_s;
    hone_status status; /* what a callback could not return */
    hone_error error;
} hone_farm_share;

/* Start the farm and wait for its compiler. Clients may be added until
 * hone__farm_share_turn(). Close it in any case. */
hone_status hone__farm_share_open(hone_farm_share *share,
                                  const hone_farm_options *options,
                                  hone_error *err);
void hone__farm_share_close(hone_farm_share *share);
/* A message of a client: 1 if it was about compiling. */
int hone__farm_share_take(hone_farm_share *share, size_t client, uint32_t kind,
                          hone_unpack *in);
/* A client is gone: what it asked for is not compiled. */
void hone__farm_share_drop(hone_farm_share *share, size_t client);
/* Wait a moment for the farm or a client, as hone__farm_turn(). */
hone_status hone__farm_share_turn(hone_farm_share *share, hone_error *err);

#endif
