// All elementary routes whose reduced cost leaves room for a plan better than the best one known.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/completion.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

struct EnumerationLimits {
    std::size_t labels = 3'000'000;
    std::size_t routes = 600'000;
};

struct Enumeration {
    bool is_complete = false;           // false when a limit was reached: the routes are then of no use
    std::vector<Column> routes;
    std::size_t num_labels = 0;
};

// For every set of customers and every type of a group, the cheapest route if its reduced cost is below the limit of the
// type. Two partial routes over the same customers with the same end: the cheaper one is kept.
[[nodiscard]] Enumeration enumerate_routes(const Problem& problem, const Completion& completion, int group,
                                           const Prices& prices, const std::vector<char>& is_open,
                                           const std::vector<double>& limits, const EnumerationLimits& most,
                                           const Watch& watch);

// Of routes over the same customers only those stay that can be part of a cheapest plan: a type that can be hired as often
// as needed makes costlier types of the same customers useless. `is_free` says which types these are.
void drop_dominated(const Problem& problem, const std::vector<char>& is_free, std::vector<Column>& routes);

}  // namespace fripn::exact
