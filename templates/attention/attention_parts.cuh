/* SPDX-License-Identifier: Apache-2.0 */
/* What implementations of attention share: where the heads of a row lie, and which
 * keys it sees. See attention.cuh.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ATTENTION_PARTS_CUH
#define HONE_ATTENTION_PARTS_CUH

namespace hone {

/* 1/ln 2: exp(x) = 2^(LOG2E*x). */
constexpr float LOG2E = 1.44269504f;

/* Dimensions of the problem; lengths are null where all are whole. */
struct sequences {
    int rows, heads, group, keys;
    const int *rows_of, *keys_of;
};

/* One head of keys and values of one sequence, and the queries that read it: row r of
 * them is that of query r/group and of head r%group of the group, so that a tile of
 * rows reads keys once for all heads of the group. */
template <int D, bool CAUSAL> struct head {
    int group, rows, keys; /* of this sequence; rows: of all of the group */
    int all_rows, queries; /* of outputs: group*queries */
    long long q, kv;       /* first elements, in q and out, and in k and v */
    long long row_step, key_step; /* elements to the next query, the next key */
    long long lse;

    __device__ head(const sequences &s, int sequence, int of_sequence)
        : group(s.group),
          rows((s.rows_of ? s.rows_of[sequence] : s.rows) * s.group),
          keys(s.keys_of ? s.keys_of[sequence] : s.keys),
          all_rows(s.rows * s.group), queries(s.rows),
          row_step((long long)s.heads * s.group * D),
          key_step((long long)s.heads * D)
    {
        q = (long long)sequence * s.rows * row_step +
            (long long)of_sequence * s.group * D;
        kv = (long long)sequence * s.keys * key_step +
             (long long)of_sequence * D;
        lse = ((long long)sequence * s.heads + of_sequence) * all_rows;
    }

    /* Where row r begins in q and out, and where its number is in lse. */
    __device__ long long q_of(int r) const
    {
        return q + r / group * row_step + r % group * D;
    }
    __device__ long long lse_of(int r) const
    {
        return lse + (long long)(r % group) * queries + r / group;
    }
    /* Keys that row r sees: those before this one. */
    __device__ int seen(int r) const
    {
        if (r >= rows)
            return 0;
        return CAUSAL ? max(0, min(keys, r / group + 1 +
                                             (keys - rows / group)))
                      : keys;
    }
    /* The keys that any of `count` rows from `first` on sees. */
    __device__ int seen_by_any(int first, int count) const
    {
        return first >= rows ? 0 : seen(min(first + count, rows) - 1);
    }
};

/* Which rows of which head a block has: `place` counts them with tiles of rows or
 * heads first; of causal ones the tiles that see most keys come first. */
struct tile_of_rows {
    int sequence, head, tile;

    __device__ tile_of_rows(unsigned place, int tiles, int heads, int all_heads,
                            bool tiles_first, bool last_first)
    {
        const unsigned all = tiles_first ? place / tiles : place % all_heads;

        tile = (int)(tiles_first ? place % tiles : place / all_heads);
        if (last_first)
            tile = tiles - 1 - tile;
        sequence = (int)(all / heads);
        head = (int)(all % heads);
    }
};

} /* namespace hone */

#endif
