// Separation of rounded capacity cuts: routes leave a set of customers at least as often as vehicles are needed there.
//
// With a mixed fleet the least number of vehicles is that of the largest ones a better plan may hire. The cuts are
// robust: their dual values go to arcs, so pricing does not become any harder.
#pragma once

#include <utility>
#include <vector>

#include "exact/bounds.h"
#include "exact/master.h"
#include "exact/problem.h"
#include "exact/subset_cuts.h"

namespace fripn::exact {

// The least number of vehicles that carry a demand.
class VehiclesNeeded {
public:
    VehiclesNeeded(const Problem& problem, const FleetBounds& fleet);

    [[nodiscard]] int operator()(int demand) const;
    [[nodiscard]] int largest() const { return largest_first_.empty() ? 0 : largest_first_.front().first; }

private:
    std::vector<std::pair<int, int>> largest_first_;    // capacity and number of vehicles
};

struct CapacitySeparation {
    int max_cuts = 30;
    int max_cuts_per_customer = 6;
    double min_violation = 0.03;
};

// The most violated cuts that sets grown from each customer show at a fractional solution.
[[nodiscard]] std::vector<CapacityCut> separate_capacity_cuts(const Problem& problem, const FleetBounds& fleet,
                                                              const std::vector<WeightedRoute>& solution,
                                                              const CapacitySeparation& settings);

}  // namespace fripn::exact
