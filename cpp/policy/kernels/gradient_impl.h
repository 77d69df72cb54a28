// The kernels of the gradient; the rules of forward_impl.h hold here too.
#pragma once

#include "policy/kernels/forward_impl.h"

namespace {

using fripn::policy::NodeGradient;
using fripn::policy::PointGradient;

constexpr float ln2 = 0.6931471805599453F;

void attend_nodes_kept(const Dims& dims, const float* queries, int rows, const float* keys, const float* values,
                       const int* nodes, int count, const float* mask, int stride, float* weights, SoftmaxSums sums,
                       float* out) {
    AttendNodes<true> work{dims, queries, keys, values, nodes, count, mask, stride, weights, sums, out};
    in_groups(work, rows);
}

// blocks[c][j] += sum over r of inputs[r][c] * factors[r][j], for `channels` channels and V vectors of nodes.
template <int R, int V>
inline void spread(const float* inputs, int input_stride, int channels, const float* factors, int factor_stride,
                   float* (&blocks)[V]) {
    Vector factor[R][V];
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) factor[r][v] = load<W>(factors + r * factor_stride + v * W);
    for (int c = 0; c < channels; ++c) {
        Vector sum[V];
        for (int v = 0; v < V; ++v) sum[v] = load<W>(blocks[v] + c * block_lanes);
        for (int r = 0; r < R; ++r) {
            const Vector input = splat<W>(inputs[r * input_stride + c]);
            for (int v = 0; v < V; ++v) sum[v] += input * factor[r][v];
        }
        for (int v = 0; v < V; ++v) store<W>(blocks[v] + c * block_lanes, sum[v]);
    }
}

// The same for all nodes: `blocks` is [block][total][16], from channel `channel` on.
template <int R>
inline void spread_all(const float* inputs, int input_stride, int channels, const float* factors,
                       int factor_stride, int count, float* blocks, int total, int channel) {
    const int vectors = (count + W - 1) / W;
    const auto at = [&](int v) {
        return blocks + (block_address(blocks, total, v) - blocks) + channel * block_lanes;
    };
    in_vectors(
        [&]<int V>(int first) {
            float* several[V];
            for (int v = 0; v < V; ++v) several[v] = at(first + v);
            spread<R, V>(inputs, input_stride, channels, factors + first * W, factor_stride, several);
        },
        vectors);
}

struct AttendNodesBack {
    const Dims& dims;
    const NodeGradient& back;

    template <int R>
    void run(int first) {
        const int A = dims.nodes_width;
        for (int head = 0; head < dims.num_heads; ++head) {
            const int channel = head * dims.head_stride;
            const float* weights = back.weights + (first * dims.num_heads + head) * back.stride;
            const float* query = back.queries + first * A + channel;
            if (dims.head_width == 16)
                differentiate<R, 16>(first, head, weights);
            else
                differentiate<R, 0>(first, head, weights);
            spread_all<R>(query, A, dims.head_width, back.scratch, back.stride, back.count, back.d_keys, A, channel);
            for (int part = channel; part < channel + dims.head_stride; part += 16) {
                Vector sums[R][head_vectors];
                sum_rows<R>(back.scratch, back.stride, back.key_rows + part, back.row_stride, back.nodes, back.count,
                            sums);
                for (int r = 0; r < R; ++r)
                    for (int v = 0; v < head_vectors; ++v)
                        store<W>(back.d_queries + (first + r) * A + part + v * W, sums[r][v]);
                add_values<R>(first, part, weights);
            }
        }
    }

    // Gradient of one head's scores (in units of log2) into the scratch rows.
    template <int R, int head_width>
    void differentiate(int first, int head, const float* weights) {
        const int channel = head * dims.head_stride;
        float means[R];
        for (int r = 0; r < R; ++r) {
            means[r] = back.means ? back.means[(first + r) * dims.num_heads + head] : 0.0F;
            if (back.means) continue;
            const long at = static_cast<long>(first + r) * dims.nodes_width + channel;
            for (int c = 0; c < dims.head_width; ++c) means[r] += back.d_out[at + c] * back.out[at + c];
        }
        const int vectors = (back.count + W - 1) / W;
        in_vectors<vectors_for(R)>(
            [&]<int V>(int v) { differentiate_at<R, V, head_width>(first, channel, v, weights, means); }, vectors);
    }

    template <int R, int V, int head_width>
    void differentiate_at(int first, int channel, int vector, const float* weights, const float (&means)[R]) {
        const float* blocks[V];
        for (int v = 0; v < V; ++v)
            blocks[v] = block_address(back.value_blocks, dims.nodes_width, vector + v) + channel * block_lanes;
        Vector sums[R][V];
        dots<R, V>(back.d_out + first * dims.nodes_width + channel, dims.nodes_width,
                   head_width ? head_width : dims.head_width, blocks, sums);
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) {
                const int j = (vector + v) * W;
                const Vector weight = load<W>(weights + r * dims.num_heads * back.stride + j);
                store<W>(back.scratch + r * back.stride + j,
                         splat<W>(ln2) * weight * (sums[r][v] - splat<W>(means[r])));
            }
    }

    template <int R>
    void add_values(int first, int part, const float* weights) {
        Vector d_out[R][head_vectors];
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < head_vectors; ++v)
                d_out[r][v] = load<W>(back.d_out + (first + r) * dims.nodes_width + part + v * W);
        for (int j = 0; j < back.count; ++j) {
            float* row = back.d_values + static_cast<long>(back.nodes[j]) * back.row_stride + part;
            Vector sum[head_vectors];
            for (int v = 0; v < head_vectors; ++v) sum[v] = load<W>(row + v * W);
            for (int r = 0; r < R; ++r) {
                const Vector weight = splat<W>(weights[r * dims.num_heads * back.stride + j]);
                for (int v = 0; v < head_vectors; ++v) sum[v] += weight * d_out[r][v];
            }
            for (int v = 0; v < head_vectors; ++v) store<W>(row + v * W, sum[v]);
        }
    }
};

void attend_nodes_back(const Dims& dims, const NodeGradient& back) {
    AttendNodesBack work{dims, back};
    in_groups(work, back.rows);
}

struct PointBack {
    const Dims& dims;
    const PointGradient& back;

    template <int R>
    void run(int first) {
        const int A = dims.nodes_width;
        const float* d_sums = back.d_sums + first * back.stride;
        for (int part = 0; part < A; part += 16) {
            Vector sums[R][head_vectors];
            sum_rows<R>(d_sums, back.stride, back.pointer_rows + part, back.row_stride, back.nodes, back.count, sums);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < head_vectors; ++v)
                    store<W>(back.d_inputs + (first + r) * A + part + v * W, sums[r][v]);
        }
        spread_all<R>(back.inputs + first * A, A, A, d_sums, back.stride, back.count, back.d_pointers, A, 0);
        for (int r = 0; r < R; ++r)
            for (int j = 0; j < back.count; j += W)
                store<W>(back.d_biases + j, load<W>(back.d_biases + j) + load<W>(d_sums + r * back.stride + j));
    }
};

void point_back(const Dims& dims, const PointGradient& back) {
    PointBack work{dims, back};
    in_groups(work, back.rows);
}

void scores_back(const float* scores, const float* weights, const float* targets, int count, float scale,
                 float share, float target_share, float factor, float* d_sums) {
    const Vector one = splat<W>(1.0F);
    for (int j = 0; j < count; j += W) {
        // Unavailable scores are far below -scale; their weight is 0, and the clamp keeps the product defined.
        const Vector squashed = larger<W>(load<W>(scores + j) * splat<W>(1.0F / scale), splat<W>(-1.0F));
        const Vector excess = splat<W>(share) - load<W>(targets + j) * splat<W>(target_share);
        store<W>(d_sums + j, splat<W>(factor) * load<W>(weights + j) * excess * (one - squashed * squashed));
    }
}

void attend_types_back(const Dims& dims, const float* rows, int num_types, TypeRange queries, const float* weights,
                       const float* d_out, const float* means, float* d_rows) {
    using Heads = FloatLanes<head_lanes>;
    constexpr int L = head_lanes;
    const int lanes = dims.lanes_width;
    const int E = dims.types_width;
    const int width = dims.row_width;
    for (int k = 0; k < num_types; ++k)
        for (int c = 0; c < 3 * E; c += L) store<L>(d_rows + k * width + c, splat<L>(0.0F));
    for (int lane = 0; lane < lanes; lane += L)
        for (int r = 0; r < queries.count; ++r, weights += num_types * L) {
            const float* d_mine = d_out + r * E + lane;
            const int k = queries.first + r;
            const auto slope = [&](int other) {
                const float* value = rows + other * width + 2 * E + lane;
                Heads sum = splat<L>(0.0F);
                for (int c = 0; c < dims.head_width; ++c)
                    sum += load<L>(d_mine + c * lanes) * load<L>(value + c * lanes);
                return sum;
            };
            Heads mean = means ? load<L>(means + r * lanes + lane) : splat<L>(0.0F);
            for (int other = 0; other < num_types && !means; ++other)
                mean += load<L>(weights + other * L) * slope(other);
            for (int other = 0; other < num_types; ++other) {
                const Heads weight = load<L>(weights + other * L);
                const Heads d_score = splat<L>(ln2) * weight * (slope(other) - mean);
                const float* query = rows + k * width + lane;
                const float* key = rows + other * width + E + lane;
                float* d_query = d_rows + k * width + lane;
                float* d_key = d_rows + other * width + E + lane;
                float* d_value = d_rows + other * width + 2 * E + lane;
                for (int c = 0; c < dims.head_width * lanes; c += lanes) {
                    store<L>(d_query + c, load<L>(d_query + c) + d_score * load<L>(key + c));
                    store<L>(d_key + c, load<L>(d_key + c) + d_score * load<L>(query + c));
                    store<L>(d_value + c, load<L>(d_value + c) + weight * load<L>(d_mine + c));
                }
            }
        }
}

// Two vectors of columns at once, so that there are enough sums under way.
struct AddOuter {
    static constexpr int V = 2;
    static constexpr int most_rows = W == 16 ? 12 : max_rows;

    const float* left;
    int left_width;
    const float* right;
    int right_width;
    int rows;
    float* out;
    int column;

    template <int R>
    void run(int first) {
        if (column + V * W <= right_width)
            run_columns<R, V>(first);
        else
            run_columns<R, 1>(first);  // widths are multiples of 16
    }

    template <int R, int C>
    void run_columns(int first) {
        Vector sums[R][C];
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < C; ++v)
                sums[r][v] = load<W>(out + static_cast<long>(first + r) * right_width + column + v * W);
        for (int t = 0; t < rows; ++t) {
            Vector factor[C];
            for (int v = 0; v < C; ++v) factor[v] = load<W>(right + t * right_width + column + v * W);
            for (int r = 0; r < R; ++r) {
                const Vector input = splat<W>(left[t * left_width + first + r]);
                for (int v = 0; v < C; ++v) sums[r][v] += input * factor[v];
            }
        }
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < C; ++v)
                store<W>(out + static_cast<long>(first + r) * right_width + column + v * W, sums[r][v]);
    }
};

void add_outer(const float* left, int left_width, const float* right, int right_width, int rows, float* out) {
    for (int column = 0; column < right_width; column += AddOuter::V * W) {
        AddOuter work{left, left_width, right, right_width, rows, out, column};
        in_groups<AddOuter::most_rows>(work, left_width);
    }
}

void add_scaled(const float* row, int width, float factor, float* out) {
    const Vector scale = splat<W>(factor);
    for (int c = 0; c < width; c += 16)
        for (int v = c; v < c + 16; v += W) store<W>(out + v, load<W>(out + v) + scale * load<W>(row + v));
}

}  // namespace
