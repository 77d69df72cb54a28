// The proven optimum of small instances, by dynamic programs over sets of customers.
#pragma once

#include "cost.h"
#include "instance.h"
#include "search/plan.h"

namespace fripn::search {

// Time and memory grow threefold with each customer: 14 take about ten milliseconds.
inline constexpr int max_exact_customers = 14;

// The cheapest plan when every type can be hired as often as wanted; no more than `max_exact_customers`
// customers. Limits on the fleet are not looked at: a plan that happens to keep them is optimal with
// them too, and the cost is a lower bound in any case.
[[nodiscard]] Plan cheapest_plan(const Instance& instance, const FleetCost& fleet);

}  // namespace fripn::search
