/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts: an operation that is declared once, in a header, and templates
 * that implement it. Parts: statements that templates share. */
#include "runtime/vendor/vendor.h"
#include "tests/gen/gen_test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTRACT                                                               \
    "/* what scale is */\n"                                                    \
    "#pragma once\n"                                                           \
    "#pragma hone op scale(n, T in {f32, f64}) \"y = a*x\"\n"                  \
    "#pragma hone arg y: out T[n], x: in T[n], a: f32\n"                       \
    "#pragma hone let HALF = n/2\n"                                            \
    "#pragma hone work flops(n) \\\n"                                          \
    "    bytes(HALF)\n"                                                        \
    "#pragma hone check template.plain tolerance(2)\n"                         \
    "#pragma hone baseline memcpy\n"                                           \
    "inline int help() { return 1; }\n"

#define INCLUDE "#include \"scale.cuh\"\n"
#define IMPLEMENTS "#pragma hone implements scale/tiled \"with tiles\"\n"
#define REST                                                                   \
    "#pragma hone param BLOCK in {64, 128}\n"                                  \
    "#pragma hone let BLOCKS = ceildiv(HALF, BLOCK)\n"                         \
    "#pragma hone launch k grid(BLOCKS) block(BLOCK) args(y, x, a)\n"          \
    "extern \"C\" __global__ void k(T *y, const T *x, float a) { help(); }\n"

static char start[1024];
static char folder[1100];

static void write_file(const char *name, const char *text)
{
    assert_int_equal(hone__file_replace(name, text, strlen(text), NULL),
                     HONE_OK);
}

static int enter(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/hone-contract-XXXXXX",
                   tmp ? tmp : "/tmp");
    if (!getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder))
        return 1;
    write_file("scale.cuh", CONTRACT);
    return 0;
}

static int leave(void **state)
{
    char command[1200];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) || system(command);
}

static hone_template *load_good(const char *text)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    write_file("t.cu", text);
    if (hone__template_load("./t.cu", "", &t, &d, &err) != HONE_OK)
        fail_msg("%s\n%s", err.text, text);
    return t;
}

/* What people see of the mistakes in a template. */
static void mistakes_of(const char *text, hone_text *out)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_error err = {0};

    write_file("t.cu", text);
    assert_int_equal(hone__template_load("./t.cu", "", &t, &d, &err),
                     HONE_ERR_INPUT);
    hone__diagnostics_format(&d, "./t.cu", text, out);
    if (!d.n)
        hone__text_puts(out, err.text);
    hone__diagnostics_free(&d);
}

static void assert_mistake(const char *text, const char *wanted)
{
    hone_text shown = {0};

    mistakes_of(text, &shown);
    if (!strstr(hone__text_str(&shown), wanted))
        fail_msg("wanted: %s\nsaid: %s", wanted, hone__text_str(&shown));
    hone__text_free(&shown);
}

static void both_make_one_template(void **state)
{
    hone_template *t = load_good(INCLUDE IMPLEMENTS REST);

    (void)state;
    assert_string_equal(t->op, "scale");
    assert_string_equal(t->description, "y = a*x");
    assert_string_equal(t->implementation, "tiled");
    assert_string_equal(t->implementation_description, "with tiles");
    assert_string_equal(t->contract_path, "./scale.cuh");
    assert_int_equal(t->n_dims, 2);
    assert_int_equal(t->n_args, 3);
    assert_int_equal(t->n_lets, 2);
    assert_string_equal(t->lets[0].name, "HALF");
    assert_int_equal(t->n_checks, 1);
    assert_int_equal(t->n_baselines, 1);
    assert_non_null(t->work_bytes.expr);
    hone__template_free(t);
}

static void a_template_of_its_own_names_its_file(void **state)
{
    hone_template *t =
        load_good("#pragma hone op own(n)\n"
                  "#pragma hone arg y: out f32[n]\n"
                  "#pragma hone launch k\n"
                  "extern \"C\" __global__ void k(float *y) {}\n");

    (void)state;
    assert_string_equal(t->implementation, "t");
    assert_null(t->contract_path);
    assert_string_equal(hone__template_where(t, 2).path, "./t.cu");
    hone__template_free(t);
}

static void places_are_those_of_the_contract(void **state)
{
    hone_template *t = load_good(INCLUDE IMPLEMENTS REST);
    const hone_where check = hone__template_where(t, t->checks[0].line);
    const hone_where own = hone__template_where(t, t->params[0].line);

    (void)state;
    assert_string_equal(check.path, "./scale.cuh");
    assert_int_equal(check.line, 8);
    assert_string_equal(own.path, "./t.cu");
    assert_int_equal(own.line, 3);
    hone__template_free(t);
}

/* Compilers get a header without its statements, with its code in place. */
static void compilers_see_the_code_alone(void **state)
{
    hone_template *t = load_good(INCLUDE IMPLEMENTS REST);
    const char *text = t->headers.bytes + strlen(t->headers.bytes) + 1;
    int n_lines = 0;

    (void)state;
    assert_null(strstr(text, "pragma hone"));
    assert_null(strstr(text, "bytes(HALF)"));
    assert_non_null(strstr(text, "#pragma once"));
    for (const char *at = text; *at && strncmp(at, "inline", 6) != 0; ++at)
        n_lines += *at == '\n';
    assert_int_equal(n_lines, 9);
    hone__template_free(t);
}

static void the_contract_is_in_the_hash(void **state)
{
    hone_template *before = load_good(INCLUDE IMPLEMENTS REST);
    hone_template *same;
    hone_template *after;

    (void)state;
    write_file("scale.cuh", "// words\n" CONTRACT);
    same = load_good(INCLUDE IMPLEMENTS REST);
    write_file("scale.cuh", CONTRACT "#pragma hone require n < 1000\n");
    after = load_good(INCLUDE IMPLEMENTS REST);
    assert_string_equal(before->sha256, same->sha256);
    assert_string_not_equal(before->sha256, after->sha256);
    hone__template_free(before);
    hone__template_free(same);
    hone__template_free(after);
}

static void disagreements_have_their_place(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {INCLUDE IMPLEMENTS "#pragma hone work flops(n)\n" REST,
         "./t.cu:3:14: error: 'work' is the same for all implementations"},
        {INCLUDE "#pragma hone implements gemm/tiled\n" REST,
         "./t.cu:2:25: error: the operation of ./scale.cuh is 'scale'"},
        {INCLUDE REST, "./t.cu:1:1: error: this file has no '#pragma hone "
                       "implements scale/NAME'"},
        {INCLUDE REST IMPLEMENTS, "'implements' must be the first statement"},
        {IMPLEMENTS REST,
         "./t.cu:1:14: error: 'implements' needs the contract"},
        {INCLUDE IMPLEMENTS "#pragma hone let HALF = 1\n" REST,
         "'HALF' is already declared on line 5 of ./scale.cuh"},
        {INCLUDE IMPLEMENTS "#pragma hone op t(n)\n" REST,
         "./t.cu:3:14: error: 'op' is the same for all implementations"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_mistake(cases[i].text, cases[i].said);
}

static void mistakes_of_a_contract_are_shown_there(void **state)
{
    (void)state;
    write_file("scale.cuh", CONTRACT "#pragma hone param A in {1, 2}\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "./scale.cuh:11:14: error: 'param' belongs into the "
                   "templates");
    write_file("scale.cuh", CONTRACT "#pragma hone require m > 0\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "./scale.cuh:11:22: error: unknown name 'm'\n"
                   "   11 | #pragma hone require m > 0\n"
                   "      |                      ^\n");
    write_file("scale.cuh", CONTRACT "#pragma hone inputs template.a\n"
                                     "#pragma hone inputs template.b\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "the first is line 11 of ./scale.cuh");
    write_file("scale.cuh", CONTRACT "#pragma hone if n\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "./scale.cuh:11:14: error: 'if' belongs into the");
}

static void there_is_one_contract(void **state)
{
    (void)state;
    write_file("other.cuh", "#pragma hone op other(n)\n");
    assert_mistake(INCLUDE "#include \"other.cuh\"\n" IMPLEMENTS REST,
                   "./t.cu:2:10: error: this header has statements, and so has "
                   "./scale.cuh");
    write_file("other.cuh", INCLUDE);
    assert_mistake("#include \"other.cuh\"\n#pragma hone op t(n)\n"
                   "#pragma hone arg y: out f32[n]\n#pragma hone launch k\n"
                   "extern \"C\" __global__ void k(float *y) {}\n",
                   "./scale.cuh:3: a header with statements, a contract or a "
                   "part that templates share, is included by the template "
                   "itself");
}

#define PART                                                                   \
    "#pragma once\n"                                                           \
    "#pragma hone param BLOCK in {64, 128}\n"                                  \
    "#pragma hone require BLOCK <= LIMIT\n"                                    \
    "#pragma hone let BLOCKS = ceildiv(n, BLOCK)\n"                            \
    "inline int in_part() { return BLOCK; }\n"

#define LIMIT "#pragma hone let LIMIT = 128\n"
#define SHARES "#include \"part.cuh\"\n"
#define LAUNCH                                                                 \
    "#pragma hone launch k grid(BLOCKS) block(BLOCK) args(y, x, a)\n"          \
    "extern \"C\" __global__ void k(T *y, const T *x, float a) {}\n"

/* Statements of a part count where the template includes it: they read what
 * stands above, and what stands below reads them. */
static void templates_share_a_part(void **state)
{
    hone_template *t;
    hone_where where;

    (void)state;
    write_file("part.cuh", PART);
    t = load_good(INCLUDE IMPLEMENTS LIMIT SHARES
                  "#pragma hone param WIDE in {1, 2}\n" LAUNCH);
    assert_int_equal(t->n_params, 2);
    assert_string_equal(t->params[0].name, "BLOCK");
    assert_string_equal(t->params[1].name, "WIDE");
    assert_int_equal(t->n_lets, 3);
    assert_int_equal(t->n_requires, 1);
    assert_null(strstr(t->headers.bytes, "pragma hone"));
    where = hone__template_where(t, t->params[0].line);
    assert_string_equal(where.path, "./part.cuh");
    assert_int_equal(where.line, 2);
    where = hone__template_where(t, t->checks[0].line);
    assert_string_equal(where.path, "./scale.cuh");
    assert_int_equal(where.line, 8);
    hone__template_free(t);
    t = load_good(
        "#pragma hone op own(n, T in {f32})\n"
        "#pragma hone arg y: out T[n], x: in T[n], a: f32\n" LIMIT SHARES
            LAUNCH);
    assert_int_equal(t->n_params, 1);
    assert_null(t->contract_path);
    hone__template_free(t);
}

/* A header whose name begins like the part's is another one. */
static void the_place_of_a_part_is_its_own(void **state)
{
    (void)state;
    write_file("part.cuh", PART);
    write_file("part.cuhx", "inline int other() { return 1; }\n");
    hone__template_free(load_good(
        INCLUDE IMPLEMENTS "#include \"part.cuhx\"\n" LIMIT SHARES LAUNCH));
    (void)unlink("part.cuhx");
}

static void a_part_is_in_the_hash(void **state)
{
    hone_template *before, *after;

    (void)state;
    write_file("part.cuh", PART);
    before = load_good(INCLUDE IMPLEMENTS LIMIT SHARES LAUNCH);
    write_file("part.cuh", PART "#pragma hone require n < 1000\n");
    after = load_good(INCLUDE IMPLEMENTS LIMIT SHARES LAUNCH);
    assert_string_not_equal(before->sha256, after->sha256);
    hone__template_free(before);
    hone__template_free(after);
}

static void mistakes_of_parts_have_their_place(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {SHARES INCLUDE IMPLEMENTS LIMIT LAUNCH,
         "./part.cuh:3:31: error: 'LIMIT' is declared below, on line 4"},
        {INCLUDE IMPLEMENTS LIMIT LAUNCH SHARES,
         "./t.cu:4:28: error: 'BLOCKS' is declared below, on line 4 of "
         "./part.cuh"},
        {INCLUDE IMPLEMENTS LIMIT SHARES
         "#pragma hone param BLOCK in {1}\n" LAUNCH,
         "'BLOCK' is already declared on line 2 of ./part.cuh"},
        {INCLUDE IMPLEMENTS LIMIT SHARES "#include \"more.cuh\"\n" LAUNCH,
         "./more.cuh:1:20: error: 'BLOCK' is already declared on line 2 of "
         "./part.cuh\n    1 | #pragma hone param BLOCK in {5}\n"},
        {INCLUDE IMPLEMENTS LIMIT SHARES "#include \"work.cuh\"\n" LAUNCH,
         "./work.cuh:2:14: error: 'work' belongs into a template or a "
         "contract, not into a part"},
        {INCLUDE IMPLEMENTS LIMIT SHARES "#include \"deep.cuh\"\n" LAUNCH,
         "./more.cuh:1: a header with statements, a contract or a part"},
    };

    (void)state;
    write_file("part.cuh", PART);
    write_file("more.cuh", "#pragma hone param BLOCK in {5}\n");
    write_file("work.cuh", "\n#pragma hone work flops(n)\n");
    write_file("deep.cuh", "#include \"more.cuh\"\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_mistake(cases[i].text, cases[i].said);
}

#define CALLS INCLUDE IMPLEMENTS "#pragma hone param ALGORITHM in 0..7\n"

static void a_template_may_call_a_library(void **state)
{
    hone_template *t;

    (void)state;
    write_file("scale.cuh", CONTRACT "#pragma hone vendor cublas.axpy, "
                                     "cufft.c2c\n");
    t = load_good(CALLS "#pragma hone call cublas.axpy algorithm(ALGORITHM)\n");
    assert_int_equal(t->n_vendors, 2);
    assert_string_equal(t->vendors[1], "cufft.c2c");
    assert_string_equal(t->call, "cublas.axpy");
    assert_int_equal(t->call_rank, 0);
    assert_non_null(t->cuda_only);
    assert_string_equal(hone__template_kind(t), "vendor");
    hone__template_free(t);
    t = load_good(CALLS "#pragma hone call cublas.axpy\n");
    assert_int_equal(t->call_rank, -1);
    hone__template_free(t);
}

/* What the line `vendor` stands for is called after the library, and has as
 * many algorithms as it is asked for. */
static void a_vendor_is_a_template(void **state)
{
    hone_template *of = load_good(INCLUDE IMPLEMENTS REST);
    hone_template *t = NULL;
    hone_error err = {0};

    (void)state;
    if (hone__template_of_vendor(of, "cublaslt.gemm", &t, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_string_equal(t->op, "scale");
    assert_string_equal(hone__template_name(t), "cublaslt");
    assert_string_equal(t->call, "cublaslt.gemm");
    assert_string_equal(t->params[t->call_rank].name, "ALGORITHM");
    assert_int_equal(t->params[t->call_rank].n_values,
                     hone__vendor_n_algorithms("cublaslt.gemm"));
    assert_int_equal(t->cost, 0);
    hone__template_free(t);
    hone__template_free(of);
}

/* A header says more of what a vendor's line stands for, and nothing of the
 * other implementations. */
static void a_vendor_may_have_a_part(void **state)
{
    hone_template *of, *t = NULL;
    hone_error err = {0};

    (void)state;
    write_file("scale.cuh",
               CONTRACT "#pragma hone vendor cublas.axpy part \"lib.cuh\"\n");
    write_file("lib.cuh", "#pragma hone let TWICE = 2*HALF\n"
                          "#pragma hone feature COST = 3 + TWICE\n");
    of = load_good(INCLUDE IMPLEMENTS REST);
    assert_int_equal(of->cost, 0);
    if (hone__template_of_vendor(of, of->vendors[0], &t, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(t->cost, 1);
    assert_string_equal(hone__expr_text(t->features[0].value.expr),
                        "3 + TWICE");
    hone__template_free(t);
    (void)unlink("lib.cuh");
    if (hone__template_of_vendor(of, of->vendors[0], &t, &err) == HONE_OK)
        fail_msg("a part that is not there");
    assert_non_null(strstr(err.text, "lib.cuh"));
    hone__template_free(of);
    write_file("scale.cuh", CONTRACT);
}

static void wrong_calls_have_their_place(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {CALLS "#pragma hone call cublas.nosuch\n",
         "./t.cu:4:19: error: 'cublas.nosuch' is none of the functions known: "
         "cublaslt.gemm, cublas.gemm, cublas.axpy, cublas.dot, cublas.nrm2, "
         "cublas.gemv, cufft.c2c, cufft.c2c_2d, cufft.r2c, cufft.c2r, "
         "cufft.filter"},
        {CALLS "#pragma hone call cublas\n", "./t.cu:4:19: error: "},
        {CALLS "#pragma hone call cublas.axpy algorithm(NONE)\n",
         "./t.cu:4:41: error: 'NONE' is no parameter of integers declared"},
        {CALLS "#pragma hone call cublas.axpy algorithm(HALF)\n",
         "./t.cu:4:41: error: 'HALF' is no parameter of integers declared"},
        {INCLUDE IMPLEMENTS "#pragma hone param F in {0.5, 1.5}\n"
                            "#pragma hone call cublas.axpy algorithm(F)\n",
         "./t.cu:4:41: error: 'F' is no parameter of integers declared"},
        {CALLS "#pragma hone call cublas.axpy\n"
               "#pragma hone call cufft.c2c\n",
         "./t.cu:5:19: error: a template calls one function"},
        {INCLUDE IMPLEMENTS "#pragma hone call cublas.axpy\n" REST,
         "error: a template that calls 'cublas.axpy' has no code: no launch"},
        {INCLUDE IMPLEMENTS "#pragma hone workspace w: f32[n]\n"
                            "#pragma hone call cublas.axpy\n",
         "error: a template that calls 'cublas.axpy' has no code: no launch"},
        {INCLUDE IMPLEMENTS "#pragma hone vendor cublas.axpy\n" REST,
         "./t.cu:3:14: error: 'vendor' is the same for all implementations"},
        {"#pragma hone op own(n)\n#pragma hone arg y: out f32[n]\n"
         "#pragma hone vendor cublas.axpy\n#pragma hone launch k\n"
         "extern \"C\" __global__ void k(float *y) {}\n",
         "./t.cu:3:14: error: 'vendor' "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_mistake(cases[i].text, cases[i].said);
    write_file("scale.cuh", CONTRACT "#pragma hone vendor cublas.axpy, x.y\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "./scale.cuh:11:34: error: 'x.y' is none of the functions");
    write_file("scale.cuh",
               CONTRACT "#pragma hone vendor cublas.axpy part \"a.cuh\"\n"
                        "#pragma hone vendor cublas.dot part \"b.cuh\"\n");
    assert_mistake(INCLUDE IMPLEMENTS REST, "'a.cuh'");
    write_file("scale.cuh",
               CONTRACT "#pragma hone vendor cublas.axpy part lib\n");
    assert_mistake(INCLUDE IMPLEMENTS REST, "./scale.cuh:11:38: error: ");
    write_file("scale.cuh", CONTRACT "#pragma hone call cublas.axpy\n");
    assert_mistake(INCLUDE IMPLEMENTS REST,
                   "./scale.cuh:11:14: error: 'call' belongs into the");
}

static void assert_found(const char *name, const char *wanted)
{
    hone_text path = {0};
    hone_error err = {0};

    if (hone__template_find(name, ".", &path, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_string_equal(path.data, wanted);
    hone__text_free(&path);
}

/* A file needs no ending, and no folder is one. */
static void files_come_before_implementations(void **state)
{
    (void)state;
    write_file("t.cu", INCLUDE IMPLEMENTS REST);
    assert_found("scale/tiled", "./t.cu");
    assert_int_equal(mkdir("scale", 0700), 0);
    assert_int_equal(mkdir("scale/tiled", 0700), 0);
    assert_found("scale/tiled", "./t.cu");
    assert_int_equal(rmdir("scale/tiled"), 0);
    write_file("scale/tiled", INCLUDE IMPLEMENTS REST);
    assert_found("scale/tiled", "scale/tiled");
}

#define NAMED(name) INCLUDE "#pragma hone implements scale/" name "\n"

/* By the name of the operation the one is meant that is no reference. */
static void references_stand_back(void **state)
{
    hone_text path = {0};
    hone_error err = {0};

    (void)state;
    write_file("a.cu", NAMED("simple reference \"plain\"") REST);
    assert_found("scale", "./a.cu");
    write_file("b.cu", NAMED("tiled") REST);
    assert_found("scale", "./b.cu");
    assert_found("scale/simple", "./a.cu");
    write_file("c.cu", NAMED("reference") REST);
    assert_int_equal(hone__template_find("scale", ".", &path, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "has 3 implementations"));
    hone__text_free(&path);
}

static void every_allocation_may_fail(void **state)
{
    hone_template *t = NULL;
    hone_diagnostics d;
    hone_status status = HONE_ERR_NO_MEMORY;

    (void)state;
    write_file("t.cu", INCLUDE IMPLEMENTS REST);
    for (int n = 0; status == HONE_ERR_NO_MEMORY; ++n) {
        hone__alloc_fail_after(n);
        status = hone__template_load("./t.cu", "", &t, &d, NULL);
        hone__alloc_fail_after(-1);
        hone__diagnostics_free(&d);
    }
    assert_int_equal(status, HONE_OK);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_make_one_template, enter, leave),
        cmocka_unit_test_setup_teardown(a_template_of_its_own_names_its_file,
                                        enter, leave),
        cmocka_unit_test_setup_teardown(places_are_those_of_the_contract, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(compilers_see_the_code_alone, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(the_contract_is_in_the_hash, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(disagreements_have_their_place, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(mistakes_of_a_contract_are_shown_there,
                                        enter, leave),
        cmocka_unit_test_setup_teardown(there_is_one_contract, enter, leave),
        cmocka_unit_test_setup_teardown(templates_share_a_part, enter, leave),
        cmocka_unit_test_setup_teardown(the_place_of_a_part_is_its_own, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(a_part_is_in_the_hash, enter, leave),
        cmocka_unit_test_setup_teardown(mistakes_of_parts_have_their_place,
                                        enter, leave),
        cmocka_unit_test_setup_teardown(a_template_may_call_a_library, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(a_vendor_is_a_template, enter, leave),
        cmocka_unit_test_setup_teardown(a_vendor_may_have_a_part, enter, leave),
        cmocka_unit_test_setup_teardown(wrong_calls_have_their_place, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(references_stand_back, enter, leave),
        cmocka_unit_test_setup_teardown(files_come_before_implementations,
                                        enter, leave),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, enter,
                                        leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
