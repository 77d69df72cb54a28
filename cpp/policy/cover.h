// Least fixed cost of vehicles whose capacities together cover a demand: the table behind the cover features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fripn::policy {

// G on a grid: cost[c] is the least fixed cost of any multiset of vehicles that covers c steps of demand.
struct CoverTable {
    double step = 1.0;
    std::vector<double> cost;

    // G(w); 0 for w <= 0. A demand beyond the grid costs as much as the grid's end.
    [[nodiscard]] double operator()(double demand) const { return lookup(cost.data(), cost.size(), step, demand); }

    static double lookup(const double* cost, std::size_t cells, double step, double demand) {
        // Sums such as 0.1 + 0.2 must not spill into the next cell.
        const double cell = std::ceil(demand / step - 1e-6);
        if (!(cell > 0.0)) return 0.0;
        return cost[std::min(static_cast<std::size_t>(cell), cells - 1)];
    }
};

// The grid has 64 steps per smallest capacity, or wider ones where that would take more than 65,536 cells.
[[nodiscard]] CoverTable make_cover_table(const double* capacities, const double* fixed_costs,
                                          std::size_t num_types, double total_demand);

}  // namespace fripn::policy
