/* SPDX-License-Identifier: Apache-2.0 */
/* The launch plan: how one variant is launched at any shape. gen/ writes it
 * as text beside the cubin, the database keeps it, the runtime and the tuner
 * read it. One statement a line; `E` is an expression (expr.h) over symbols,
 * dims, params and lets that stand above it, and device.NAME (properties.h).
 * A line is at most 4095 bytes. Unknown statements are an error: the version
 * in the first line changes whenever one is added. A text has the lowest
 * version that knows all its statements, so that an older runtime reads what
 * it can, and a plan stays the same text when the language grows.
 *
 *   hone-launch 1                    # what is marked (2) needs version 2 ..
 *   op gemm
 *   symbol m16n16k16 1000            # value of an enumeration's name
 *   dim M int                        # problem dimensions, in order
 *   dim T type 4                     # with a default (element type code)
 *   dim TRANS choice 0               # (2) one of a few integers, default
 *   dim LDA int TRANS ? M : K        # (5) an expression of the dims above
 *   dim n size                       # (6) an int that may be 0
 *   param BM 128
 *   real-param ALPHA 0.5 4602678819172646912
 *                                    # (3) as configurations spell it, and the
 *                                    # bits of the double
 *   unstated STAGES                  # (3) a param that configurations leave
 *                                    # out where it does not exist
 *   let WARPS (BM/WM)*(BN/WN)
 *   arg A in 1 M*K                   # name, in|out|inout, type code, count
 *   arg alpha scalar 4               # scalar argument, type code
 *   shape A M ; K                    # (3) extents of an arg, the outermost
 *                                    # first; without: one, the count
 *   optional bias HAS_BIAS           # (3) where it is 0 the array is a null
 *                                    # pointer and has no elements
 *   host x PINNED                    # (7) the array is in host memory; where
 *                                    # it is not 0, in page-locked one
 *   require WARPS*32 <= 1024         # those that read dims or the device
 *   workspace partial 4 SPLIT_K > 1 ? SPLIT_K*M*N : 0
 *   workspace ticket 10 zero 1       # zeroed once; a run leaves it zeroed
 *   workspace sums 4 zero-each N     # (2) zeroed before every run
 *   constant taps 4 h K ; K <= 512   # (2) constant memory: symbol, type,
 *                                    # source argument, elements ; if
 *   tensormap A_MAP A                # (2) name and array; its parts follow
 *   map if USE_TMA
 *   map dims K ; M                   # elements, the innermost first
 *   map strides K*2                  # bytes, of all dims but the innermost
 *   map box BK ; BM                  # elements
 *   map elements 1 ; 2               # element strides, else 1
 *   map swizzle 128                  # bytes, else 0; as are l2 and fill
 *   pipeline n CHUNK ; 3 ; STAGING   # (7) dim that is cut, rows of a chunk,
 *                                    # streams, staging
 *   launch gemm_main                 # kernel symbol; clauses follow
 *   repeat STEP ceildiv(STEPS,S)     # (6) so many times, and the name of the
 *                                    # number of the repetition, from 0: the
 *                                    # `if`, `grid` and parameters below read
 *                                    # it. Without an expression: together
 *                                    # with the launch above, of that name
 *   if SPLIT_K > 1
 *   grid ceildiv(N,BN) ; ceildiv(M,BM) ; SPLIT_K
 *   block WARPS*32 ; 1 ; 1
 *   shared SMEM                      # dynamic shared memory, bytes
 *   cluster 2 ; 1 ; 1                # (2) blocks of a cluster
 *   cooperative                      # (2) all blocks run at the same time
 *   early                            # (8) may start while what stands in
 *                                    # front of it on the stream still runs
 *   pass A                           # kernel parameters, in order: an
 *   pass partial                     # argument, a workspace, a tensor map,
 *   value i32 M                      # or a value: i32|i64|f32 (3)|f64 (3),
 *                                    # expression
 *   real f32 ALPHA                   # (3) f32|f64, the bits of a double
 *   pick A partial ; STEP%2          # (6) one of these, counted from 0
 *   work flops 2*M*N*K
 *   work bytes 2*(M*K+K*N)+4*M*N
 *
 * In place of launches, and of workspaces, constants and tensor maps, a
 * function of a vendor's library (runtime/vendor):
 *
 *   vendor cublaslt.gemm             # (4) its name; what follows is about it
 *   vendor-rank 3                    # (4) place in the list of what the
 *                                    # library proposes, from 0; without: 0
 *   vendor-version 130100            # (4) of the library that was asked
 *   vendor-algorithm 2a00..          # (4) what it proposed, bytes in hex;
 *                                    # without, it is asked again
 *   vendor-workspace 33554432        # (4) bytes that it was measured with
 */
#ifndef HONE_RUNTIME_LAUNCH_SPEC_H
#define HONE_RUNTIME_LAUNCH_SPEC_H

#include "runtime/base/error.h"
#include "runtime/base/device_properties.h"
#include "runtime/launch/tensor_map.h"

#include <stddef.h>
#include <stdint.h>

enum {
    HONE_MAX_DIMS = 20,
    HONE_MAX_ARGS = 24,
    HONE_MAX_RANK = 3, /* extents of an array */
    HONE_MAX_WORKSPACES = 8,
    HONE_MAX_LAUNCHES = 8,
    /* of a resolved plan: those of a chunk, and of the last, shorter one */
    HONE_MAX_RESOLVED_LAUNCHES = 2 * HONE_MAX_LAUNCHES,
    HONE_MAX_STREAMS = 16, /* of a pipeline */
    HONE_MAX_CONSTANTS = 4,
    HONE_CONSTANT_BYTES = 65536, /* constant memory of a module, all devices */
    HONE_PORTABLE_CLUSTER = 8,   /* blocks that every device can hold */
    HONE_MAX_CLUSTER = 16,       /* with the non-portable attribute */
    HONE_MAX_PASSED = 40,        /* kernel parameters of one launch */
    HONE_MAX_PICKED = 8,         /* arrays that one of them is picked from */
    HONE_MAX_REPETITIONS = 1000000, /* of a launch */
    HONE_VENDOR_ALGORITHM_BYTES = 64
};

typedef struct hone_launch_spec hone_launch_spec;

/* When a workspace is set to zero. */
typedef enum hone_zero {
    HONE_ZERO_NEVER,
    HONE_ZERO_ONCE, /* when it is allocated; each run leaves it zeroed */
    HONE_ZERO_EACH  /* on the stream, before every run */
} hone_zero;

/* One kernel parameter of a resolved launch. */
typedef enum hone_pass_kind {
    HONE_PASS_ARG,       /* index: argument */
    HONE_PASS_WORKSPACE, /* index: workspace */
    HONE_PASS_I32,       /* value */
    HONE_PASS_I64,       /* value */
    HONE_PASS_MAP,       /* index: tensor map */
    HONE_PASS_F32,       /* value: the bits of the float */
    HONE_PASS_F64        /* value: the bits of the double */
} hone_pass_kind;

typedef struct hone_pass {
    hone_pass_kind kind;
    int index;
    int64_t value;
} hone_pass;

/* How a kernel is launched. */
typedef struct hone_launch_shape {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned cluster[3]; /* 1, 1, 1: none */
    int cooperative;
    int early; /* on devices that can: sm_90 and newer */
} hone_launch_shape;

static inline unsigned hone__volume(const unsigned extents[3])
{
    return extents[0] * extents[1] * extents[2];
}

/* Do its blocks wait for each other? The cpu device has no such launches. */
static inline int hone__launch_is_together(const hone_launch_shape *shape)
{
    return shape->cooperative || hone__volume(shape->cluster) > 1;
}

/* Does it need more than cuLaunchKernel? */
static inline int hone__launch_is_special(const hone_launch_shape *shape)
{
    return shape->early || hone__launch_is_together(shape);
}

/* Of one that is repeated: the parameters of its first repetition, and the
 * largest of its grids. hone__launch_repetitions() has all. */
typedef struct hone_resolved_launch {
    const char *kernel; /* borrowed from the spec */
    hone_launch_shape shape;
    size_t n_passed;
    hone_pass passed[HONE_MAX_PASSED];
    int repeat; /* launches with the same one are repeated together, and follow
                   each other; 0: it is launched once */
    int64_t n_repetitions;
    size_t in_spec; /* which launch of the spec it is */
} hone_resolved_launch;

typedef struct hone_resolved_arg {
    const char *name; /* borrowed from the spec */
    hone_arg_mode mode;
    hone_type type;
    int64_t count; /* elements; 1 for a scalar */
    int64_t size_bytes;
    int is_absent;                  /* a null pointer */
    size_t rank;                    /* 0: a scalar */
    int64_t extents[HONE_MAX_RANK]; /* whose product is `count` */
    int is_host;                    /* callers pass a host pointer */
    int is_pinned;                  /* to page-locked memory */
    int is_cut;                     /* a chunk has some of its rows */
    int64_t copy_bytes; /* of a host array: what a run needs on the device */
} hone_resolved_arg;

/* Device memory of a chunk begins at such an address. */
enum { HONE_CHUNK_ALIGN_BYTES = 256 };

/* What lies between two of them, for a chunk of so many bytes. */
static inline int64_t hone__chunk_place(int64_t chunk_bytes)
{
    return (chunk_bytes + HONE_CHUNK_ALIGN_BYTES - 1) / HONE_CHUNK_ALIGN_BYTES *
           HONE_CHUNK_ALIGN_BYTES;
}

/* How a plan with arrays in host memory is run: in chunks of `n_rows`, a few
 * of them at a time. */
typedef struct hone_resolved_pipeline {
    int is_used; /* 0: all arrays are on the device */
    int is_staged;
    int64_t n_rows; /* of the dim that is cut; nothing is: 1 */
    int64_t n_chunk_rows;
    unsigned n_slots;  /* chunks at a time; 1: on the caller's stream */
    size_t n_launches; /* of a chunk; behind them are those of the last one,
                          where it is shorter */
} hone_resolved_pipeline;

typedef struct hone_resolved_workspace {
    const char *name; /* borrowed from the spec */
    hone_type type;
    int64_t size_bytes;
    hone_zero zero;
} hone_resolved_workspace;

/* Constant memory that is filled from an argument before the launches. */
typedef struct hone_resolved_constant {
    const char *name; /* the module's symbol; borrowed from the spec */
    int arg;          /* an array */
    int64_t size_bytes;
} hone_resolved_constant;

typedef struct hone_resolved_map {
    int wanted;                /* 0: its `if` is false, nothing else is set */
    hone_pass_kind array_kind; /* HONE_PASS_ARG or HONE_PASS_WORKSPACE */
    int array;
    hone_tensor_map shape; /* its rules hold; names borrowed from the spec */
} hone_resolved_map;

/* A function of a vendor's library, and which of the algorithms that it
 * proposes. */
typedef struct hone_vendor_algorithm {
    const char *function; /* "cublaslt.gemm"; borrowed, NULL: none */
    int64_t rank;         /* in the list of the library's proposals, from 0 */
    int64_t version;      /* of the library that proposed it; 0: not known */
    int64_t workspace_bytes;
    size_t n_algorithm_bytes; /* 0: the library is asked by rank */
    unsigned char algorithm[HONE_VENDOR_ALGORITHM_BYTES];
} hone_vendor_algorithm;

/* A launch plan with its expressions evaluated for one problem. Launches
 * and constants whose `if` is false are left out. */
typedef struct hone_resolved {
    size_t n_dims;
    int64_t dims[HONE_MAX_DIMS];          /* defaults filled in */
    const char *dim_names[HONE_MAX_DIMS]; /* the plan's */
    size_t n_args;
    hone_resolved_arg args[HONE_MAX_ARGS];
    size_t n_workspaces;
    hone_resolved_workspace workspaces[HONE_MAX_WORKSPACES];
    size_t n_constants;
    hone_resolved_constant constants[HONE_MAX_CONSTANTS];
    size_t n_maps;
    hone_resolved_map maps[HONE_MAX_MAPS];
    size_t n_launches;
    hone_resolved_launch launches[HONE_MAX_RESOLVED_LAUNCHES];
    hone_resolved_pipeline pipeline;
    int is_nothing;                      /* see above; no launch, no vendor */
    const hone_vendor_algorithm *vendor; /* in place of launches; borrowed from
                                         the spec, NULL: none */
    int64_t flops;                       /* 0 if not declared */
    int64_t bytes;
    const hone_launch_spec *spec; /* borrowed, for repetitions */
    hone_properties properties;
} hone_resolved;

/* HONE_ERR_INPUT names the line. Free with hone__launch_spec_free(). */
hone_status hone__launch_spec_parse(const char *text, hone_launch_spec **out,
                                    hone_error *err);
void hone__launch_spec_free(hone_launch_spec *spec);

/* Is the plan for this configuration, "BM=128,WMMA=m16n16k16"? It must have
 * a value for each of the plan's params, but for those that may be left
 * unstated, and for nothing else.
 * HONE_ERR_DATABASE says what differs. */
hone_status hone__launch_spec_check_config(const hone_launch_spec *spec,
                                           const char *config, hone_error *err);

/* Fill in defaults (of dims behind n_dims, and of HONE_DIM_DEFAULT) and check:
 * count, integers >= 0 (others are HONE_ERR_DIMS with the name of the
 * dimension); hone__launch_case_check_sizes() says whether 0 is allowed. */
hone_status hone__launch_spec_complete_dims(const hone_launch_spec *spec,
                                            const int64_t *dims, size_t n_dims,
                                            int64_t *out_dims, hone_error *err);
/* Which of these dims, all of them given, have their defaults: bit i for the
 * i-th. */
unsigned hone__launch_spec_defaults(const hone_launch_spec *spec,
                                    const int64_t *dims);

/* Of dims whose default is an expression what it is for these dims, all of them
 * given; -1 where it has no value, and of all others. */
void hone__launch_spec_derived(const hone_launch_spec *spec,
                               const int64_t *dims, int64_t *out);

/* A launch plan for one problem on one device: all that its expressions
 * read. Borrowed. */
typedef struct hone_launch_case {
    const hone_launch_spec *spec;
    const int64_t *dims;
    size_t n_dims;
    const hone_properties *properties;
} hone_launch_case;

/* May these sizes be 0, all dims being given? Those that the operation says so
 * of may, and others where nothing is to be done, `*out_is_nothing`: a size is
 * 0 and no array that is written has elements. Else HONE_ERR_DIMS names the
 * dimension. Without properties, what reads them is not known. */
hone_status hone__launch_case_check_sizes(const hone_launch_case *plan,
                                          int *out_is_nothing, hone_error *err);

/* Evaluate everything; where nothing is to be done, the arguments alone.
 * HONE_ERR_DIMS,
 * HONE_ERR_CONSTRAINT (a require is false, the sentence quotes it; the
 * constants do not fit constant memory; CUDA does not allow a tensor map; more
 * repetitions than HONE_MAX_REPETITIONS),
 * HONE_ERR_OVERFLOW, HONE_ERR_INPUT (a grid, block or cluster outside CUDA's
 * limits). `out` borrows names from `spec`. */
hone_status hone__launch_spec_resolve(const hone_launch_case *plan,
                                      hone_resolved *out, hone_error *err);

/* What the operation does at these dims, which are completed; 0 where it is not
 * declared. HONE_ERR_OVERFLOW, HONE_ERR_INPUT. No sentence: nobody is told. */
hone_status hone__launch_work(const hone_launch_case *plan, int64_t *out_flops,
                              int64_t *out_bytes);

/* The arguments alone, for dims that were completed or, NULL, for any; no
 * device is asked. What cannot be known of one is 0 (the type) or -1 (count,
 * extents). HONE_ERR_DIMS, HONE_ERR_OVERFLOW, HONE_ERR_INPUT as above. */
hone_status hone__launch_spec_describe(const hone_launch_spec *spec,
                                       const int64_t *dims,
                                       hone_resolved_arg *out, hone_error *err);

/* A launch in one of its repetitions; NULL: its `if` leaves it out there. */
typedef hone_status hone_repetition_visit(void *user, int64_t number,
                                          const hone_resolved_launch *launch,
                                          hone_error *err);
/* All repetitions of a launch of `resolved`, in order, up to the first for
 * which `visit` fails. Each was checked when the plan was resolved. */
hone_status hone__launch_repetitions(const hone_resolved *resolved,
                                     const hone_resolved_launch *launch,
                                     hone_repetition_visit *visit, void *user,
                                     hone_error *err);

#endif
