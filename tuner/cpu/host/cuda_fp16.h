/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's header of this name for code that is compiled for the host. */
#ifndef HONE_TUNER_HOST_CUDA_FP16_H
#define HONE_TUNER_HOST_CUDA_FP16_H

#include <hone_cuda_host.h>

#endif
