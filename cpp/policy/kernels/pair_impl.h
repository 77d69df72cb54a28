// The kernels of the pair term; the rules of forward_impl.h hold here too. Forward, nodes are lanes, so that nothing is
// summed across them; in the backward pass hidden units are, for the same reason.
#pragma once

#include "policy/kernels/forward_impl.h"

namespace {

using fripn::policy::PairGradient;
using fripn::policy::PairInputs;

// The pairs of one type with V vectors of nodes. What is not available gets an undefined number.
template <int V, int num_extras>
inline void add_pairs(const PairInputs& in, int row, int vector, float* sums) {
    const Vector zero = splat<W>(0.0F);
    const Vector per_capacity = splat<W>(in.per_capacity[row]);
    const float* types = in.types + row * in.type_stride;
    const float* blocks[V];
    Vector distance[V], share[V], extra[num_extras + 1][V], sum[V];
    for (int v = 0; v < V; ++v) {
        const int j = (vector + v) * W;
        blocks[v] = block_address(in.blocks, in.width, vector + v);
        distance[v] = load<W>(in.distances + row * in.stride + j);
        share[v] = load<W>(in.loads + j) * per_capacity;
        for (int e = 0; e < num_extras; ++e) extra[e][v] = load<W>(in.extras[e] + row * in.stride + j);
        sum[v] = zero;
    }
    for (int h = 0; h < in.width; ++h) {
        const Vector own = splat<W>(types[h]);
        const Vector along = splat<W>(in.distance_row[h]), fill = splat<W>(in.fill_row[h]);
        const Vector output = splat<W>(in.output_row[h]);
        Vector more[num_extras + 1];
        for (int e = 0; e < num_extras; ++e) more[e] = splat<W>(in.extra_rows[e][h]);
        for (int v = 0; v < V; ++v) {
            Vector hidden = load<W>(blocks[v] + h * block_lanes) + own + distance[v] * along + share[v] * fill;
            for (int e = 0; e < num_extras; ++e) hidden += extra[e][v] * more[e];
            sum[v] += larger<W>(hidden, zero) * output;
        }
    }
    for (int v = 0; v < V; ++v) store<W>(sums + row * in.stride + (vector + v) * W, sum[v]);
}

template <int num_extras>
inline void add_all_pairs(const PairInputs& in, float* sums) {
    const int vectors = (in.count + W - 1) / W;
    for (int row = 0; row < in.rows; ++row)
        in_vectors([&]<int V>(int v) { add_pairs<V, num_extras>(in, row, v, sums); }, vectors);
}

void pair(const PairInputs& in, float* sums) {
    if (in.num_extras == 2)
        add_all_pairs<2>(in, sums);
    else if (in.num_extras == 1)
        add_all_pairs<1>(in, sums);
    else
        add_all_pairs<0>(in, sums);
}

template <int num_extras>
inline void add_pairs_back(const PairInputs& in, const PairGradient& back) {
    constexpr int V = head_vectors;
    const Vector zero = splat<W>(0.0F);
    for (int first = 0; first < in.width; first += 16) {
        Vector along[V], fill[V], output[V], d_along[V], d_fill[V], d_output[V];
        Vector extra[num_extras + 1][V], d_extra[num_extras + 1][V];
        for (int v = 0; v < V; ++v) {
            along[v] = load<W>(in.distance_row + first + v * W);
            fill[v] = load<W>(in.fill_row + first + v * W);
            output[v] = load<W>(in.output_row + first + v * W);
            d_along[v] = d_fill[v] = d_output[v] = zero;
            for (int e = 0; e < num_extras; ++e) {
                extra[e][v] = load<W>(in.extra_rows[e] + first + v * W);
                d_extra[e][v] = zero;
            }
        }
        for (int r = 0; r < in.rows; ++r) {
            Vector own[V], d_own[V];
            for (int v = 0; v < V; ++v) {
                own[v] = load<W>(in.types + r * in.type_stride + first + v * W);
                d_own[v] = zero;
            }
            for (int j = 0; j < in.count; ++j) {
                const int at = r * in.stride + j;
                if (back.d_sums[at] == 0.0F) continue;
                const int node = in.open[j];
                const float* row = in.nodes + static_cast<long>(node) * in.width + first;
                float* d_row = back.d_nodes + static_cast<long>(node) * back.row_stride + first;
                const Vector slope = splat<W>(back.d_sums[at]);
                const Vector distance = splat<W>(in.distances[at]);
                const Vector share = splat<W>(in.loads[j] * in.per_capacity[r]);
                Vector value[num_extras + 1];
                for (int e = 0; e < num_extras; ++e) value[e] = splat<W>(in.extras[e][at]);
                for (int v = 0; v < V; ++v) {
                    Vector hidden = load<W>(row + v * W) + own[v] + distance * along[v] + share * fill[v];
                    for (int e = 0; e < num_extras; ++e) hidden += value[e] * extra[e][v];
                    const Vector d_hidden = Lanes<W>::select(zero < hidden, slope * output[v], zero);
                    store<W>(d_row + v * W, load<W>(d_row + v * W) + d_hidden);
                    d_own[v] += d_hidden;
                    d_along[v] += distance * d_hidden;
                    d_fill[v] += share * d_hidden;
                    for (int e = 0; e < num_extras; ++e) d_extra[e][v] += value[e] * d_hidden;
                    d_output[v] += slope * larger<W>(hidden, zero);
                }
            }
            for (int v = 0; v < V; ++v) store<W>(back.d_types + r * in.type_stride + first + v * W, d_own[v]);
        }
        for (int v = 0; v < V; ++v) {
            const int at = first + v * W;
            store<W>(back.d_distance + at, d_along[v]);
            store<W>(back.d_fill + at, load<W>(back.d_fill + at) + d_fill[v]);
            for (int e = 0; e < num_extras; ++e)
                store<W>(back.d_extras[e] + at, load<W>(back.d_extras[e] + at) + d_extra[e][v]);
            store<W>(back.d_output + at, load<W>(back.d_output + at) + d_output[v]);
        }
    }
}

void pair_back(const PairInputs& in, const PairGradient& back) {
    if (in.num_extras == 2)
        add_pairs_back<2>(in, back);
    else if (in.num_extras == 1)
        add_pairs_back<1>(in, back);
    else
        add_pairs_back<0>(in, back);
}

}  // namespace
