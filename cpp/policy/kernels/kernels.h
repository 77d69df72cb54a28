// The arithmetic of the decoder, compiled once per instruction set and chosen when the program runs.
//
// Layouts (reasons in docs/policy.md): nodes are lanes. Keys of the unvisited nodes lie in blocks of 16 nodes,
// [block][channel][16], so that scores need no sums across lanes; values lie in rows, [node][channel], for the
// same reason. In the attention among types the heads are lanes.
#pragma once

namespace fripn::policy {

inline constexpr int block_lanes = 16;

// Scores of what is not available: so low that its share is exactly 0, finite so that arithmetic stays defined.
inline constexpr float unavailable = -1e30F;

// Neighbouring types.
struct TypeRange {
    int first;
    int count;

    [[nodiscard]] int end() const { return first + count; }
    [[nodiscard]] bool contains(int type) const { return first <= type && type < end(); }
};

struct Dims {
    int num_heads;
    int head_width;
    int lanes_width;  // heads rounded up to 8: lanes of the attention among types
    int head_stride;  // head_width rounded up to 16
    int types_width;  // E: channels of that attention, [channel][head]; rounded up to 16
    int nodes_width;  // A: channels of the attention to the nodes, [head][channel]
    int row_width;    // query | key | value of a type, its own query if there is a residual, its part of the pair term
    bool has_residual;
    bool is_joint;    // one softmax over all pairs of a query and a key, instead of one per query
    int pair_width;   // hidden units of the pair term rounded up to 16; 0 for none
};

// Where an attention writes the largest score of each softmax (per query and head, in units of log2) and the sum of
// its exponentials relative to that; nullptr where not needed.
struct SoftmaxSums {
    float* tops;
    float* totals;
};

// What attend_nodes_back reads and writes.
struct NodeGradient {
    const float* queries;
    int rows;
    const float* weights;       // (rows, heads, stride)
    const float* out;           // (rows, A)
    const float* d_out;         // (rows, A)
    const float* means;         // (rows, heads): d_out . out of each softmax; nullptr: found here
    const float* key_rows;      // per node
    const float* value_blocks;  // [block][A][16]
    const int* nodes;
    int count;
    int stride;
    int row_stride;
    float* scratch;
    float* d_queries;
    float* d_keys;   // [block][A][16]
    float* d_values; // per node
};

// What point_back reads and writes.
struct PointGradient {
    const float* inputs;  // (rows, A)
    int rows;
    const float* d_sums;  // (rows, stride)
    const float* pointer_rows;
    const int* nodes;
    int count;
    int stride;
    int row_stride;
    float* d_inputs;
    float* d_pointers;  // [block][A][16]
    float* d_biases;    // per place
};

// What the pair term is made of: for a type r and the node at place j,
// output . relu(nodes[node] + types[r] + distance_row * distances[r][j] + fill_row * loads[j] * per_capacity[r]
//               + sum over extras of extra_rows[e] * extras[e][r][j]).
struct PairInputs {
    int width;
    const float* nodes;   // (N, width); for the backward pass only
    const float* blocks;  // the same of the open nodes, [block][width][16]
    const float* types;  // rows type_stride floats apart
    int type_stride;
    int rows;
    const float* distances;     // (rows, stride)
    const float* loads;         // demand at each place
    const float* per_capacity;  // per row
    const float* distance_row;
    const float* fill_row;
    int num_extras;             // further inputs of a pair, each with its row
    const float* extras[2];     // (rows, stride)
    const float* extra_rows[2];
    const float* output_row;
    const int* open;  // node at each place
    int count;
    int stride;
};

// What pair_back reads and writes.
struct PairGradient {
    const float* d_sums;  // (rows, stride)
    float* d_nodes;       // per node, row_stride floats apart; added
    int row_stride;
    float* d_types;       // laid out like the types; set
    float* d_distance;    // set
    float* d_fill;        // added
    float* d_extras[2];   // added
    float* d_output;      // added
};

struct Kernels {
    const char* name;

    // out = sum of coefficients[r] * rows[r]; `width` is a multiple of 16.
    void (*combine)(float* out, int width, int count, const float* const* rows, const float* coefficients);

    // Attention among the types: rows of query | key | value in, E channels for each of `queries` out. `weights` keeps
    // the attention: lanes_width floats per pair of a query and a type. `sums` are (queries, lanes_width).
    void (*attend_types)(const Dims& dims, const float* rows, int num_types, TypeRange queries, float* weights,
                         SoftmaxSums sums, float* out);

    // out = inputs (rows x in_width) times matrix (in_width x out_width, in blocks of 16 columns), plus bias and
    // residual (rows x out_width) unless they are nullptr.
    void (*project)(const float* inputs, int rows, int in_width, const float* matrix, int out_width,
                    const float* bias, const float* residual, float* out);

    // mask[j] = 0 where rank[j] < threshold, else `unavailable`; `count` is rounded up to full blocks.
    void (*mask)(const float* rank, int count, float threshold, float* mask);

    // Masked multi-head attention of `rows` queries (A channels each) to `count` nodes. Mask rows lie
    // `stride` floats apart; `scratch` holds `stride` floats per query, and at least 8 times as many; queries are in
    // units of log2. `sums` are (rows, heads).
    void (*attend_nodes)(const Dims& dims, const float* queries, int rows, const float* keys,
                         const float* values, const int* nodes, int count, const float* mask, int stride,
                         float* scratch, SoftmaxSums sums, float* out);

    // The pair term: sums (rows, stride), undefined where a node is not available.
    void (*pair)(const PairInputs& inputs, float* sums);

    // scores = factor * tanh(inputs . keys + bias + extra), `unavailable` where masked; keys, bias and extra (rows,
    // stride), which may be nullptr, are scaled by 2 log2(e). maxima[r] is the largest of each row.
    void (*point)(const Dims& dims, const float* inputs, int rows, const float* keys, const float* bias,
                  const float* extra, int count, const float* mask, int stride, float factor, float* scores,
                  float* maxima);

    // weights = 2^(scores - maximum), exactly 0 where unavailable; returns their sum.
    float (*exponentiate)(const float* scores, int count, float maximum, float* weights);

    // -- for the gradient --------------------------------------------------------------------------------------

    // As attend_nodes, keeping the attention: weights (rows, heads, stride).
    void (*attend_nodes_kept)(const Dims& dims, const float* queries, int rows, const float* keys,
                              const float* values, const int* nodes, int count, const float* mask, int stride,
                              float* weights, SoftmaxSums sums, float* out);

    // From the gradient of attend_nodes' result to those of queries (set), key blocks and value rows (added).
    // Keys and the gradient of values are rows `row_stride` floats apart; `scratch` holds `stride` floats per row.
    void (*attend_nodes_back)(const Dims& dims, const NodeGradient& back);

    // From the gradient of scores before tanh to those of inputs (set), pointer blocks and biases (added).
    void (*point_back)(const Dims& dims, const PointGradient& back);

    // From the gradient of the pair term's sums, which is 0 where unavailable.
    void (*pair_back)(const PairInputs& inputs, const PairGradient& back);

    // d_sums = factor * weights * (share - targets * target_share) * (1 - tanh^2), where tanh = scores / scale.
    void (*scores_back)(const float* scores, const float* weights, const float* targets, int count, float scale,
                        float share, float target_share, float factor, float* d_sums);

    // From the gradient of attend_types' result to that of the rows (query | key | value, set; 0 for the queries of
    // the other types). `means` (queries, lanes_width) are d_out . out of each softmax; nullptr: found here.
    void (*attend_types_back)(const Dims& dims, const float* rows, int num_types, TypeRange queries,
                              const float* weights, const float* d_out, const float* means, float* d_rows);

    // out (left_width x right_width) += transposed left (rows x left_width) times right (rows x right_width).
    void (*add_outer)(const float* left, int left_width, const float* right, int right_width, int rows, float* out);

    // out += factor * row; `width` is a multiple of 16.
    void (*add_scaled)(const float* row, int width, float factor, float* out);
};

// The fastest set this processor can run.
[[nodiscard]] const Kernels& kernels();

// A set by name (baseline, avx2, avx512), or nullptr when it is not built in or cannot run here.
[[nodiscard]] const Kernels* kernels_named(const char* name);

}  // namespace fripn::policy
