// Cuts on the numbers of vehicles, from what every fleet must be able to carry.
#pragma once

#include <optional>
#include <vector>

#include "exact/bounds.h"
#include "exact/lp.h"
#include "exact/master.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// A fleet of integer size that carries `demand` at least total price; its price is infinite when there is none.
struct CheapestFleet {
    double price;
    std::vector<int> vehicles;
};
[[nodiscard]] CheapestFleet cheapest_fleet(const std::vector<double>& prices, const std::vector<int>& capacities,
                                           const std::vector<int>& most, int demand);

// The most violated valid inequality Σ w_k y_k ≥ b, w ≥ 0, for the integer fleets {y : Σ Q_k y_k ≥ total demand} within the
// bounds; none when `fleet` violates none by more than `tolerance` times b. Separation over their convex hull is exact: a
// linear program in w whose rows, one per fleet, are found by a knapsack; so rows like Σ f_k y_k ≥ G(demand), with G the
// covering knapsack, and rounded capacity rows are implied.
[[nodiscard]] std::optional<FleetCut> separate_fleet_cut(const Problem& problem, const LpSolver& solver,
                                                         const FleetBounds& bounds, const std::vector<double>& fleet,
                                                         double tolerance, const Watch& watch);

}  // namespace fripn::exact
