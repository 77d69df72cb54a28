// The kernels of the pair term; the rules of kernels_impl.h hold here too. Hidden units are lanes: few pairs are left
// late in a trajectory, and those that are not available are passed over.
#pragma once

#include "policy/kernels_impl.h"

namespace {

using fripn::policy::PairGradient;
using fripn::policy::PairInputs;

// `blocks` times 16 hidden units, from `first` on.
template <int blocks, int num_extras>
inline void add_pairs(const PairInputs& in, const float* mask, int first, float* sums) {
    constexpr int V = blocks * head_vectors;
    const Vector zero = splat<W>(0.0F);
    Vector along[V], fill[V], extra[num_extras + 1][V], output[V];
    for (int v = 0; v < V; ++v) {
        along[v] = load<W>(in.distance_row + first + v * W);
        fill[v] = load<W>(in.fill_row + first + v * W);
        for (int e = 0; e < num_extras; ++e) extra[e][v] = load<W>(in.extra_rows[e] + first + v * W);
        output[v] = load<W>(in.output_row + first + v * W);
    }
    for (int r = 0; r < in.rows; ++r) {
        Vector own[V];
        for (int v = 0; v < V; ++v) own[v] = load<W>(in.types + r * in.type_stride + first + v * W);
        for (int j = 0; j < in.count; ++j) {
            const int at = r * in.stride + j;
            if (mask[at] < 0.0F) continue;
            const int node = in.open[j];
            const float* row = in.nodes + static_cast<long>(node) * in.width + first;
            const Vector distance = splat<W>(in.distances[at]);
            const Vector share = splat<W>(in.demands[node] * in.per_capacity[r]);
            Vector value[num_extras + 1];
            for (int e = 0; e < num_extras; ++e) value[e] = splat<W>(in.extras[e][at]);
            Vector sum = zero;
            for (int v = 0; v < V; ++v) {
                Vector hidden = load<W>(row + v * W) + own[v] + distance * along[v] + share * fill[v];
                for (int e = 0; e < num_extras; ++e) hidden += value[e] * extra[e][v];
                sum += larger<W>(hidden, zero) * output[v];
            }
            const float total = halved_sum_of<W>(sum);
            sums[at] = first == 0 ? total : sums[at] + total;
        }
    }
}

template <int num_extras>
inline void add_all_pairs(const PairInputs& in, const float* mask, float* sums) {
    int first = 0;
    for (; first + 32 <= in.width; first += 32) add_pairs<2, num_extras>(in, mask, first, sums);
    if (first < in.width) add_pairs<1, num_extras>(in, mask, first, sums);
}

void pair(const PairInputs& in, const float* mask, float* sums) {
    if (in.num_extras == 2)
        add_all_pairs<2>(in, mask, sums);
    else if (in.num_extras == 1)
        add_all_pairs<1>(in, mask, sums);
    else
        add_all_pairs<0>(in, mask, sums);
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
                const Vector share = splat<W>(in.demands[node] * in.per_capacity[r]);
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
