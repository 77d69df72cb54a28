// Separation of capacity cuts for a mixed fleet: what the vehicles that serve a set of customers must be worth.
//
// For weights w ≥ 0 of the types, the vehicles that visit a set S weigh at least G(d(S)), with G the covering knapsack
// min { Σ w_k y_k : Σ Q_k y_k ≥ d }, and each of them leaves S at least once. Weights of 1 give rounded capacity cuts; weights
// like ⌈Q_k / Q_j⌉ or fixed costs also see that small vehicles carry less. The cuts are robust: their dual values go to arcs,
// so pricing does not become any harder. Types that share a labelling have the same weight.
#pragma once

#include <vector>

#include "exact/bounds.h"
#include "exact/master.h"
#include "exact/problem.h"
#include "exact/subset_cuts.h"
#include "exact/watch.h"

namespace fripn::exact {

struct CapacitySeparation {
    int max_cuts = 30;
    int max_cuts_per_customer = 6;
    double min_violation = 0.03;      // in vehicles of mean weight
};

// The most violated cuts that sets grown from each customer show at a fractional solution. The weights of `fleet_cuts` are
// tried beside others.
[[nodiscard]] std::vector<CapacityCut> separate_capacity_cuts(const Problem& problem, const FleetBounds& fleet,
                                                              const std::vector<WeightedRoute>& solution,
                                                              const std::vector<FleetCut>& fleet_cuts,
                                                              const CapacitySeparation& settings, const Watch& watch);

}  // namespace fripn::exact
