/* SPDX-License-Identifier: Apache-2.0 */
/* How long NVIDIA's library takes for a product, ns: what choosers begin with. Fitted to
 * 70 products of f16 into f32 on an H200 (decision 221); where rows are no multiples of
 * 16 bytes it takes kernels that are five times slower. Other types are rates alone. */
#pragma once

/* Elements that rows of A and B begin at multiples of, and flops that a multiprocessor
 * does in a nanosecond then. */
#pragma hone let GRAIN = gcd(gcd(LDA, LDB), 16/sizeof(T))
#pragma hone let ALIGNED = GRAIN*sizeof(T) == 16
#pragma hone let PACE = T == f64 ? 480 : T == f32 ? 380 : (ALIGNED ? 5900 : GRAIN > 1 ? 1200 : 800)*2/sizeof(T)
/* Tiles of 128 x 128 in whole rounds, a quarter of what that adds: it has others. One row
 * or column takes what memory takes. */
#pragma hone let TILES = max(ceildiv(M, 128)*ceildiv(N, 128)*BATCH, 1)
#pragma hone let ROUNDS = 72 + 28*align(TILES, device.sm_count)/TILES
#pragma hone let FLOPS = M == 1 || N == 1 ? 0 : 2*BATCH*align(M, 32)*align(N, 32)*K
#pragma hone let MULTIPLY = FLOPS/(PACE*device.sm_count)*(TILES > device.sm_count ? ROUNDS : 100)/100
#pragma hone let COPY = BATCH*((M*K + K*N)*sizeof(T) + (1 + ADD)*M*N*sizeof(OUT))/(26*device.sm_count)
#pragma hone let DEEP = (ALIGNED ? 11 : 45)*min(K, 2K)/10 + (ALIGNED ? 3 : 6)*K/100
#pragma hone feature COST = 2800 + max(MULTIPLY, COPY) + min(MULTIPLY, COPY)/3 + DEEP
