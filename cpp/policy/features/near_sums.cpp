#include "policy/features/near_sums.h"

#include <algorithm>

namespace fripn::policy {

NearSums::NearSums(const FoldedWeights& weights, int num_nodes)
    : is_active_(weights.uses_near()),
      sums_(is_active_ ? static_cast<std::size_t>(num_nodes) : 0) {}

void NearSums::start(const Problem& problem) {
    problem_ = &problem;
    if (!is_active_) return;
    num_words_ = std::min(problem.num_load_words, problem.cells_within(largest_near_room) / 64 + 1);
    for (Sums& sums : sums_) sums.num_seen = 0;
}

void NearSums::remove(int customer) {
    if (!is_active_) return;
    for (const auto [node, place] : problem_->near.listings_of(customer)) {
        Sums& sums = sums_[static_cast<std::size_t>(node)];
        if (place < sums.num_seen) sums.num_seen = 0;
    }
}

float NearSums::unfilled(int node, double room, const OpenNodes& open) {
    if (room > largest_near_room) return 0.0F;
    Sums& sums = sums_[static_cast<std::size_t>(node)];
    if (sums.num_seen == 0) update_surroundings(node, open);
    const int cell = problem_->cells_within(room);
    if (sums.total <= cell) return 0.0F;
    const double filled = problem_->load_unit * static_cast<double>(sums.subsets.largest_within(cell));
    return near_share(room - filled);
}

void NearSums::update_surroundings(int node, const OpenNodes& open) {
    Sums& sums = sums_[static_cast<std::size_t>(node)];
    sums = {};
    int left = NearLists::num_used;
    for (const int other : problem_->near.of(node)) {
        ++sums.num_seen;
        if (open.place_of(other) < 0) continue;
        sums.total += problem_->load_cells[other];
        sums.subsets.add(problem_->load_cells[other], num_words_);
        if (--left == 0) break;
    }
}

}  // namespace fripn::policy
