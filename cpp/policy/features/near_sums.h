// What the customers nearest to a node can fill together, updated while customers are served.
#pragma once

#include <algorithm>
#include <vector>

#include "policy/state/open_nodes.h"
#include "policy/features/subset_sums.h"

namespace fripn::policy {

// Largest room for which the part that stays empty is an input, and the scale of that input, which is at most 1: a few
// hundredths of a unit of load in every vehicle make a fleet too large.
inline constexpr double largest_near_room = 1.0;
inline constexpr double near_scale = 10.0;

[[nodiscard]] inline float near_share(double empty) {
    return static_cast<float>(std::clamp(near_scale * empty, 0.0, 1.0));
}

class NearSums {
public:
    // Without near features in the weights, everything below does nothing.
    NearSums(const FoldedWeights& weights, int num_nodes);

    void start(const Problem& problem);

    // A customer has been served.
    void remove(int customer);

    // What stays empty of a room when the unserved customers nearest to a node have filled it as well as they can; 0
    // where there is room for all of them, and for a large room.
    [[nodiscard]] float unfilled(int node, double room, const OpenNodes& open);

private:
    struct Sums {
        int num_seen = 0;  // places of the list that were examined; 0 where that is still to be done
        int total = 0;
        SubsetSums subsets;
    };

    void update_surroundings(int node, const OpenNodes& open);

    const bool is_active_;
    const Problem* problem_ = nullptr;
    int num_words_ = 1;
    std::vector<Sums> sums_;
};

}  // namespace fripn::policy
