// What is still unserved around each customer, updated while customers are served.
#pragma once

#include <array>
#include <vector>

#include "policy/features/near_lists.h"

namespace fripn::policy {

class OpenNodes;

// Inputs of the pair term about a customer, in the order of its rows: distances to the nearest and to the second nearest
// unserved customer; share of the listed customers that are unserved, and their demand; how many unserved customers have
// this one as their nearest, and how much farther these would have to go to their second nearest, all together. Where a
// list has no more unserved customers, the distance is that of its last one.
inline constexpr int num_surrounding_inputs = 6;

// Demands and numbers of customers enter in these units, distances times the root of the number of customers.
inline constexpr double surrounding_load = 4.0;
inline constexpr double surrounding_followers = 2.0;

using SurroundingInputs = std::array<float, num_surrounding_inputs>;

class Surroundings {
public:
    Surroundings() = default;

    // All customers unserved. Lists and demands are kept by the caller.
    Surroundings(const NearLists& lists, const double* demands, int num_nodes);

    // A customer has been served; `open` is without it. Returns the unserved customers whose inputs may have changed,
    // valid until the next call.
    const std::vector<int>& remove(int customer, const OpenNodes& open);

    // All 0 for the depot and for a customer without others.
    [[nodiscard]] SurroundingInputs inputs_of(int node) const;

private:
    struct Around {
        int nearest = 0;  // places of the list; its length where there is none
        int second = 0;
        int num_open = 0;
        int num_followers = 0;
        double demand = 0.0;
        double detours = 0.0;  // of the followers
    };

    [[nodiscard]] Around& around(int node) { return around_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] double distance(int node, int place) const;
    // Adds a customer to the followers of its nearest, or removes it; returns the nearest, 0 if there is none.
    int follow(int customer, int sign);
    void touch(int node, const OpenNodes& open);

    const NearLists* lists_ = nullptr;
    const double* demands_ = nullptr;
    double root_of_customers_ = 0.0;
    std::vector<Around> around_;
    std::vector<int> touched_at_;  // per node: the number of the call
    std::vector<int> touched_;
    int num_calls_ = 0;
};

}  // namespace fripn::policy
