// The arithmetic of the decoder, compiled once per instruction set and chosen when the program runs.
//
// Layouts (docs/policy.md says why): nodes are lanes. Keys of the unvisited nodes lie in blocks of 16 nodes,
// [block][channel][16], so that scores need no sums across lanes; values lie in rows, [node][channel], for the
// same reason. In the attention among types the heads are lanes.
#pragma once

namespace fripn::policy {

inline constexpr int block_lanes = 16;

// Scores of what is not available: so low that its share is exactly 0, finite so that arithmetic stays defined.
inline constexpr float unavailable = -1e30F;

struct Dims {
    int num_heads;
    int head_width;
    int lanes_width;  // heads rounded up to 8: lanes of the attention among types
    int head_stride;  // head_width rounded up to 16
    int types_width;  // E: channels of that attention, [channel][head]; rounded up to 16
    int nodes_width;  // A: channels of the attention to the nodes, [head][channel]
    int row_width;    // query | key | value of a type, and its own query if there is a residual
    bool has_residual;
};

struct Kernels {
    const char* name;

    // out = sum of coefficients[r] * rows[r]; `width` is a multiple of 16.
    void (*combine)(float* out, int width, int count, const float* const* rows, const float* coefficients);

    // Attention among the types: rows of query | key | value in, E channels per type out. `scratch` holds
    // lanes_width floats per pair of types.
    void (*attend_types)(const Dims& dims, const float* rows, int num_types, float* scratch, float* out);

    // out = inputs (rows x E) times matrix (E x A, in blocks of 16 columns) + bias + residual, where residual
    // rows lie `residual_stride` floats apart (nullptr: none).
    void (*project)(const Dims& dims, const float* inputs, int rows, const float* matrix, const float* bias,
                    const float* residual, int residual_stride, float* out);

    // mask[j] = 0 where rank[j] < threshold, else `unavailable`; `count` is rounded up to full blocks.
    void (*mask)(const float* rank, int count, float threshold, float* mask);

    // Masked multi-head attention of `rows` queries (A channels each) to `count` nodes. Mask rows lie
    // `stride` floats apart; `scratch` holds `stride` floats per query; queries are in units of log2.
    void (*attend_nodes)(const Dims& dims, const float* queries, int rows, const float* keys,
                         const float* values, const int* nodes, int count, const float* mask, int stride,
                         float* scratch, float* out);

    // scores = factor * tanh(inputs . keys + bias), `unavailable` where masked; keys and bias are scaled by
    // 2 log2(e). maxima[r] is the largest of each row.
    void (*point)(const Dims& dims, const float* inputs, int rows, const float* keys, const float* bias,
                  int count, const float* mask, int stride, float factor, float* scores, float* maxima);

    // weights = 2^(scores - maximum), exactly 0 where unavailable; gives their sum.
    float (*exponentiate)(const float* scores, int count, float maximum, float* weights);
};

// The fastest set this processor can run.
[[nodiscard]] const Kernels& kernels();

// A set by name (baseline, avx2, avx512), or nullptr when it is not built in or cannot run here.
[[nodiscard]] const Kernels* kernels_named(const char* name);

}  // namespace fripn::policy
