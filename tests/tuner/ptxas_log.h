/* SPDX-License-Identifier: Apache-2.0 */
/* What ptxas says of three kernels, as a sample. */
#ifndef HONE_TESTS_PTXAS_LOG_H
#define HONE_TESTS_PTXAS_LOG_H

static const char ptxas_log[] =
    "ptxas info    : (C7517) warpgroup.wait is injected\n"
    "ptxas info    : 3 bytes gmem\n"
    "ptxas info    : Compiling entry function 'first_half' for 'sm_90'\n"
    "ptxas info    : Function properties for first_half\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 9 registers, used 0 barriers\n"
    "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
    "ptxas info    : Function properties for second\n"
    "    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
    "ptxas info    : Used 72 registers, used 1 barriers, 256 bytes smem\n"
    "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
    "ptxas info    : Function properties for first\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 80 registers, used 1 barriers, 1024 bytes smem\n";

#endif
