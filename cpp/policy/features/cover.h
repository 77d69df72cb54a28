// Least fixed cost of vehicles whose capacities together cover a demand: the table behind the cover features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fripn::policy {

inline constexpr double largest_slack = 1.0;

// G on a grid: cost[c] is the least fixed cost of any multiset of vehicles that covers c steps of demand.
struct CoverTable {
    double step = 1.0;
    std::vector<double> cost;
    std::vector<double> plateau_ends;  // per cell, see below; empty unless asked for

    // G(w); 0 for w <= 0. A demand beyond the grid costs as much as the grid's end.
    [[nodiscard]] double operator()(double demand) const { return lookup(cost.data(), cost.size(), step, demand); }

    // How much a demand (which may be negative) could grow at no cost; at most largest_slack.
    [[nodiscard]] double slack(double demand) const {
        const double cell = std::clamp(std::ceil(demand / step - 1e-6), 0.0, static_cast<double>(cost.size() - 1));
        return std::clamp(plateau_ends[static_cast<std::size_t>(cell)] - demand, 0.0, largest_slack);
    }

    static double lookup(const double* cost, std::size_t cells, double step, double demand) {
        // Sums such as 0.1 + 0.2 must not spill into the next cell.
        const double cell = std::ceil(demand / step - 1e-6);
        if (!(cell > 0.0)) return 0.0;
        return cost[std::min(static_cast<std::size_t>(cell), cells - 1)];
    }
};

// The grid has 64 steps per smallest capacity, or wider ones where that would take more than 65,536 cells. It ends at
// the total demand, or as far `beyond` as another 65,536 cells reach.
[[nodiscard]] CoverTable make_cover_table(const double* capacities, const double* fixed_costs,
                                          std::size_t num_types, double total_demand, double beyond = 0.0);

// The largest demand that costs the same, for every cell; infinity where the grid ends before the cost rises.
void find_plateau_ends(const double* cost, std::size_t cells, double step, double* ends);

}  // namespace fripn::policy
