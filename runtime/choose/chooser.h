/* SPDX-License-Identifier: Apache-2.0 */
/* The chooser: which of a few variants, the members, is the fastest at dims
 * that nobody tuned. Each member was timed at each of a list of problems of one
 * operation (one device, one mode, the same types), or its time there was
 * filled in from what it costs and from times near to it; between them its time
 * is predicted, with a doubt.
 *
 *     log time(member, dims) = base(member, dims) + correction(member, dims)
 *
 * The base is what the member's template says that it costs, or that of the
 * operation: what its bytes and its arithmetic take. The correction is a
 * Gaussian process over features of the dims, the same for all members: their
 * sizes and how well these are aligned. README.md has what else was tried.
 *
 * Its life: parse, or create and fill in; prepare, once; then predict and
 * decide any number of times, which allocates nothing. Training changes
 * weights and parameters of a created one, prepares it again and looks at what
 * leaving each problem out gives; so that what was trained is what ships. */
#ifndef HONE_RUNTIME_CHOOSER_H
#define HONE_RUNTIME_CHOOSER_H

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "runtime/expr/expr.h"
#include "runtime/launch/launch_spec.h"

enum {
    HONE_CHOOSER_VERSION = 4,        /* 1: without costs, 2: without places, 3:
                                        places know nothing beside costs */
    HONE_CHOOSER_MEMBERS = 256,      /* at most */
    HONE_CHOOSER_PROBLEMS = 256,     /* at most */
    HONE_CHOOSER_ESTIMATES = 4096,   /* at most */
    HONE_CHOOSER_PLACES = 1152,      /* at most */
    HONE_CHOOSER_AT_PLACE = 8,       /* members of a place, at most */
    HONE_CHOOSER_LEAST_TIMES = 3,    /* a member with fewer is not predicted */
    HONE_CHOOSER_WITHIN = 1 << 28,   /* elements of 8 bytes are 2 GiB */
    HONE_CHOOSER_BESIDE_UNIT = 1000, /* of the text's places: as it costs */
    HONE_CHOOSER_SHA256 = 64         /* hex digits */
};

/* Hyper-parameters: name, default, smallest, largest. All are larger than 0,
 * and better searched on a scale of logarithms. The first three make the base:
 * a run takes launch_ns + bytes / bytes_per_ns + flops / flops_per_ns. */
#define HONE_CHOOSER_PARAMETERS(X)                                             \
    X(launch_ns, 2000, 1, 1e6)    /* of an empty run */                        \
    X(bytes_per_ns, 2000, 1, 1e6) /* what the device copies */                 \
    X(flops_per_ns, 4e5, 1, 1e8)  /* and computes, of these types */           \
    X(trend, 0.14, 1e-3, 10)    /* of log(time) over one unit of a feature */  \
    X(amplitude, 0.3, 1e-3, 10) /* of log(time) beside the trend */            \
    X(length, 3, 0.05, 100)     /* features this far apart have little in      \
                                   common */                                   \
    X(noise, 0.03, 1e-4, 1)     /* of log(time) of one measurement */

#define HONE_CHOOSER_ENUM(name, usual, low, high) HONE_CHOOSER_##name,
enum { HONE_CHOOSER_PARAMETERS(HONE_CHOOSER_ENUM) HONE_N_CHOOSER_PARAMETERS };
#undef HONE_CHOOSER_ENUM

typedef struct hone_chooser_range {
    const char *name;
    double usual, low, high;
} hone_chooser_range;
extern const hone_chooser_range hone__chooser_ranges[HONE_N_CHOOSER_PARAMETERS];

/* Features of each dim: "size.0" is log2 of the first dim, "alignment.0" log2
 * of the largest of 16, 8, 4, 2, 1 that divides it. A weight of 0 leaves one
 * out. A dim whose default is an expression (a leading dimension) and that has
 * it counts only beside one that has not. */
#define HONE_CHOOSER_FEATURES(X)                                               \
    X(size, 1.0)                                                               \
    X(alignment, 0.5)

#define HONE_CHOOSER_ENUM(name, usual) HONE_CHOOSER_##name,
enum { HONE_CHOOSER_FEATURES(HONE_CHOOSER_ENUM) HONE_N_CHOOSER_FEATURES };
#undef HONE_CHOOSER_ENUM

typedef struct hone_chooser_member {
    char launch_sha256[HONE_CHOOSER_SHA256 + 1]; /* of its variant */
    const char *implementation;
    double error; /* standard deviation of log(time), each problem left out
                     once; 0: not known */
    /* n_dims: the largest that it was verified at, each dim for itself; NULL:
     * of none, and then it is not predicted. See hone__chooser_reaches(). */
    int64_t *reach;
    size_t cost; /* the estimate that is it, in any unit, from 1; 0: none */
} hone_chooser_member;

/* An expression over dims, and others in front of it. */
typedef struct hone_chooser_estimate {
    hone_expr *expr;
    size_t end; /* of those that it reads, in `reads`: they begin where those of
                   the one in front end */
} hone_chooser_estimate;

/* Dims, whether anything was measured there or not, and who is likely to be the
 * best at dims like these. */
typedef struct hone_chooser_place {
    const int64_t *dims; /* n_dims */
    int16_t members[HONE_CHOOSER_AT_PLACE];
    float beside[HONE_CHOOSER_AT_PLACE]; /* log of what each takes there for
                                            what it costs, beside others */
    size_t n_members;
} hone_chooser_place;

/* What prepare() makes; chooser_model.c. */
typedef struct hone_chooser_model hone_chooser_model;

typedef struct hone_chooser {
    hone_arena arena; /* of all but the model */
    const char *op;
    size_t n_dims, n_members, n_problems;
    hone_chooser_member *members;
    /* What costs read, each those before it: dims are d0, d1, .., these e0,
     * e1, .. */
    hone_chooser_estimate *estimates;
    size_t n_estimates;
    uint16_t *reads; /* numbers of estimates */
    size_t n_reads;
    /* With places, a decision looks at the members of the nearest ones, and at
     * those that no place has; without any, at all members. */
    hone_chooser_place *places;
    size_t n_places;
    /* Of a chooser that is being made, NULL of one that was read: what places
     * have, of each member at each problem (n_problems x n_members). In the
     * text it is taken off the times. */
    double *beside;
    int64_t *dims;   /* n_problems x n_dims */
    double *time_ns; /* n_problems x n_members, measured or filled in; 0: not
                        known, or not right */
    double weights[HONE_N_CHOOSER_FEATURES][HONE_MAX_DIMS];
    double parameters[HONE_N_CHOOSER_PARAMETERS];
    double error;      /* of all members together; 0: not known */
    double gain_error; /* the same of the difference of two good members'
                          log(time): what they have in common does not count */
    hone_chooser_model *model; /* NULL: not prepared */
} hone_chooser;

/* ---- chooser.c: what it has -----------------------------------------------
 */

/* With the usual weights (those of sizes and alignments alike, for all dims)
 * and parameters, and zeros: members, reaches, dims and times are the
 * caller's to fill in. HONE_ERR_ARGUMENT: too many of something. */
hone_status hone__chooser_create(const char *op, size_t n_dims,
                                 size_t n_members, size_t n_problems,
                                 hone_chooser **out, hone_error *err);
hone_status hone__chooser_set_member(hone_chooser *chooser, size_t member,
                                     const char *launch_sha256,
                                     const char *implementation,
                                     hone_error *err);
hone_status hone__chooser_set_reach(hone_chooser *chooser, size_t member,
                                    const int64_t *dims, hone_error *err);
/* HONE_ERR_ARGUMENT: too many; HONE_ERR_INPUT: it is no such expression. */
hone_status hone__chooser_add_estimate(hone_chooser *chooser, const char *text,
                                       size_t length, hone_error *err);
/* Forget all but the first `n`. */
void hone__chooser_keep_estimates(hone_chooser *chooser, size_t n);
/* `beside`: of each member. HONE_ERR_ARGUMENT: too many, or no such member. */
hone_status hone__chooser_add_place(hone_chooser *chooser, const int64_t *dims,
                                    const size_t *members, const float *beside,
                                    size_t n_members, hone_error *err);
void hone__chooser_free(hone_chooser *chooser); /* NULL is a no-op */

/* Is the member verified at dims as large as these? A dim that follows others,
 * as its default says, is bounded by them; together they may pass 32 bits where
 * each does not, so that it counts beyond HONE_CHOOSER_WITHIN. `values`:
 * hone__chooser_values(). */
int hone__chooser_reaches(const hone_chooser *chooser, size_t member,
                          const int64_t *dims, const double *values);

/* ---- chooser_parse.c, chooser_write.c: its text ---------------------------
 *
 * One statement a line, words separated by one blank; README.md has all. */

/* HONE_ERR_INPUT names the line; also where the first line is that of a later
 * version, or of no chooser at all. */
hone_status hone__chooser_parse(const char *text, hone_chooser **out,
                                hone_error *err);
hone_status hone__chooser_write(const hone_chooser *chooser, hone_text *out,
                                hone_error *err);

/* ---- chooser_model.c, chooser_predict.c: prediction -----------------------
 */

/* Make ready to predict, from what it has now; once more after a change.
 * `plan` is any member's launch plan with the device; its dims are not read.
 * One that declares neither flops nor bytes will do, too: the base is
 * constant then. HONE_ERR_INPUT: dims that the plan cannot have, or too little
 * noise for its problems. HONE_ERR_NO_MEMORY. */
hone_status hone__chooser_prepare(hone_chooser *chooser,
                                  const hone_launch_case *plan,
                                  hone_error *err);

typedef struct hone_chooser_guess {
    double log_ns;
    double doubt; /* standard deviation of it; negative: no prediction, the
                     member was measured nowhere, does not reach so far, its
                     cost has no value there, or other members' places are
                     nearer */
} hone_chooser_guess;

typedef struct hone_chooser_guesses {
    size_t n; /* members */
    hone_chooser_guess of[HONE_CHOOSER_MEMBERS];
    size_t n_predicted; /* members with a prediction, in their order */
    uint16_t predicted[HONE_CHOOSER_MEMBERS];
    double gain_doubt; /* standard deviation of the difference of two */
} hone_chooser_guesses;

/* All members at the dims of `plan` (completed, as prepared; n_dims of them),
 * which a plan of the same operation must accept. Whether a member's
 * constraints hold is not asked. It takes some 50 KB of stack. */
void hone__chooser_predict(const hone_chooser *chooser,
                           const hone_launch_case *plan,
                           hone_chooser_guesses *out);

/* ---- chooser_errors.c: how far it is off, for training --------------------
 */

/* The same at problem `i`, with that problem left out of what is known, and
 * reach not asked. */
void hone__chooser_predict_without(const hone_chooser *chooser, size_t i,
                                   hone_chooser_guesses *out);
/* Sets all `error`s and `gain_error` from leaving each problem out once; how
 * sure of a guess one is follows them. */
void hone__chooser_measure_errors(hone_chooser *chooser);

/* ---- chooser_decide.c: the choice -----------------------------------------
 */

enum { HONE_CHOOSER_NOBODY = -1 };

typedef struct hone_chooser_decision {
    int member;     /* HONE_CHOOSER_NOBODY: none is predicted */
    int best;       /* the one with the shortest predicted time */
    int safe;       /* the best of the safe ones where `best` is none of them,
                       else HONE_CHOOSER_NOBODY; `member` is one of the two */
    double time_ns; /* predicted, of `member` */
    double doubt;   /* of it, relative: 0.05 */
    double gain; /* of `best` over `safe`, relative; 0: there is no safe one */
    double gain_doubt;
} hone_chooser_decision;

/* The member with the shortest predicted time of those that `may` (n_members
 * flags; NULL: all), but the best of the `safe` ones (n_members flags: the
 * vendor's, the default; NULL: none) where the gain over it is within the
 * doubt. */
void hone__chooser_decide(const hone_chooser_guesses *guesses,
                          const unsigned char *may, const unsigned char *safe,
                          hone_chooser_decision *out);

#endif
