// The kernels, written once over lanes; a translation unit defines FRIPN_LANES and includes this.
//
// No standard library types here: an inline function of theirs, compiled for a newer instruction set, could be
// the copy the linker keeps for everybody.
#pragma once

#include "policy/kernels/kernels.h"
#include "policy/kernels/lanes.h"

namespace {

using fripn::policy::block_lanes;
using fripn::policy::Dims;
using fripn::policy::Kernels;
using fripn::policy::SoftmaxSums;
using fripn::policy::TypeRange;
using fripn::policy::unavailable;

constexpr int W = FRIPN_LANES;
using Vector = FloatLanes<W>;

// Queries handled together: as many as leave the accumulators in registers.
constexpr int max_rows = W == 4 ? 3 : 6;

// Vectors of nodes handled together for so many queries.
constexpr int max_vectors = W == 16 ? 4 : 2;

// For few queries more of them: that many sums have to be under way, or each waits for the one before.
constexpr int sums_under_way = 8;

constexpr int vectors_for(int rows) {
    return rows * max_vectors >= sums_under_way || rows > 2 ? max_vectors : sums_under_way / rows;
}

constexpr int head_vectors = 16 / W;

// Lanes of the attention among types: its heads, padded to 8.
constexpr int head_lanes = 8;

// Calls f.template run<R>(first) for groups of at most `most` rows, as equal as they come.
template <int R, class F>
inline void run_group(F& f, int first, int rows) {
    if constexpr (R >= 1) {
        if (rows == R)
            f.template run<R>(first);
        else
            run_group<R - 1>(f, first, rows);
    }
}

template <int most = max_rows, class F>
inline void in_groups(F& f, int rows) {
    const int groups = (rows + most - 1) / most;
    for (int g = 0, first = 0; g < groups; ++g) {
        const int size = (rows - first) / (groups - g);
        run_group<most>(f, first, size);
        first += size;
    }
}

// Calls f.template operator()<V>(v) for all vectors v, as many together as registers allow and then the rest.
template <int V = max_vectors, class F>
inline void in_vectors(const F& f, int vectors, int v = 0) {
    if constexpr (V >= 1) {
        for (; v + V <= vectors; v += V) f.template operator()<V>(v);
        in_vectors<V - 1>(f, vectors, v);
    }
}

// Where vector number v (W nodes) of channel 0 starts in blocks of 16 nodes with `channels` channels.
inline const float* block_address(const float* blocks, int channels, int v) {
    const int node = v * W;
    return blocks + static_cast<long>(node / block_lanes) * channels * block_lanes + node % block_lanes;
}

// Dot products of R inputs with V vectors of nodes: channels [0, count) from `keys[v]` on.
template <int R, int V>
inline void dots(const float* inputs, int input_stride, int count, const float* const (&keys)[V],
                 Vector (&sums)[R][V]) {
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) sums[r][v] = splat<W>(0.0F);
    for (int c = 0; c < count; ++c) {
        Vector key[V];
        for (int v = 0; v < V; ++v) key[v] = load<W>(keys[v] + c * block_lanes);
        for (int r = 0; r < R; ++r) {
            const Vector input = splat<W>(inputs[r * input_stride + c]);
            for (int v = 0; v < V; ++v) sums[r][v] += input * key[v];
        }
    }
}

// V vectors of the weighted sum of rows, from column c on.
template <int V>
inline void combine_columns(float* out, int c, int count, const float* const* rows, const float* coefficients) {
    Vector sum[V];
    for (int v = 0; v < V; ++v) sum[v] = splat<W>(0.0F);
    for (int r = 0; r < count; ++r) {
        const Vector factor = splat<W>(coefficients[r]);
        const float* row = rows[r] + c;
        for (int v = 0; v < V; ++v) sum[v] += factor * load<W>(row + v * W);
    }
    for (int v = 0; v < V; ++v) store<W>(out + c + v * W, sum[v]);
}

void combine(float* out, int width, int count, const float* const* rows, const float* coefficients) {
    constexpr int many = 8;  // enough that pointers and coefficients are read rarely
    int c = 0;
    for (; c + many * W <= width; c += many * W) combine_columns<many>(out, c, count, rows, coefficients);
    for (; c + 32 <= width; c += 32) combine_columns<32 / W>(out, c, count, rows, coefficients);
    for (; c < width; c += 16) combine_columns<16 / W>(out, c, count, rows, coefficients);
}

// One query type's attention to all types. Heads are lanes, so the scores of a pair of types are one vector and
// nothing is summed across lanes. Sizes that are known when this is compiled are template arguments, others 0.
template <int head_width, int lanes_width>
struct AttendTypes {
    static constexpr int L = head_lanes;
    using Heads = FloatLanes<L>;

    const float* query;
    const float* keys;  // of type 0; those of the next type are row_width further on
    const float* values;
    int row_width;
    int channels;
    int lanes;
    float* weights;
    SoftmaxSums sums;  // of this query and these lanes
    float* out;

    [[nodiscard]] int num_channels() const { return head_width ? head_width : channels; }
    [[nodiscard]] int num_lanes() const { return lanes_width ? lanes_width : lanes; }

    // Scores of R types from `first` on; even and odd channels apart, so that no sum waits for the one before.
    struct Score {
        const AttendTypes& all;
        Heads most = splat<L>(unavailable);

        template <int R>
        void run(int first) {
            Heads even[R];
            Heads odd[R];
            for (int r = 0; r < R; ++r) even[r] = odd[r] = splat<L>(0.0F);
            const float* key = all.keys + first * all.row_width;
            const int step = all.num_lanes();
            int c = 0;
            for (; c + 1 < all.num_channels(); c += 2) {
                const Heads one = load<L>(all.query + c * step);
                const Heads two = load<L>(all.query + (c + 1) * step);
                for (int r = 0; r < R; ++r) {
                    even[r] += one * load<L>(key + r * all.row_width + c * step);
                    odd[r] += two * load<L>(key + r * all.row_width + (c + 1) * step);
                }
            }
            if (c < all.num_channels())
                for (int r = 0; r < R; ++r)
                    even[r] += load<L>(all.query + c * step) * load<L>(key + r * all.row_width + c * step);
            for (int r = 0; r < R; ++r) {
                const Heads score = even[r] + odd[r];
                store<L>(all.weights + (first + r) * L, score);
                most = larger<L>(most, score);
            }
        }
    };

    // Adds the weighted values of R types from `first` on to what those before have given.
    struct Gather {
        const AttendTypes& all;

        template <int R>
        void run(int first) {
            Heads weight[R];
            for (int r = 0; r < R; ++r) weight[r] = load<L>(all.weights + (first + r) * L);
            const float* value = all.values + first * all.row_width;
            const int step = all.num_lanes();
            for (int c = 0; c < all.num_channels(); ++c) {
                Heads sum = first ? load<L>(all.out + c * step) : splat<L>(0.0F);
                for (int r = 0; r < R; ++r) sum += weight[r] * load<L>(value + r * all.row_width + c * step);
                store<L>(all.out + c * step, sum);
            }
        }
    };

    void run(int num_types) const {
        Score score{*this};
        in_groups(score, num_types);
        Heads total = splat<L>(0.0F);
        for (int other = 0; other < num_types; ++other) {
            const Heads weight = exp2_lanes<L>(load<L>(weights + other * L) - score.most);
            store<L>(weights + other * L, weight);
            total += weight;
        }
        if (sums.tops) {
            store<L>(sums.tops, score.most);
            store<L>(sums.totals, total);
        }
        const Heads share = splat<L>(1.0F) / total;
        for (int other = 0; other < num_types; ++other)
            store<L>(weights + other * L, load<L>(weights + other * L) * share);
        Gather gather{*this};
        in_groups(gather, num_types);
    }
};

template <int head_width, int lanes_width>
void attend_types_of(const Dims& dims, const float* rows, int num_types, TypeRange queries, float* weights,
                     SoftmaxSums sums, float* out) {
    const int E = dims.types_width;
    const float* query = rows + queries.first * dims.row_width;
    for (int lane = 0; lane < dims.lanes_width; lane += head_lanes)
        for (int r = 0; r < queries.count; ++r, weights += num_types * head_lanes) {
            const int at = r * dims.lanes_width + lane;
            AttendTypes<head_width, lanes_width>{query + r * dims.row_width + lane,
                                                 rows + E + lane,
                                                 rows + 2 * E + lane,
                                                 dims.row_width,
                                                 dims.head_width,
                                                 dims.lanes_width,
                                                 weights,
                                                 sums.tops ? SoftmaxSums{sums.tops + at, sums.totals + at} : sums,
                                                 out + r * E + lane}
                .run(num_types);
        }
    for (int r = 0; r < queries.count; ++r)
        for (int c = dims.head_width * dims.lanes_width; c < E; ++c) out[r * E + c] = 0.0F;
}

void attend_types(const Dims& dims, const float* rows, int num_types, TypeRange queries, float* weights,
                  SoftmaxSums sums, float* out) {
    if (dims.head_width == 16 && dims.lanes_width == head_lanes)
        attend_types_of<16, head_lanes>(dims, rows, num_types, queries, weights, sums, out);
    else
        attend_types_of<0, 0>(dims, rows, num_types, queries, weights, sums, out);
}

// Two vectors of columns at once, so that there are enough sums under way.
struct Project {
    static constexpr int V = 2;
    static constexpr int most_rows = W == 16 ? 12 : max_rows;

    const float* inputs;
    int in_width;
    const float* matrix;  // in blocks of 16 columns
    int out_width;
    const float* bias;
    const float* residual;
    float* out;
    int column;

    template <int R>
    void run(int first) {
        if (column + V * W <= out_width)
            run_columns<R, V>(first);
        else
            run_columns<R, 1>(first);  // widths are multiples of 16
    }

    template <int R, int C>
    void run_columns(int first) {
        const float* columns[C];
        for (int v = 0; v < C; ++v) columns[v] = block_address(matrix, in_width, column / W + v);
        Vector sums[R][C];
        dots<R, C>(inputs + first * in_width, in_width, in_width, columns, sums);
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < C; ++v) {
                const int c = column + v * W;
                Vector result = sums[r][v];
                if (bias) result += load<W>(bias + c);
                if (residual) result += load<W>(residual + (first + r) * out_width + c);
                store<W>(out + (first + r) * out_width + c, result);
            }
    }
};

void project(const float* inputs, int rows, int in_width, const float* matrix, int out_width, const float* bias,
             const float* residual, float* out) {
    for (int column = 0; column < out_width; column += Project::V * W) {
        Project work{inputs, in_width, matrix, out_width, bias, residual, out, column};
        in_groups<Project::most_rows>(work, rows);
    }
}

void mask_by_rank(const float* rank, int count, float threshold, float* mask) {
    const Vector limit = splat<W>(threshold);
    for (int j = 0; j < count; j += block_lanes)
        for (int v = 0; v < block_lanes; v += W)
            store<W>(mask + j + v,
                     Lanes<W>::select(load<W>(rank + j + v) < limit, splat<W>(0.0F), splat<W>(unavailable)));
}

// Sums over nodes j of weights[r][j] times 16 channels of a row per node.
template <int R>
inline void sum_rows(const float* weights, int weight_stride, const float* rows, int row_stride, const int* nodes,
                     int count, Vector (&sums)[R][head_vectors]) {
    // Those of several nodes where there are few, so that no sum waits for the one before.
    constexpr int enough = sums_under_way / (R * head_vectors);
    constexpr int least = 2 / head_vectors > 0 ? 2 / head_vectors : 1;
    constexpr int U = enough > least ? enough : least;
    Vector parts[U][R][head_vectors];
    for (int u = 0; u < U; ++u)
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < head_vectors; ++v) parts[u][r][v] = splat<W>(0.0F);
    const auto add = [&](int j, Vector (&part)[R][head_vectors]) {
        const float* row = rows + static_cast<long>(nodes[j]) * row_stride;
        Vector values[head_vectors];
        for (int v = 0; v < head_vectors; ++v) values[v] = load<W>(row + v * W);
        for (int r = 0; r < R; ++r) {
            const Vector weight = splat<W>(weights[r * weight_stride + j]);
            for (int v = 0; v < head_vectors; ++v) part[r][v] += weight * values[v];
        }
    };
    int j = 0;
    for (; j + U <= count; j += U)
        for (int u = 0; u < U; ++u) add(j + u, parts[u]);
    for (; j < count; ++j) add(j, parts[0]);
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < head_vectors; ++v) {
            sums[r][v] = parts[0][r][v];
            for (int u = 1; u < U; ++u) sums[r][v] += parts[u][r][v];
        }
}

template <bool is_kept>
struct AttendNodes {
    const Dims& dims;
    const float* queries;
    const float* keys;
    const float* values;
    const int* nodes;
    int count;
    const float* mask;
    int stride;
    float* weights;  // (rows, stride), used again for each head; or (rows, heads, stride) if they are kept
    SoftmaxSums sums;
    float* out;

    // Heads of a single query that are added up in one pass over the nodes.
    static constexpr int heads_together = sums_under_way / head_vectors;

    [[nodiscard]] int weight_stride() const { return is_kept ? dims.num_heads * stride : stride; }

    template <int R>
    void run(int first) {
        if constexpr (R == 1) {
            if (dims.head_width == 16 && dims.num_heads % heads_together == 0) {
                for (int head = 0; head < dims.num_heads; head += heads_together) run_heads(first, head);
                return;
            }
        }
        for (int head = 0; head < dims.num_heads; ++head) {
            const int channel = head * dims.head_stride;
            float* mine = weights + first * weight_stride() + (is_kept ? head * stride : 0);
            float shares[R];
            if (dims.head_width == 16)
                weigh<R, 16>(first, head, mine, shares);
            else
                weigh<R, 0>(first, head, mine, shares);
            for (int part = channel; part < channel + dims.head_stride; part += 16) {
                Vector parts[R][head_vectors];
                sum_rows<R>(mine, weight_stride(), values + part, dims.nodes_width, nodes, count, parts);
                for (int r = 0; r < R; ++r)
                    for (int v = 0; v < head_vectors; ++v)
                        store<W>(out + (first + r) * dims.nodes_width + part + v * W,
                                 parts[r][v] * splat<W>(shares[r]));
            }
        }
    }

    // Several heads of one query: each row of values is looked up once for all of them.
    void run_heads(int row, int head) {
        constexpr int G = heads_together;
        float* mine = weights + row * weight_stride() + (is_kept ? head * stride : 0);
        float shares[G][1];
        for (int g = 0; g < G; ++g) weigh<1, 16>(row, head + g, mine + g * stride, shares[g]);
        Vector parts[G][head_vectors];
        for (int g = 0; g < G; ++g)
            for (int v = 0; v < head_vectors; ++v) parts[g][v] = splat<W>(0.0F);
        for (int j = 0; j < count; ++j) {
            const float* value = values + static_cast<long>(nodes[j]) * dims.nodes_width + head * 16;
            for (int g = 0; g < G; ++g) {
                const Vector weight = splat<W>(mine[g * stride + j]);
                for (int v = 0; v < head_vectors; ++v) parts[g][v] += weight * load<W>(value + g * 16 + v * W);
            }
        }
        for (int g = 0; g < G; ++g)
            for (int v = 0; v < head_vectors; ++v)
                store<W>(out + row * dims.nodes_width + (head + g) * 16 + v * W, parts[g][v] * splat<W>(shares[g][0]));
    }

    // Weights of one head; the result is to be multiplied by shares[r].
    template <int R, int head_width>
    void weigh(int first, int head, float* mine, float (&shares)[R]) {
        const int channel = head * dims.head_stride;
        Vector most[R];
        for (int r = 0; r < R; ++r) most[r] = splat<W>(unavailable);
        const int vectors = (count + W - 1) / W;
        in_vectors<vectors_for(R)>(
            [&]<int V>(int v) { score<R, V, head_width>(first, channel, v, mine, most); }, vectors);
        for (int r = 0; r < R; ++r) {
            const Vector maximum = splat<W>(largest_of<W>(most[r]));
            Vector total = splat<W>(0.0F);
            float* row = mine + r * weight_stride();
            for (int j = 0; j < vectors * W; j += W) {
                const Vector weight = exp2_lanes<W>(load<W>(row + j) - maximum);
                store<W>(row + j, weight);
                total += weight;
            }
            const float sum = sum_of<W>(total);
            if (sums.tops) {
                sums.tops[(first + r) * dims.num_heads + head] = largest_of<W>(most[r]);
                sums.totals[(first + r) * dims.num_heads + head] = sum;
            }
            shares[r] = 1.0F / sum;
            if constexpr (is_kept) {
                for (int j = 0; j < vectors * W; j += W) store<W>(row + j, load<W>(row + j) * splat<W>(shares[r]));
                shares[r] = 1.0F;
            }
        }
    }

    template <int R, int V, int head_width>
    void score(int first, int channel, int vector, float* mine, Vector (&most)[R]) {
        const float* blocks[V];
        for (int v = 0; v < V; ++v)
            blocks[v] = block_address(keys, dims.nodes_width, vector + v) + channel * block_lanes;
        Vector scores[R][V];
        dots<R, V>(queries + first * dims.nodes_width + channel, dims.nodes_width,
                   head_width ? head_width : dims.head_width, blocks, scores);
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) {
                const int j = (vector + v) * W;
                const Vector masked = scores[r][v] + load<W>(mask + (first + r) * stride + j);
                store<W>(mine + r * weight_stride() + j, masked);
                most[r] = larger<W>(most[r], masked);
            }
    }
};

void attend_nodes(const Dims& dims, const float* queries, int rows, const float* keys, const float* values,
                  const int* nodes, int count, const float* mask, int stride, float* scratch, SoftmaxSums sums,
                  float* out) {
    AttendNodes<false> work{dims, queries, keys, values, nodes, count, mask, stride, scratch, sums, out};
    in_groups(work, rows);
}

struct Point {
    const Dims& dims;
    const float* inputs;
    const float* keys;
    const float* bias;
    const float* extra;
    int count;
    const float* mask;
    int stride;
    float factor;
    float* scores;
    float* maxima;

    template <int R>
    void run(int first) {
        Vector most[R];
        for (int r = 0; r < R; ++r) most[r] = splat<W>(unavailable);
        const int vectors = (count + W - 1) / W;
        in_vectors<vectors_for(R)>([&]<int V>(int v) { score<R, V>(first, v, most); }, vectors);
        for (int r = 0; r < R; ++r) maxima[first + r] = largest_of<W>(most[r]);
    }

    template <int R, int V>
    void score(int first, int vector, Vector (&most)[R]) {
        const float* blocks[V];
        for (int v = 0; v < V; ++v) blocks[v] = block_address(keys, dims.nodes_width, vector + v);
        Vector sums[R][V];
        dots<R, V>(inputs + first * dims.nodes_width, dims.nodes_width, dims.nodes_width, blocks, sums);
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < V; ++v) {
                const int j = (vector + v) * W;
                Vector sum = sums[r][v] + load<W>(bias + j);
                if (extra) sum += load<W>(extra + (first + r) * stride + j);
                const Vector squashed = tanh_lanes<W>(sum) * splat<W>(factor);
                const Vector allowed = load<W>(mask + (first + r) * stride + j);
                const Vector result =
                    Lanes<W>::select(allowed < splat<W>(0.0F), splat<W>(unavailable), squashed);
                store<W>(scores + (first + r) * stride + j, result);
                most[r] = larger<W>(most[r], result);
            }
    }
};

void point(const Dims& dims, const float* inputs, int rows, const float* keys, const float* bias, const float* extra,
           int count, const float* mask, int stride, float factor, float* scores, float* maxima) {
    Point work{dims, inputs, keys, bias, extra, count, mask, stride, factor, scores, maxima};
    in_groups(work, rows);
}

float exponentiate(const float* scores, int count, float maximum, float* weights) {
    Vector total = splat<W>(0.0F);
    const Vector top = splat<W>(maximum);
    for (int j = 0; j < count; j += W) {
        const Vector weight = exp2_lanes<W>(load<W>(scores + j) - top);
        store<W>(weights + j, weight);
        total += weight;
    }
    return sum_of<W>(total);
}

}  // namespace
