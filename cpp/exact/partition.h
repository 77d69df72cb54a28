// The cheapest plan that a list of routes makes, by one integer program.
#pragma once

#include <vector>

#include "exact/bounds.h"
#include "exact/lp.h"
#include "exact/master.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

enum class Cover {
    once,             // every customer by exactly one route
    at_least_once     // a customer that two routes visit is left out of the second, where that is never longer
};

struct Partition {
    bool is_solved = false;         // the search was complete: no plan of these routes is cheaper
    std::vector<Column> plan;       // empty when none was found that costs less than the cutoff
};

// `routes` visit no customer twice. Fleet cuts make the program easier and may be left out.
[[nodiscard]] Partition cheapest_partition(const Problem& problem, const LpSolver& lp, const std::vector<const Column*>& routes,
                                           const FleetBounds& fleet, const std::vector<FleetCut>& cuts, Cover cover,
                                           double cutoff, double seconds, const Watch& watch);

}  // namespace fripn::exact
