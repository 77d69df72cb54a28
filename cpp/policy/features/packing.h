// Capacity that each choice wastes: the room of a vehicle that no subset of the unserved demands fills.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policy/state/fleet_state.h"
#include "policy/features/near_sums.h"
#include "policy/state/open_nodes.h"
#include "policy/features/subset_sums.h"

namespace fripn::policy {

// With more customers left, subsets fill nearly any room, and computing the waste would cost more than it gains.
inline constexpr int max_packed_customers = 24;

// Inputs of the pair term about types and nodes: (K, stride), or nullptr where the weights have no such features.
struct PairWastes {
    const float* all;   // what no subset of the unserved customers fills; see Packing
    const float* near;  // what those near the node do not fill, see NearSums; only beside `all`
};

// The unfillable room of one trajectory, decision by decision; `update` allocates nothing.
class Packing {
public:
    // Without pack features in the weights, everything below does nothing.
    Packing(const FoldedWeights& weights, int num_nodes, int num_types);

    void start(const Problem& problem);

    // A customer has been served.
    void remove(int customer) { near_.remove(customer); }

    // To be called before each decision. Pairs of types that do not act get undefined numbers.
    void update(const FleetState& fleet, const OpenNodes& open, TypeRange acting);

    // Room of the type's vehicle that stays empty whichever customers are served; 0 with many customers left.
    [[nodiscard]] float waste(int type) const { return wastes_[static_cast<std::size_t>(type)]; }

    // Both after serving the customer at a place, where it is available; at the depot's place, the room that is given up
    // by returning.
    [[nodiscard]] PairWastes pair_wastes() const {
        return {pair_wastes_.empty() ? nullptr : pair_wastes_.data(),
                pair_nears_.empty() ? nullptr : pair_nears_.data()};
    }

private:
    void update_near(const FleetState& fleet, const OpenNodes& open);
    void leave_one_out(const FleetState& fleet, const OpenNodes& open, const SubsetSums& others, int first, int last);
    [[nodiscard]] float unfilled(double room, const SubsetSums& sums) const;

    const bool is_active_;
    const int num_types_;
    const std::ptrdiff_t stride_;
    const Problem* problem_ = nullptr;
    TypeRange acting_{0, 0};  // in the decision of the last update
    std::array<int, max_packed_customers> demands_{};  // in cells, by place without the depot
    std::vector<float> wastes_;
    NearSums near_;
    AlignedFloats pair_wastes_;
    AlignedFloats pair_nears_;
    std::vector<bool> is_near_;  // per type: whether its row of these has anything but zeros for customers
};

}  // namespace fripn::policy
