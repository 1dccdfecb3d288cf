/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what compilers say: what kernels use, warnings, whose fault it was.
 */
#include "tests/tuner/ptxas_log.h"
#include "tuner/compile/compile_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_log(void **state)
{
    hone_kernel_use use;

    (void)state;
    assert_true(hone__compile_log_kernel(ptxas_log, "first", &use));
    assert_int_equal(use.registers, 80);
    assert_int_equal(use.spill_bytes, 0);
    assert_int_equal(use.static_shared_bytes, 1024);
    assert_true(hone__compile_log_kernel(ptxas_log, "second", &use));
    assert_int_equal(use.registers, 72);
    assert_int_equal(use.spill_bytes, 32);
    assert_false(hone__compile_log_kernel(ptxas_log, "fir", &use));
    assert_int_equal(use.registers, -1);
    hone__compile_log_most(ptxas_log, &use);
    assert_int_equal(use.registers, 80);
    assert_int_equal(use.spill_bytes, 32);
    assert_int_equal(use.static_shared_bytes, 1024);
}

static void test_log_warnings(void **state)
{
    char codes[64];

    (void)state;
    hone__compile_log_warnings(ptxas_log, codes); /* C7517 is harmless */
    assert_string_equal(codes, "");
    hone__compile_log_warnings(
        "ptxas info : (C7510) Potential Performance Loss: in 'a'\n"
        "ptxas info : (C7508) Potential Performance Loss: ignored\n"
        "ptxas info : (C7510) Potential Performance Loss: in 'b'\n"
        "C7511 is only mentioned (C75\n",
        codes);
    assert_string_equal(codes, "C7510,C7508");
    hone__compile_log_warnings("(C7514) Potential Performance Loss(C7513) "
                               "Potential Performance(C751) Potential "
                               "Performance Loss(C75134) Potential Performance "
                               "Loss(C7519) warpgroup.arrive is injected",
                               codes);
    assert_string_equal(codes, "C7514");
}

/* As many as there is room for. */
static void test_many_warnings(void **state)
{
    char log[600] = "", codes[64];
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 11; ++i)
        n += (size_t)snprintf(log + n, sizeof log - n,
                              "(C75%d) Potential Performance Loss\n", 10 + i);
    hone__compile_log_warnings(log, codes);
    assert_string_equal(codes, "C7510,C7511,C7512,C7513,C7514,C7515,C7516,"
                               "C7517,C7518,C7519");
}

/* As Debian 12's g++, clang++, as and ld say it. */
static void test_blame(void **state)
{
    static const struct {
        hone_compile_blame blame;
        const char *log;
    } cases[] = {
        {HONE_BLAME_SOURCE, "t.cu: In function 'void f()':\n"
                            "t.cu:1:16: error: 'asm' operand is impossible\n"
                            "    1 | void f(int a)\n"},
        {HONE_BLAME_SOURCE, "t.cu:3:1: fatal error: x.h: No such file or "
                            "directory\ncompilation terminated.\n"},
        {HONE_BLAME_SOURCE, "t.cu: Assembler messages:\nt.cu:5: Error: no "
                            "such instruction: `nonsense %eax'\n"},
        {HONE_BLAME_SOURCE, "t.cu:7:3: sorry, unimplemented: that\n"},
        {HONE_BLAME_SOURCE, "\"t.cu\", line 5: error: of another compiler\n"},
        {HONE_BLAME_SOURCE, "t.cu(12): error: of another compiler\n"},
        {HONE_BLAME_SOURCE, "t.cu:4:1: error: static assertion failed: No "
                            "space left on device\n"
                            "  4 | // No space left on device\n"},
        {HONE_BLAME_SOURCE, "/usr/bin/ld: /tmp/c.o: in function `f()':\n"
                            "t.cu:5: undefined reference to `g()'\n"
                            "/usr/bin/ld: final link failed: bad value\n"
                            "collect2: error: ld returned 1 exit status\n"},
        {HONE_BLAME_SOURCE, "/usr/bin/ld: /tmp/c.o: relocation R_X86_64_32 "
                            "against symbol `foo' can not be used\n"},
        {HONE_BLAME_SOURCE, "/t/a.s: Assembler messages:\n/t/a.s: Error: "
                            "local label `\"7\" (instance number 1 of a fb "
                            "label)' is not defined\n"},
        {HONE_BLAME_SOURCE, "/t/a.s: Error: open CFI at the end of file; "
                            "missing .cfi_endproc directive\n"},
        {HONE_BLAME_COMPILER, "t.cu:3:1: internal compiler error: in "
                              "gsi_insert_seq_nodes_after\n"},
        {HONE_BLAME_COMPILER, "g++: internal compiler error: Segmentation "
                              "fault signal terminated program cc1plus\n"},
        {HONE_BLAME_COMPILER, "fatal error: error in backend: Cannot select\n"},
        {HONE_BLAME_MACHINE, ""},
        {HONE_BLAME_MACHINE, "t.cu:9:2: fatal error: error closing /t/a.s: No "
                             "space left on device\n    9 | }\n"},
        {HONE_BLAME_MACHINE, "/t/a.s: Assembler messages:\n/t/a.s: Fatal "
                             "error: can't write 12 bytes to section .text of "
                             "a.o: 'Disk quota exceeded'\n"},
        {HONE_BLAME_MACHINE, "fatal error: error in backend: IO failure on "
                             "output stream: No space left on device\n"},
        {HONE_BLAME_MACHINE, "/usr/bin/ld: cannot find -lm: Too many open "
                             "files\n"},
        {HONE_BLAME_MACHINE, "<command-line>: fatal error: /a.h: Too many "
                             "open files\ncompilation terminated.\n"},
        {HONE_BLAME_MACHINE, "error: unable to open output file '/t/a.o': "
                             "'Read-only file system'\n1 error generated.\n"},
        {HONE_BLAME_MACHINE, "t.cu:3:9: fatal error: x.h: Input/output "
                             "error\n"},
        {HONE_BLAME_MACHINE, "g++: fatal error: cannot execute 'cc1plus': "
                             "vfork: Resource temporarily unavailable\n"},
        {HONE_BLAME_MACHINE, "g++: fatal error: Terminated signal terminated "
                             "program cc1plus\ncompilation terminated.\n"},
        {HONE_BLAME_MACHINE, "g++: internal compiler error: File size limit "
                             "exceeded signal terminated program as\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (hone__compile_log_blame(cases[i].log) != cases[i].blame)
            fail_msg("case %zu: %s", i, cases[i].log);
    assert_true(hone__compile_log_no_memory(
        "g++: fatal error: vfork: Cannot allocate memory\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_warnings),
        cmocka_unit_test(test_many_warnings),
        cmocka_unit_test(test_blame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
