/* SPDX-License-Identifier: Apache-2.0 */
/* How long NVIDIA's library takes for a product, ns: what choosers begin with. Of
 * factors of 16 bits it is fitted to 912 products on an H200 (decision 250), of other
 * types they are rates. Its kernels for Hopper take rows that are multiples of 8
 * elements, C's too; others get those of older cards, up to five times as slow. */
#pragma once

#pragma hone let HALVES = sizeof(T) == 2
#pragma hone let GRAIN = gcd(gcd(gcd(LDA, LDB), HALVES ? LDC : LDB), 16/sizeof(T))
#pragma hone let ALIGNED = GRAIN*sizeof(T) == 16
#pragma hone let BYTES = BATCH*((M*K + K*N)*sizeof(T) + (1 + ADD)*M*N*sizeof(OUT))

/* Aligned rows. The library finds tiles that keep every multiprocessor busy once, so
 * that each has its share of C, AREA elements, of tiles as square as they can be: sides
 * of 2*sqrt(AREA) together, which is what tangents of it give. Tiles have no less than
 * 512 elements and no more than 40,960. K is shared by 6 or 36 where that is faster. */
#pragma hone let AREA = BATCH*align(M, 8)*align(N, 8)/device.sm_count
#pragma hone let AREA1 = max(AREA, 512)
#pragma hone let AREA6 = max(AREA*6, 512)
#pragma hone let AREA36 = max(AREA*36, 512)
#pragma hone let SIDES1 = AREA1 <= 40960 ? min(min(AREA1/32 + 32, AREA1/64 + 64), AREA1/128 + 128) : AREA1/101 + 43
#pragma hone let SIDES6 = min(min(AREA6/32 + 32, AREA6/64 + 64), AREA6/128 + 128)
#pragma hone let SIDES36 = min(min(AREA36/32 + 32, AREA36/64 + 64), AREA36/128 + 128)
#pragma hone let MULTIPLY = AREA*K/3940
#pragma hone let COPY = BYTES/(37*device.sm_count)
#pragma hone let MOST1 = max(max(MULTIPLY, COPY), K*SIDES1/75)
#pragma hone let MOST6 = max(max(MULTIPLY, COPY), K*SIDES6/450)
#pragma hone let MOST36 = max(max(MULTIPLY, COPY), K*SIDES36/2700)
#pragma hone let BUSY1 = (MOST1*11 + (MULTIPLY + COPY + K*SIDES1/75)*10)/21
#pragma hone let BUSY6 = (MOST6*11 + (MULTIPLY + COPY + K*SIDES6/450)*10)/21
#pragma hone let BUSY36 = (MOST36*11 + (MULTIPLY + COPY + K*SIDES36/2700)*10)/21
#pragma hone let MEET = BATCH*M*N*ADD*sizeof(OUT)/4460 + 2870
#pragma hone let WHOLE = BUSY1 + AREA1*(55 + ADD*sizeof(OUT)*12)/1000 + min(K, 770)*915/1000 + K*456/1000
#pragma hone let BY6 = BUSY6 + AREA6*55/1000 + min(K/6, 770)*915/1000 + K*76/1000 + BATCH*M*N*24/4460 + MEET
#pragma hone let BY36 = BUSY36 + AREA36*55/1000 + min(K/36, 770)*915/1000 + K*13/1000 + BATCH*M*N*144/4460 + MEET
#pragma hone let SPLIT = K < 1536 || AREA > 8192 ? WHOLE : K < 9216 || AREA > 1365 ? BY6 : min(BY6, BY36)
#pragma hone let OF_HALVES = 2310 + ADD*250 + min(WHOLE, SPLIT)

/* Other rows: tiles of 128 x 128, K shared where these are few. Multiprocessors
 * multiply at a sixth of the rate of aligned rows, at an eighth where a row has an odd
 * number of elements. */
#pragma hone let ODD = GRAIN == 1
#pragma hone let TILES = BATCH*ceildiv(M, 128)*ceildiv(N, 128)
#pragma hone let SHARES = max(min((ODD ? 96 : 69)/max(TILES, 1), K/256), 1)
#pragma hone let WORK = BATCH*align(M, 64)*align(N, 64)/device.sm_count*K/(ODD ? 461 : 719) + BATCH*M*N*sizeof(OUT)*(1 + ADD + ODD*ADD)/device.sm_count*(ODD ? 32 : 57)/1000
#pragma hone let BRING = BYTES/((ODD ? 17 : 32)*device.sm_count)
#pragma hone let OF_LOOSE = M == 1 || N == 1 ? 3600 + BYTES/(16*device.sm_count) : (ODD ? 2880 : 1990) + ADD*(ODD ? 330 : 200) + max(WORK, BRING) + min(WORK, BRING)*(ODD ? 4 : 2)/10 + (ODD ? 80*min(K, 803) : 65*min(K, 716))/10 + K*(ODD ? 16 : 17)/SHARES/10

/* Other types: flops that a multiprocessor does in a nanosecond, tiles of 128 x 128 in
 * whole rounds, a quarter of what that adds: it has others. One row or column takes
 * what memory takes. */
#pragma hone let PACE = T == f64 ? 480 : T == f32 ? 380 : (ALIGNED ? 5900 : GRAIN > 1 ? 1200 : 800)*2/sizeof(T)
#pragma hone let ROUNDS = TILES > device.sm_count ? 72 + 28*align(TILES, device.sm_count)/TILES : 100
#pragma hone let FLOPS = M == 1 || N == 1 ? 0 : 2*BATCH*align(M, 32)*align(N, 32)*K/(PACE*device.sm_count)*ROUNDS/100
#pragma hone let READ = BYTES/(26*device.sm_count)
#pragma hone let DEEP = (ALIGNED ? 11 : 45)*min(K, 2K)/10 + (ALIGNED ? 3 : 6)*K/100
#pragma hone let OF_OTHERS = 2800 + max(FLOPS, READ) + min(FLOPS, READ)/3 + DEEP

#pragma hone feature COST = HALVES ? (ALIGNED ? OF_HALVES : OF_LOOSE) : OF_OTHERS
