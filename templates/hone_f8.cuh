/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 8 bits, e4m3 and e5m2, as f32 and back: hone_pack.cuh for them.
 * <cuda_fp8.h> takes compilers a while, so it is in a file of its own.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef HONE_F8_CUH
#define HONE_F8_CUH

#include <cuda_fp8.h>
#include "hone_pack.cuh"

namespace hone {

template <> struct wide<__nv_fp8_e4m3> {
    using type = float;
};
template <> struct wide<__nv_fp8_e5m2> {
    using type = float;
};

/* To the nearest, ties to even; what is larger than the largest is that. */
template <> __device__ inline __nv_fp8_e4m3 narrow<__nv_fp8_e4m3>(float v)
{
    return __nv_fp8_e4m3(v);
}
template <> __device__ inline __nv_fp8_e5m2 narrow<__nv_fp8_e5m2>(float v)
{
    return __nv_fp8_e5m2(v);
}

} /* namespace hone */

#endif
