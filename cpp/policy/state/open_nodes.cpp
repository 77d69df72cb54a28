#include "policy/state/open_nodes.h"

#include <algorithm>

namespace fripn::policy {

namespace {

constexpr float beyond_all_ranks = 3e38F;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

std::size_t lanes_for(int num_nodes) {
    return size_of((num_nodes + block_lanes - 1) / block_lanes) * size_of(block_lanes);
}

}  // namespace

OpenNodes::OpenNodes(const FoldedWeights& weights, int num_nodes)
    : keys(lanes_for(num_nodes) * size_of(weights.dims.nodes_width)),
      pointers(keys.size()),
      biases(lanes_for(num_nodes)),
      channels_(weights.dims.nodes_width),
      nodes_(size_of(num_nodes)),
      places_(size_of(num_nodes)),
      ranks_(lanes_for(num_nodes)) {}

void OpenNodes::start(const Problem& problem, const NodeTable& table) {
    count_ = problem.num_nodes;
    for (int i = 0; i < count_; ++i) nodes_[size_of(i)] = places_[size_of(i)] = i;
    std::fill(ranks_.begin(), ranks_.end(), beyond_all_ranks);
    std::copy(problem.ranks.begin(), problem.ranks.end(), ranks_.begin());
    std::copy(table.biases.begin(), table.biases.end(), biases.begin());
    std::copy(table.keys.begin(), table.keys.end(), keys.begin());
    std::copy(table.pointers.begin(), table.pointers.end(), pointers.begin());
}

OpenNodes::Removal OpenNodes::remove(int node) {
    const Removal removal{places_[size_of(node)], --count_};
    places_[size_of(node)] = -1;
    if (removal.place != removal.from) {
        const int moved = nodes_[size_of(removal.from)];
        nodes_[size_of(removal.place)] = moved;
        places_[size_of(moved)] = removal.place;
        ranks_[size_of(removal.place)] = ranks_[size_of(removal.from)];
        biases[size_of(removal.place)] = biases[size_of(removal.from)];
        move_column(keys, channels_, removal);
        move_column(pointers, channels_, removal);
    }
    ranks_[size_of(removal.from)] = beyond_all_ranks;
    return removal;
}

void OpenNodes::mask(const Kernels& kernels, int num_types, const float* thresholds, const bool* is_employed,
                     float* masks) const {
    for (int k = 0; k < num_types; ++k) {
        float* row = masks + static_cast<std::ptrdiff_t>(k) * stride();
        kernels.mask(ranks_.data(), count_, thresholds[k], row);
        row[0] = is_employed[k] ? 0.0F : unavailable;
    }
}

void move_column(AlignedFloats& blocks, std::ptrdiff_t channels, OpenNodes::Removal removal) {
    float* to = blocks.data() + column_offset(channels, removal.place);
    const float* from = blocks.data() + column_offset(channels, removal.from);
    for (std::ptrdiff_t c = 0; c < channels * block_lanes; c += block_lanes) to[c] = from[c];
}

}  // namespace fripn::policy
