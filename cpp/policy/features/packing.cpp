#include "policy/features/packing.h"

#include <cmath>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

}  // namespace

Packing::Packing(const FoldedWeights& weights, int num_nodes, int num_types)
    : is_active_(weights.has_pack),
      num_types_(num_types),
      stride_((num_nodes + block_lanes - 1) / block_lanes * block_lanes),
      wastes_(size_of(num_types)),
      near_(weights, num_nodes),
      pair_wastes_(weights.has_pack && weights.has_pairs() ? size_of(num_types) * static_cast<std::size_t>(stride_)
                                                           : 0),
      pair_nears_(weights.uses_near() ? pair_wastes_.size() : 0),
      is_near_(size_of(num_types)) {}

void Packing::start(const Problem& problem) {
    problem_ = &problem;
    near_.start(problem);
    std::fill(pair_nears_.begin(), pair_nears_.end(), 0.0F);
    std::fill(is_near_.begin(), is_near_.end(), false);
    // While many customers are left, only the depot's place is written.
    std::fill(pair_wastes_.begin(), pair_wastes_.end(), 0.0F);
    std::fill(wastes_.begin(), wastes_.end(), 0.0F);
}

void Packing::update(const FleetState& fleet, const OpenNodes& open, TypeRange acting) {
    if (!is_active_) return;
    acting_ = acting;
    if (!pair_nears_.empty()) update_near(fleet, open);
    if (!pair_wastes_.empty())
        for (int k = acting_.first; k < acting_.end(); ++k)
            pair_wastes_[static_cast<std::size_t>(k * stride_)] = static_cast<float>(std::min(1.0, fleet.load_of(k)));
    const int count = open.count() - 1;
    if (count > max_packed_customers || count == 0) return;
    SubsetSums all;
    for (int j = 0; j < count; ++j) {
        demands_[size_of(j)] = problem_->load_cells[open.node_at(j + 1)];
        all.add(demands_[size_of(j)], problem_->num_load_words);
    }
    for (int k = 0; k < num_types_; ++k) wastes_[size_of(k)] = unfilled(fleet.load_of(k), all);
    if (!pair_wastes_.empty()) leave_one_out(fleet, open, SubsetSums(), 0, count);
}

void Packing::update_near(const FleetState& fleet, const OpenNodes& open) {
    for (int k = acting_.first; k < acting_.end(); ++k) {
        const double room = fleet.load_of(k);
        float* row = pair_nears_.data() + k * stride_;
        const bool is_out = fleet.is_employed(k);
        row[0] = is_out ? near_share(room) : 0.0F;
        // With more room than this, the room left after any customer is too large to count.
        const bool is_near = is_out && room <= largest_near_room + problem_->largest_demand;
        if (!is_near && is_near_[size_of(k)]) std::fill(row + 1, row + open.count(), 0.0F);
        is_near_[size_of(k)] = is_near;
        for (int j = 1; j < open.count() && is_near; ++j) {
            const int node = open.node_at(j);
            if (problem_->ranks[size_of(node)] < fleet.threshold(k))
                row[j] = near_.unfilled(node, room - problem_->demands[node], open);
        }
    }
}

// `others` are the sums of all customers but first … last - 1: halving leaves each of them out at a cost of
// n log n additions altogether.
void Packing::leave_one_out(const FleetState& fleet, const OpenNodes& open, const SubsetSums& others, int first,
                            int last) {
    if (last - first == 1) {
        const int node = open.node_at(first + 1);
        for (int k = acting_.first; k < acting_.end(); ++k) {
            if (problem_->ranks[size_of(node)] >= fleet.threshold(k)) continue;
            pair_wastes_[static_cast<std::size_t>(k * stride_ + first + 1)] =
                unfilled(fleet.load_of(k) - problem_->demands[node], others);
        }
        return;
    }
    const int middle = (first + last) / 2;
    SubsetSums sums = others;
    for (int j = middle; j < last; ++j) sums.add(demands_[size_of(j)], problem_->num_load_words);
    leave_one_out(fleet, open, sums, first, middle);
    sums = others;
    for (int j = first; j < middle; ++j) sums.add(demands_[size_of(j)], problem_->num_load_words);
    leave_one_out(fleet, open, sums, middle, last);
}

float Packing::unfilled(double room, const SubsetSums& sums) const {
    const int cell = problem_->cells_within(room);
    const double filled = problem_->load_unit * static_cast<double>(sums.largest_within(cell));
    return static_cast<float>(std::clamp(room - filled, 0.0, 1.0));
}

}  // namespace fripn::policy
