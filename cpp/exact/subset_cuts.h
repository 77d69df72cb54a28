// Separation of cuts over subsets of three or five rows with multipliers 1/2.
#pragma once

#include <vector>

#include "exact/master.h"
#include "exact/problem.h"

namespace fripn::exact {

struct WeightedRoute {
    const Column* column;
    double value;
};

struct SubsetSeparation {
    int max_cuts = 40;
    int max_cuts_per_customer = 6;
    double min_violation = 0.02;
    bool has_full_memory = false;      // else only what is needed to cut the given solution off
    bool use_five_rows = true;
};

// The most violated cuts at a fractional solution.
[[nodiscard]] std::vector<SubsetCut> separate_subset_cuts(const Problem& problem, const std::vector<WeightedRoute>& solution,
                                                          const SubsetSeparation& settings);

}  // namespace fripn::exact
