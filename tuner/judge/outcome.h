/* SPDX-License-Identifier: Apache-2.0 */
/* What became of one variant on one problem: outcomes, verdicts, the elements
 * that are wrong, and of many variants why none was good. A variant that
 * fails is data, not an error of the tuner. */
#ifndef HONE_TUNER_OUTCOME_H
#define HONE_TUNER_OUTCOME_H

#include "runtime/base/text.h"
#include "runtime/launch/launch_spec.h"

/* X(NAME, value, spelling, meaning). Spellings are in the database. */
#define HONE_OUTCOME_MAP(X)                                                    \
    X(OK, 0, "ok", "verified and timed")                                       \
    X(CONSTRAINT, 1, "constraint", "a constraint rejects it")                  \
    X(COMPILE, 2, "compile", "the compiler rejects it")                        \
    X(LIMITS, 3, "limits", "needs more than the device has")                   \
    X(LAUNCH, 4, "launch", "the driver refuses to load or launch it")          \
    X(FAULT, 5, "fault", "it killed its context or its process")               \
    X(TIMEOUT, 6, "timeout", "it did not finish in time")                      \
    X(WRONG, 7, "wrong", "its result is wrong or it writes out of bounds")     \
    X(UNSTABLE, 8, "unstable", "its time or result changes from run to run")

typedef enum hone_outcome {
#define HONE_OUTCOME_ENUM(name, value, spelling, meaning)                      \
    HONE_OUTCOME_##name = value,
    HONE_OUTCOME_MAP(HONE_OUTCOME_ENUM)
#undef HONE_OUTCOME_ENUM
        HONE_N_OUTCOMES
} hone_outcome;

const char *hone__outcome_name(hone_outcome outcome);
/* HONE_N_OUTCOMES if there is no such spelling. */
hone_outcome hone__outcome_find(const char *name);

/* ---- how times are taken ------------------------------------------------- */

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

/* Clocks, power and temperature while something runs. */
typedef struct hone_clocks {
    int available;    /* 0: nothing could be read, all values are -1 */
    int sm_clock_mhz; /* each is -1 if the device does not tell */
    int memory_clock_mhz;
    int power_mw;
    int temperature_c;
    int64_t clock_reasons; /* why the clocks are not higher: samples.h */
} hone_clocks;

/* ---- wrong elements ------------------------------------------------------ */

/* The first elements of an output that are wrong: as they travel from the
 * worker to who shows them. */
enum { HONE_MAX_WRONG_SHOWN = 32 };

/* Of integers of 64 bits `got` and `expected` are as near as doubles come. */
typedef struct hone_wrong_element {
    int64_t index; /* of its part, where numbers are complex */
    double got;
    double expected;
    double bound; /* how far off it may be */
    int64_t got_long;
    int64_t expected_long;
} hone_wrong_element;

typedef struct hone_wrong {
    char array[64]; /* "" : nothing is shown */
    char run[40];   /* "integers", .. */
    int type;       /* of elements; of complex numbers, of their parts */
    int n_parts;    /* 2: complex numbers */
    int n_dims;
    int64_t dims[HONE_MAX_RANK];
    int64_t n_wrong;
    int64_t n_compared;
    int is_dumped; /* its arrays are in files */
    int n_shown;
    hone_wrong_element shown[HONE_MAX_WRONG_SHOWN];
} hone_wrong;

/* "[3][7]", "[5].imag": where the element stands in its array. */
void hone__wrong_place(const hone_wrong *wrong, int64_t index, hone_text *out);
/* A value as its type writes it: "-0.125", "nan", an integer in full. */
void hone__wrong_value(const hone_wrong *wrong, double value,
                       int64_t value_long, hone_text *out);
/* "y[3] = 1.5, expected 2.5, off by 1 (allowed 1e-07)". */
void hone__wrong_sentence(const hone_wrong *wrong,
                          const hone_wrong_element *element, hone_text *out);

/* ---- verdicts ------------------------------------------------------------ */

/* On what a variant was verified beside its problem. */
typedef struct hone_coverage {
    int n_shapes;        /* that its constraints allow */
    int n_compared;      /* comparisons with a reference, on all of them */
    char shapes[320];    /* their integer dimensions: "n=1, n=61" */
    char unchecked[200]; /* a check that was left out there, and why; "" */
} hone_coverage;

typedef struct hone_verdict {
    hone_outcome outcome; /* ok, wrong, unstable, fault or launch */
    int n_compared;       /* checks that compared something; 0: only the
                             memory was checked */
    double error_ratio;   /* worst error over its bound, on the reals */
    char message[320];    /* what is wrong */
    int damaged; /* it wrote where it must not; that is put right again .. */
    int leaving; /* .. but not surely all of it: the process must end */
    hone_coverage coverage; /* of edge shapes */
    hone_wrong wrong;       /* elements, if they are to be shown */
    double run_ns; /* of the last run, launching it included; 0: unknown */
} hone_verdict;

/* One run of a verification. */
typedef struct hone_verify_run {
    int pass;         /* hone_pass_data */
    const char *name; /* in sentences */
    uint32_t left;    /* in each word of shared memory, before */
} hone_verify_run;

/* What the helper kernel `hone_compare` finds; as in device_code.cu. */
typedef struct hone_compared {
    uint64_t n_bad;
    uint64_t first_bad;   /* ~0 if none */
    uint64_t n_nan;       /* of the bad ones */
    uint64_t n_unbounded; /* bad ones whose bound is 0 or no number */
    uint64_t n_loose;     /* elements where 0 would pass that are not 0 .. */
    uint64_t n_tight;     /* .. and where it would not */
    double error2;        /* squares of 2-norms: of what it is off by .. */
    double magnitude2;    /* .. of the magnitudes .. */
    double value2;        /* .. and of the reference */
    uint32_t worst_ratio; /* bits of a float: the largest error / bound */
    uint32_t unused;
} hone_compared;

/* How an output compares with what is expected. */
typedef struct hone_comparison {
    int exact;           /* bit for bit: there are no bounds */
    double worst_ratio;  /* error over its bound, where there is one */
    double norm_ratio;   /* of the whole array; 0: not bounded */
    hone_compared found; /* n_loose and n_tight 0 where they do not matter */
} hone_comparison;

void hone__verdict_set_wrong(hone_verdict *verdict, const char *text);
/* What is wrong was right in so many of `n` runs like it: unstable. */
void hone__verdict_set_unstable(hone_verdict *verdict, int n_right, int n);
/* Count a comparison of `count` elements in; outcome wrong if some are. */
void hone__verdict_compared(hone_verdict *verdict, const char *check,
                            const hone_verify_run *run,
                            const hone_comparison *result, int64_t count);

/* ---- why nothing was good: many variants in one sentence ----------------- */

/* Different sentences that are counted; later ones are not. One that is the
 * most frequent of thousands is among the first few. */
enum { HONE_MOST_COMPLAINTS = 32 };

typedef struct hone_complaint {
    hone_outcome outcome;
    int64_t n;
    char text[320]; /* one line */
} hone_complaint;

typedef struct hone_failures {
    int64_t outcomes[HONE_N_OUTCOMES]; /* ok ones included */
    size_t n_complaints;
    hone_complaint complaints[HONE_MOST_COMPLAINTS];
} hone_failures;

/* `n` variants came to the same end. `message` may have several lines, as a
 * compiler's log: the first that says error counts, else the first of all. */
void hone__failures_add(hone_failures *failures, hone_outcome outcome,
                        const char *message, int64_t n);

/* Where that line begins, and how long it is with what the compiler quotes
 * below it. */
const char *hone__complaint_find(const char *message, size_t *out_length);

/* "336 of 336: limits; most often (200 times): ..", "" if nothing failed. */
void hone__failures_text(const hone_failures *failures, char *out, size_t size);

#endif
