/* SPDX-License-Identifier: Apache-2.0 */
/* attention: out = softmax(scale * q * k^T) * v for each head of each sequence,
 * the contract of all its implementations (the forward pass).
 *
 * Shapes: `batch` sequences, in each `rows` queries of heads*group heads, `keys` keys
 * and values of `heads` heads, D numbers of T (f16 or bf16) each. Heads h*group to
 * h*group + group - 1 of the queries read head h of keys and values: group = 1 is an
 * attention of many heads, heads = 1 one of many queries. Any rows from 1 up, any keys
 * from 0 up.
 *
 * Layout: q and out are [batch][rows][heads*group][D], k and v [batch][keys][heads][D],
 * one behind the other; lse is [batch][heads*group][rows]. q, k, v and out begin at
 * multiples of 16 bytes, and so does then every head of every row.
 *
 * RAGGED 1: sequence b has rows_of[b] queries, 0 to `rows`, and keys_of[b] keys, 0
 * to `keys`; what stands behind them in q, k and v does not count and may hold
 * anything, NaN too. Else all have `rows` and `keys`, and rows_of and keys_of are
 * left out (null).
 *
 * CAUSAL 1: the last query of a sequence sees all of its keys, and each one before it
 * one key less: query i sees key j if j - keys <= i - rows, both of that sequence.
 *
 * lse[i] is the natural logarithm of the sum of exp(scale * (q_i . k_j)) over the
 * keys that query i sees. Of a query that sees no key (keys or keys_of[b] is 0; CAUSAL
 * with fewer keys than queries) out is 0 and lse is -inf; so it is of rows from
 * rows_of[b] on, all of which are written.
 *
 * scale: above 0 (1/sqrt(D) as a rule), and f32. Inputs that count are finite,
 * and so are all scale * (q . k), which stay below 2^126.
 *
 * Accuracy: sums are kept in f32, in any order, results rounded to T once. With u =
 * 2^-24, r = 2^-11 (f16) or 2^-8 (bf16), p_j the weights, which add up to 1:
 *   scores    products of T are exact in f32; D additions, which tensor cores may
 *             truncate: e = (2D + 3)*u*scale*sum of |q*k| in the exponent, the
 *             scaling, log2(e) and the subtraction of a maximum with it;
 *   weights   exp is within 4u; they are rounded to T for the product with v
 *             (r of each, and of f16 at most 2^-25 below 2^-14), their sum is not;
 *   sums      of positive terms, and of p_j*v_j, which at most 2*keys*u of the sum of
 *             sizes can get lost in; factors exp(old - new maximum) add 6u each.
 * So out is within (r + 2*max e + (4*keys + 16)*u) * sum of p_j*|v_j|, of f16 another
 * keys * 2^-25 * max |v|, before the last rounding; lse within max e + (2*keys + 16)*u +
 * 2u*|lse|. Of many keys this bounds little, as |out| is far below the mean of |v|. But
 * roundings of weights are independent, r/sqrt(3) in the mean, so that errors add up as
 * squares: what is checked is (r + keys/8*u + 64u) * (4 * root of the sum of (p_j*v_j)^2 *
 * (1 + B/8) + |out|), and 4e-6 for weights of f16 that are not normal, where B is the mean of
 * scale*sum of |q*k|, weighted by p; lse within (2D + keys/8 + 64)*u * (1 + |lse| + B)
 * (attention_magnitude.cu).
 *
 * Hazards: outputs overlap no input. scale = 0, and negative, gives what it gives.
 * Lengths beyond `rows` and `keys` read and write outside of arrays.
 *
 * Source: Dao, FlashAttention-2 (2023): tiles of keys pass by queries that stay, with
 * the running maximum and sum of Milakov and Gimelshein (2018). The log-sum-exp is
 * what a backward pass, or a merge of parts, needs.
 *
 * Bound by tensor cores from some hundred queries on (4*D operations for each pair, and
 * one exponential); where queries are few by memory, k and v once of each of `heads`. */
#pragma once

#pragma hone op attention(rows, heads default 1, group default 1, batch default 1, D in {64, 128} default 128, T in {f16, bf16} default f16, CAUSAL in {0, 1}, RAGGED in {0, 1}, keys from 0 default rows) "out = softmax(scale*q*k^T)*v and its log-sum-exp, for each head"
#pragma hone let HEADS = heads*group
/* Queries are drawn so wide that later keys have scores far above the first ones:
 * running maxima move. */
#pragma hone arg q: in T[batch*rows*HEADS*D] normal(0, 3), k: in T[batch*keys*heads*D] normal(0, 1), v: in T[batch*keys*heads*D]
#pragma hone arg rows_of: in optional(RAGGED) i32[batch] from 0..rows, keys_of: in optional(RAGGED) i32[batch] from 0..keys
#pragma hone arg scale: f32 from 0.05..0.15, out: out T[batch*rows*HEADS*D], lse: out f32[batch*HEADS*rows]

#pragma hone require max(rows*group, keys, batch*HEADS) <= 2000000000 "rows of a group, keys and all heads must fit 31 bits"

#pragma hone work flops(keys >= 16M ? 0 : 4*batch*HEADS*D*(CAUSAL ? rows <= keys ? rows*(keys - rows) + rows*(rows + 1)/2 : keys*(keys + 1)/2 : rows*keys)) bytes(2*batch*D*sizeof(T)*(rows*HEADS + keys*heads) + 4*batch*HEADS*rows)
#pragma hone shapes (8192, 16, 1, 2) (8192, 16, 1, 2, 128, f16, 1) (4096, 32, 1, 2, 64, bf16, 1) (2048, 8, 4, 4, 128, bf16, 1) (1, 8, 4, 16, 128, f16, 0, 0, 8192) (1009, 2, 3, 3, 64, f16, 1, 1, 1511)
#pragma hone check template.attention_plain magnitude template.attention_magnitude tolerance((T == f16 ? 8192 : 64K) + keys/8 + 64) abs(4e-6) for lse tolerance(2*D + keys/8 + 64) abs(0)
#pragma hone baseline template.attention_plain
