/* SPDX-License-Identifier: Apache-2.0 */
/* What the statements of a template say, as data: parameters, dimensions,
 * arguments, constraints, launches, checks. */
#ifndef HONE_GEN_STATEMENTS_H
#define HONE_GEN_STATEMENTS_H

#include "runtime/expr/expr.h"
#include "runtime/launch/launch_spec.h"

#include <stddef.h>
#include <stdint.h>

/* Parameter values are int64 everywhere: integers as they are, booleans 0/1,
 * element types as their code, names of an enumeration as an id that is the
 * same for the same name throughout one template (from 1000 up),
 * floating-point numbers as the bits of a double (runtime/base/type.h). */
typedef enum hone_param_kind {
    HONE_PARAM_INT,
    HONE_PARAM_BOOL,
    HONE_PARAM_ENUM,
    HONE_PARAM_TYPE,
    HONE_PARAM_REAL
} hone_param_kind;

/* An expression with the place it stands at, for messages. */
typedef struct hone_template_expr {
    hone_expr *expr;
    int line;
    int column;           /* 1-based, of its first character */
    int reads_dims;       /* an integer dimension, directly or through a let */
    int reads_properties; /* a device property, directly or through a let */
} hone_template_expr;

typedef struct hone_param {
    const char *name;
    hone_param_kind kind;
    size_t n_values;
    int64_t *values;      /* in declared order, no duplicates */
    size_t default_index; /* first value if not declared */
    int line;
    /* Where this is 0 the parameter does not exist: it has its default value
     * there, and configurations do not mention it. .expr NULL: it always
     * does. Known with the variant and the device. */
    hone_template_expr exists;
} hone_param;

/* Slots of every expression of a template: the value vector is
 * [properties | dims | params | lets], each in declared order. */
typedef struct hone_slots {
    size_t dims; /* first slot of the dims; properties start at 0 */
    size_t params;
    size_t lets;
    size_t total;
} hone_slots;

/* A size; or, with a list of values, something that belongs to the problem
 * and is known when a variant is compiled: an element type, or one of a few
 * integers ("is A transposed"), which always have a default. */
typedef struct hone_template_dim {
    const char *name;
    size_t n_types;        /* 0: a size */
    int64_t *types;        /* allowed codes, or integers from 0 up */
    int is_choice;         /* they are integers */
    int from_zero;         /* of a size: 0 is one like others */
    int64_t default_value; /* 0: mandatory, unless is_choice; or there is */
    /* Of a size: an expression of the dimensions before it. .expr NULL: the
     * default is a constant. */
    hone_template_expr default_expr;
} hone_template_dim;

/* Must callers give it? */
static inline int hone__dim_is_mandatory(const hone_template_dim *dim)
{
    return !dim->is_choice && !dim->default_value && !dim->default_expr.expr;
}

/* An expression, or a floating-point number. */
typedef struct hone_template_number {
    hone_template_expr expr; /* .expr NULL: not given */
    int is_real;             /* it gives the bits of a double */
} hone_template_number;

/* What an argument's values are drawn from. The first five are those of
 * device_code.cu. */
typedef enum hone_draw_kind {
    HONE_DRAW_UNIFORM, /* if nothing is said */
    HONE_DRAW_NORMAL,
    HONE_DRAW_ZIPF,
    HONE_DRAW_CONSTANT,
    HONE_DRAW_PERMUTATION,
    HONE_DRAW_OFFSETS, /* ascending from 0 */
    HONE_DRAW_FILE
} hone_draw_kind;

typedef struct hone_template_draw {
    hone_draw_kind kind;
    int line; /* 0: nothing is said */
    int column;
    int has_range; /* from low..high, uniform(low, high) */
    int is_sorted;
    int is_positive;
    hone_template_number low;
    hone_template_number high;     /* of offsets: the last one */
    hone_template_number value[2]; /* of the distribution, in order */
    const char *file;              /* a name beside the template */
} hone_template_draw;

/* The extents of an array, the outermost first: elements lie row by row. */
typedef struct hone_template_shape {
    size_t rank; /* 0: a scalar */
    hone_template_expr extents[HONE_MAX_RANK];
} hone_template_shape;

typedef struct hone_template_arg {
    const char *name;
    hone_arg_mode mode;
    hone_template_expr type;  /* constant or a type dimension or parameter */
    hone_template_expr count; /* elements; unused for scalars */
    /* Where this is 0 callers pass a null pointer, and there are no elements.
     * .expr NULL: it is always given. Reads dimensions that list values. */
    hone_template_expr given;
    /* It is in host memory, in page-locked one where this is not 0. .expr NULL:
     * it is on the device. Reads dimensions that list values. */
    hone_template_expr host;
    hone_template_draw draw;
    hone_template_shape shape;
} hone_template_arg;

typedef struct hone_template_let {
    const char *name;
    hone_template_expr value;
} hone_template_let;

/* What a model is to know of a configuration: a number, or a ratio. */
typedef struct hone_template_feature {
    const char *name;
    hone_template_expr value;
    hone_template_expr per; /* .expr NULL: 1 */
} hone_template_feature;

typedef struct hone_template_require {
    hone_template_expr condition;
    const char *message; /* "" if none was given */
    /* Without it a variant is slow, or like another, but right: what `prefer`
     * says. Searches keep to it; it is not in launch plans. */
    int is_preference;
    /* What people are shown instead of the condition, which was made from a
     * `param` statement; NULL: the condition. */
    const char *shown;
    /* .expr not NULL: it follows from what all constants take, which are so
     * many bytes. Such a one is not in launch plans: whoever resolves one
     * finds it out. */
    hone_template_expr bytes;
} hone_template_require;

const char *hone__require_text(const hone_template_require *require);

/* How arrays in host memory are cut into chunks. */
typedef struct hone_template_pipeline {
    int line;   /* 0: they are not */
    size_t dim; /* whose rows are cut */
    hone_template_expr chunk;
    hone_template_expr streams;
    hone_template_expr staging;
} hone_template_pipeline;

typedef struct hone_template_workspace {
    const char *name;
    hone_template_expr type;
    hone_template_expr count;
    hone_template_shape shape;
    hone_zero zero;
} hone_template_workspace;

/* Constant memory that is filled from an argument. */
typedef struct hone_template_constant {
    const char *name;
    hone_template_expr type; /* that of the argument */
    hone_template_expr count;
    hone_template_expr condition; /* .expr NULL: always */
    int arg;
} hone_template_constant;

/* The parts of a tensor map, in the order in which they are written; all are
 * lists of expressions. */
typedef enum hone_map_part {
    HONE_MAP_PART_IF,
    HONE_MAP_PART_DIMS,
    HONE_MAP_PART_STRIDES,
    HONE_MAP_PART_BOX,
    HONE_MAP_PART_SWIZZLE,
    HONE_MAP_PART_L2,
    HONE_MAP_PART_FILL,
    HONE_MAP_PART_ELEMENTS,
    HONE_N_MAP_PARTS
} hone_map_part;

extern const char *const hone__map_part_names[HONE_N_MAP_PARTS];

typedef struct hone_template_map {
    const char *name;
    hone_pass_kind array_kind; /* HONE_PASS_ARG or HONE_PASS_WORKSPACE */
    int array;
    size_t n[HONE_N_MAP_PARTS]; /* 0: not given */
    hone_template_expr part[HONE_N_MAP_PARTS][HONE_MAP_DIMS];
} hone_template_map;

/* An argument, a workspace or a tensor map. */
typedef struct hone_template_choice {
    hone_pass_kind kind;
    int index;
} hone_template_choice;

typedef struct hone_template_pass {
    hone_pass_kind kind;
    int index;                  /* argument, workspace or tensor map */
    hone_template_number value; /* of all other kinds, and of pick(..) */
    /* pick(E, ..): one of these, of which the first stands above. */
    size_t n_choices; /* 0: nothing is picked */
    hone_template_choice *choices;
} hone_template_pass;

/* repeat(NAME, E): launches that are repeated together have the same one. */
typedef struct hone_template_repeat {
    const char *name;
    hone_template_expr count;
} hone_template_repeat;

/* "i32" and so on, by hone_pass_kind; NULL: it is passed by name. */
extern const char *const hone__pass_words[];

typedef struct hone_template_launch {
    const char *kernel;
    hone_template_expr condition; /* .expr NULL: always */
    hone_template_expr grid[3];   /* .expr NULL: 1 */
    hone_template_expr block[3];
    hone_template_expr shared;     /* .expr NULL: 0 */
    hone_template_expr cluster[3]; /* .expr NULL: 1 */
    int cooperative;
    int early;
    int repeat; /* index of the repeat, plus 1; 0: it is launched once */
    size_t n_passed;
    hone_template_pass *passed;
    int line;
} hone_template_launch;

/* The compiler options that a template may set, sorted by spelling. */
typedef struct hone_compiler_option {
    const char *name;     /* in a template */
    const char *spelling; /* NVRTC's */
    enum {
        HONE_COMPILER_COUNT,  /* an integer; 0 leaves the option out */
        HONE_COMPILER_CHOICE, /* =true or =false */
        HONE_COMPILER_FLAG    /* there if true */
    } kind;
    const char *meaning; /* of its value, a sentence */
} hone_compiler_option;

enum { HONE_N_COMPILER_OPTIONS = 7 };
extern const hone_compiler_option
    hone__compiler_options[HONE_N_COMPILER_OPTIONS];

/* An option of the table with its value. */
typedef struct hone_template_option {
    const hone_compiler_option *row;
    hone_template_expr value;
} hone_template_option;

/* The numbers that a check gives. */
typedef enum hone_bound_kind {
    HONE_BOUND_TOLERANCE,
    HONE_BOUND_ABSOLUTE,
    HONE_BOUND_RELATIVE,
    HONE_BOUND_NORM,
    HONE_BOUND_EXACT,
    HONE_N_BOUNDS
} hone_bound_kind;

extern const char *const hone__bound_names[HONE_N_BOUNDS];

/* `check NAME [tolerance(E)] [abs(E)] .. [for ARRAY [tolerance(E)] ..] ..`:
 * compare with reference NAME ("cpu.sum", "cublas.gemm"). On random inputs
 * every output element must satisfy
 *     |out - ref| <= abs + rel*|ref| + tolerance*u*magnitude + ulp(ref)
 * where u is the unit round-off of the accumulation type (2^-24 for f32) and
 * magnitude what rounding errors are in proportion to (the sum of the absolute
 * terms). norm(E) is about the array as a whole; alone it stands for the bound
 * of the elements:
 *     ||out - ref|| <= norm*u*||magnitude|| + ulp*||ref||  (2-norms)
 * With exact(E) it is also run on inputs that are random integers in [-E, E],
 * where it must reproduce the reference bit for bit: this finds a single wrong
 * index that rounding would hide. Every array that is written is compared;
 * `for` gives one of them numbers of its own. */
typedef struct hone_template_bound {
    int arg; /* the array; -1: all that are written */
    hone_template_number number[HONE_N_BOUNDS]; /* not given: as for all */
} hone_template_bound;

enum { HONE_MAX_BOUNDS = 9 };

typedef struct hone_template_check {
    const char *reference;
    const char *magnitude; /* "template.NAME" that computes it; NULL */
    size_t n_bounds;
    hone_template_bound bounds[HONE_MAX_BOUNDS]; /* the first: for all */
    int line;
} hone_template_check;

/* "cublas", "cublaslt", "cub.sum", "template.NAME", .. */
typedef struct hone_template_baseline {
    const char *name;
    int line;
} hone_template_baseline;

/* A problem that is tuned where none is asked for: completed dimensions. */
typedef struct hone_template_problem {
    int64_t dims[HONE_MAX_DIMS];
    int line;
} hone_template_problem;

/* What references, baselines and inputs that are other templates begin
 * with. */
#define HONE_TEMPLATE_PREFIX "template."

#endif
