/* SPDX-License-Identifier: Apache-2.0 */
/* One problem on a device: its arguments with inputs, copies of them for
 * cold measurements, and what the outputs must be. */
#ifndef HONE_TUNER_PROBLEM_H
#define HONE_TUNER_PROBLEM_H

#include "gen/parse/template.h"
#include "tuner/device/device.h"
#include "tuner/compile/reference_template.h"
#include "tuner/judge/check_data.h"
#include "tuner/judge/statistics.h"
#include "tuner/trial/variant.h"

enum {
    HONE_MAX_SETS = 128, /* copies of the arguments that cold mode rotates */
    /* What these copies cover, in level 2 caches: three make every execution
     * find other data than the last one left there. What is compared in a
     * final takes two dozen, as far as they fit: on which pages of the memory
     * the copies lie favours one variant or another by a percent, and differs
     * by process. */
    HONE_ROTATION_NONE = 0, /* for verification only */
    HONE_ROTATION_TRIAL = 3,
    HONE_ROTATION_FINAL = 24,
    /* Checks of a template times arrays that they compare. */
    HONE_MAX_CHECKS = 32
};

/* What one check expects of an output array in one pass. */
typedef struct hone_expectation {
    hone_block index;     /* int64 element numbers; base 0: all, in order */
    hone_block value;     /* double; of 64-bit integers the integers */
    hone_block magnitude; /* double; base 0 on integers */
    int64_t count;        /* 0: nothing to compare in this pass */
} hone_expectation;

/* One check of one output array. Those of one `check` statement stand side by
 * side, one for each output of the problem, in order. */
typedef struct hone_check {
    const char *name;
    int output;      /* the argument */
    char label[128]; /* in sentences: the name, and the array if there are
                        several */
    hone_bounds bounds;
    const char *magnitude; /* the template that computes it; NULL */
    hone_expectation expected[HONE_N_PASSES];
    char skipped[256]; /* why it could not be made; "" if it was */
} hone_check;

/* A block that variants must not change, or whose guard bands they must not. */
typedef struct hone_watched {
    enum {
        HONE_WATCH_INPUT,    /* of a pass; also initial values */
        HONE_WATCH_OUTPUT,   /* may be written: only the guards count */
        HONE_WATCH_EXPECTED, /* of a check in a pass */
        HONE_WATCH_COPY,     /* of the rotation */
        HONE_WATCH_WORKSPACE /* of the variant: only the guards count */
    } kind;
    int pass;
    int index; /* argument, check or workspace */
    int set;
    int read_only;
    hone_arg_mode mode; /* of an argument */
    const char *name;   /* of the argument or the check */
    uint64_t hash;      /* of the contents, as they must be */
    const hone_block *block;
} hone_watched;

/* What a variant did to memory that is not its own. */
typedef enum hone_damage {
    HONE_DAMAGE_NONE,
    HONE_DAMAGE_OWN,      /* its inputs, or the guards of its own arrays: can
                             be put right */
    HONE_DAMAGE_NEIGHBOUR /* anything else: nobody knows what else */
} hone_damage;

enum {
    HONE_DAMAGE_TEXT = 256,        /* room for a sentence about it */
    HONE_RUN_TIMED = HONE_N_PASSES /* a run's "pass" if it was timed */
};

typedef struct hone_problem_setup {
    const hone_template *tmpl;
    const hone_launch_spec *spec; /* of the default variant; borrowed */
    const int64_t *dims;          /* completed */
    hone_mode mode;
    int rotation; /* HONE_ROTATION_.. */
    uint64_t seed;
    int show;          /* wrong elements are noted, so many of them */
    const char *dump;  /* folder for the arrays of a wrong run; NULL: none */
    int verifies_dims; /* behind the edge shapes, `dims` themselves .. */
    int dims_alone;    /* .. or without edge shapes */
    const hone_reference *references;
    size_t n_references;
    /* Templates as references and baselines; NULL: there are none. */
    const hone_reference_templates *reference_templates;
    /* A reference is about to run, and "": it has; NULL ok. Whoever hears
     * this and then nothing knows whose fault that is. */
    void (*on_reference)(void *user, const char *name);
    void *user;
} hone_problem_setup;

typedef struct hone_problem {
    hone_device *device;
    const hone_template *tmpl;
    hone_problem_setup setup; /* its `spec` and `dims` are gone */
    hone_resolved resolved;   /* the arguments are those of every variant */
    int64_t amplitude[HONE_N_PASSES]; /* of integers as inputs; 0: reals */
    size_t n_outputs;
    int outputs[HONE_MAX_ARGS]; /* arguments that are written */
    /* Inputs per pass; also the initial value of inout arrays. */
    hone_block pristine[HONE_N_PASSES][HONE_MAX_ARGS];
    hone_scalar scalar[HONE_N_PASSES][HONE_MAX_ARGS];
    hone_drawn drawn[HONE_N_PASSES][HONE_MAX_ARGS]; /* what they are made of */
    unsigned char by_template[HONE_MAX_ARGS]; /* another one writes them */
    hone_block work[HONE_MAX_ARGS]; /* out and inout arrays that are written */
    size_t n_checks;
    hone_check checks[HONE_MAX_CHECKS];
    /* Rotation for timing: args[set] is what a launch takes. Set 0 is the
     * reals and the work arrays. */
    size_t n_sets;
    size_t n_sets_wanted; /* to cover three times the cache; 1 in hot mode */
    hone_timing timing;   /* AUTO, or as it is forced */
    hone_block extra[HONE_MAX_SETS][HONE_MAX_ARGS];
    hone_cu_ptr pointer[HONE_MAX_SETS][HONE_MAX_ARGS];
    void *args[HONE_MAX_SETS][HONE_MAX_ARGS];
    size_t n_watched;
    hone_watched *watched;
} hone_problem;

/* Allocate and fill everything; if memory is short, with fewer copies than
 * wanted. HONE_ERR_NO_MEMORY: the problem does not fit the device, with what
 * is needed and what is free. HONE_ERR_UNSUPPORTED: there is a
 * check and no array that is written. */
hone_status hone__problem_open(hone_device *device,
                               const hone_problem_setup *setup,
                               hone_problem *out, hone_error *err);
void hone__problem_close(hone_problem *problem);

/* Arguments for a verification run: `args` gets a pointer per argument, into
 * `pointers` (HONE_MAX_ARGS of them) for arrays. Poisons `out` arrays and
 * restores `inout` ones. */
hone_status hone__problem_prepare(hone_problem *problem, hone_pass_data pass,
                                  hone_cu_ptr *pointers, void **args,
                                  hone_error *err);

/* Copy a block, if there is one, to `*out`: allocated if it is NULL, else of a
 * block of the same size. "out of host memory for PURPOSE". */
hone_status hone__problem_download(hone_problem *problem,
                                   const hone_block *block, const char *purpose,
                                   const char *what, void **out,
                                   hone_error *err);

/* Element arrays as our kernels take them: complex is twice as many reals. */
int hone__lane_type(hone_type type);
int64_t hone__lane_count(const hone_resolved_arg *arg);

/* What the device can do at most with these arguments. */
hone_roofline hone__problem_roofline(const hone_problem *problem);
/* Bytes of all arrays together. */
int64_t hone__problem_bytes(const hone_problem *problem);
/* Where the argument of a variant is; that of a reference is page-locked where
 * this is host memory of any kind. */
hone_block_kind hone__problem_kind(const hone_problem *problem, size_t arg);
/* Has it arrays in host memory? */
int hone__problem_has_host(const hone_problem *problem);

/* ---- problem_inputs.c ---------------------------------------------------- */

/* Allocate inputs and work arrays, and write the inputs of both passes. */
hone_status hone__problem_inputs(hone_problem *problem, hone_error *err);
/* Inputs of one argument in one pass, written again; not those that another
 * template has written. */
hone_status hone__problem_fill(hone_problem *problem, int pass, size_t arg,
                               hone_error *err);
/* Whether absolute, or other, values of this argument are as good for a
 * reference: not where the template says what they are drawn from, since
 * kernels may take them as indexes. */
int hone__problem_may_change(const hone_problem *problem, size_t arg);

/* ---- problem_sets.c ------------------------------------------------------ */

/* Choose how many copies of the arguments there are, and make them; fewer
 * where memory is short. */
hone_status hone__problem_sets(hone_problem *problem, hone_error *err);
/* Whether a timed run may find its arguments in the level 2 cache. */
int hone__problem_in_cache(const hone_problem *problem);
/* What a person should know about the set-up: a sentence, or "". */
void hone__problem_note(const hone_problem *problem, char *out, size_t size);

/* ---- problem_audit.c ----------------------------------------------------- */

/* Make the list of what is watched, with the hashes as they are now. */
hone_status hone__problem_watch(hone_problem *problem, hone_error *err);
/* Look at what a run of `subject` in `pass` (HONE_RUN_TIMED: or timed
 * executions) had in its hands, or at everything, and at the subject's
 * workspaces. If there is damage, `text` says what. */
hone_status hone__problem_audit(hone_problem *problem, int pass, int all,
                                const hone_subject *subject, hone_damage *out,
                                char text[HONE_DAMAGE_TEXT], hone_error *err);
/* Write inputs, copies and guards anew, those of the subject's workspaces
 * included, and look whether that helped. */
hone_status hone__problem_restore(hone_problem *problem,
                                  const hone_subject *subject,
                                  int *out_restored, hone_error *err);

#endif
