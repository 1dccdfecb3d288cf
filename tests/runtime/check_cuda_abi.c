/* SPDX-License-Identifier: Apache-2.0 */
/* Not a program: compiled where cuda.h is installed, to see that the
 * structures and numbers of runtime/driver/driver.h are the driver's. */
#include <cuda.h>

#include "runtime/driver/driver.h"

#include <stddef.h>

#define SAME_OFFSET(ours, a, theirs, b)                                        \
    _Static_assert(offsetof(ours, a) == offsetof(theirs, b), #a)

_Static_assert(sizeof(hone_cu_launch_config) == sizeof(CUlaunchConfig), "");
_Static_assert(sizeof(hone_cu_attribute) == sizeof(CUlaunchAttribute), "");
SAME_OFFSET(hone_cu_attribute, value, CUlaunchAttribute, value);
SAME_OFFSET(hone_cu_launch_config, block, CUlaunchConfig, blockDimX);
SAME_OFFSET(hone_cu_launch_config, shared_bytes, CUlaunchConfig,
            sharedMemBytes);
SAME_OFFSET(hone_cu_launch_config, stream, CUlaunchConfig, hStream);
SAME_OFFSET(hone_cu_launch_config, attributes, CUlaunchConfig, attrs);
SAME_OFFSET(hone_cu_launch_config, n_attributes, CUlaunchConfig, numAttrs);
_Static_assert((int)HONE_CU_FUNC_NON_PORTABLE_CLUSTER ==
                   (int)CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
               "");
_Static_assert((int)HONE_CU_NOT_FOUND == (int)CUDA_ERROR_NOT_FOUND, "");
_Static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == 2, "");
_Static_assert(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == 4, "");
_Static_assert(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION == 6, "");

#if CUDA_VERSION >= 12040
_Static_assert(_Generic(&cuFuncGetParamInfo,
                        CUresult (*)(CUfunction, size_t, size_t *,
                                     size_t *) : 1),
               "");
#endif

_Static_assert(sizeof(hone_cu_tensor_map) == sizeof(CUtensorMap), "");
_Static_assert(_Alignof(hone_cu_tensor_map) >= _Alignof(CUtensorMap), "");
/* The numbers that tensor_map.c hands out. */
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_UINT8 == 0, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_UINT32 == 2, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_INT32 == 3, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_UINT64 == 4, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_INT64 == 5, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_FLOAT16 == 6, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_FLOAT32 == 7, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_FLOAT64 == 8, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == 9, "");
_Static_assert(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 == 11, "");
_Static_assert(CU_TENSOR_MAP_SWIZZLE_32B == 1, "");
_Static_assert(CU_TENSOR_MAP_SWIZZLE_128B == 3, "");
_Static_assert(CU_TENSOR_MAP_L2_PROMOTION_L2_64B == 1, "");
_Static_assert(CU_TENSOR_MAP_L2_PROMOTION_L2_256B == 3, "");
_Static_assert(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA == 1, "");
_Static_assert((int)HONE_CU_INTERLEAVE_NONE ==
                   (int)CU_TENSOR_MAP_INTERLEAVE_NONE,
               "");
