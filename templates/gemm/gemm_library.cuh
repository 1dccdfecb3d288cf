/* SPDX-License-Identifier: Apache-2.0 */
/* How long NVIDIA's library takes for a product, ns: what choosers begin with. Of 16 bits
 * into 32 it is fitted to 131 products of f16 into f32 on an H200 (decision 228), others are
 * rates. Where rows are no multiples of 16 bytes the library takes
 * kernels that are five times slower. */
#pragma once

#pragma hone let WIDER = sizeof(T) == 2 && sizeof(OUT) > 2
/* Elements that rows of A and B begin at multiples of, and flops that a multiprocessor
 * does in a nanosecond then. */
#pragma hone let GRAIN = gcd(gcd(LDA, LDB), 16/sizeof(T))
#pragma hone let ALIGNED = GRAIN*sizeof(T) == 16
#pragma hone let PACE = T == f64 ? 480 : T == f32 ? 380 : (ALIGNED ? (WIDER ? 6200 : 5900) : GRAIN > 1 ? 1200 : 800)*2/sizeof(T)
/* Tiles of 128 x 128 in whole rounds, a quarter of what that adds: it has others. One row
 * or column takes what memory takes. */
#pragma hone let TILES = max(ceildiv(M, 128)*ceildiv(N, 128)*BATCH, 1)
#pragma hone let ROUNDS = 72 + 28*align(TILES, device.sm_count)/TILES
#pragma hone let FLOPS = M == 1 || N == 1 ? 0 : 2*BATCH*align(M, 32)*align(N, 32)*K
#pragma hone let MULTIPLY = FLOPS/(PACE*device.sm_count)*(TILES > device.sm_count && !WIDER ? ROUNDS : 100)/100
/* A wider C is read and written after the multiplications, at 3.6 TB/s at the most. */
#pragma hone let BYTES_C = BATCH*(1 + ADD)*M*N*sizeof(OUT)
#pragma hone let WRITE = WIDER ? BYTES_C/device.sm_count*(ALIGNED ? 36 : 68)/1000 + (ALIGNED ? 77 : 128)*max(TILES, device.sm_count)/device.sm_count : 0
#pragma hone let COPY = (BATCH*(M*K + K*N)*sizeof(T) + BYTES_C)/((WIDER ? 30 : 26)*device.sm_count)
#pragma hone let DEEP = WIDER ? (ALIGNED ? 413 : 650)*min(K, 850)/100 + (ALIGNED ? 44 : 106)*K/1000 : (ALIGNED ? 11 : 45)*min(K, 2K)/10 + (ALIGNED ? 3 : 6)*K/100
#pragma hone feature COST = (WIDER ? 2150 : 2800) + max(MULTIPLY + WRITE, COPY) + min(MULTIPLY + WRITE, COPY)*3/(WIDER ? 10 : 9) + DEEP
