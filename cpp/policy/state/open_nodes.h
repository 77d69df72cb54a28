// The depot and the unvisited customers of one trajectory, dense: a served customer's place is taken by the last one.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/decoder_inputs.h"

namespace fripn::policy {

class OpenNodes {
public:
    OpenNodes(const FoldedWeights& weights, int num_nodes);

    void start(const Problem& problem, const NodeTable& table);

    // Serve a customer. Returns the place that `from` (the last place) was moved to; they may be equal.
    struct Removal {
        int place;
        int from;
    };
    Removal remove(int node);

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const int* nodes() const { return nodes_.data(); }
    [[nodiscard]] int node_at(int place) const { return nodes_[static_cast<std::size_t>(place)]; }
    // -1 for a served customer.
    [[nodiscard]] int place_of(int node) const { return places_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int stride() const { return static_cast<int>(ranks_.size()); }

    AlignedFloats keys;      // [block][A][16]
    AlignedFloats pointers;  // [block][A][16]
    AlignedFloats biases;    // per place

    // Additive masks of all types: (K, stride).
    void mask(const Kernels& kernels, int num_types, const float* thresholds, const bool* is_employed,
              float* masks) const;

private:
    const std::ptrdiff_t channels_;
    int count_ = 0;
    std::vector<int> nodes_;
    std::vector<int> places_;
    AlignedFloats ranks_;
};

// Copies the column of place `from` to `place` in blocks [block][channels][16].
void move_column(AlignedFloats& blocks, std::ptrdiff_t channels, OpenNodes::Removal removal);

// Offset of a place's first channel in such blocks.
[[nodiscard]] inline std::ptrdiff_t column_offset(std::ptrdiff_t channels, int place) {
    return place / block_lanes * channels * block_lanes + place % block_lanes;
}

}  // namespace fripn::policy
