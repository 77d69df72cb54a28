// The first plan: savings for every capacity of the fleet, each finished by the optimal split.
#pragma once

#include "cost.h"
#include "instance.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/plan.h"

namespace fripn::search {

// Clarke and Wright's savings with routes no larger than each capacity in turn; the giant tour of each
// outcome goes through `Split`, which chooses cuts and types, and the cheapest plan wins. When the
// limited fleet defeats them all, vehicles are filled best-fit; infinite cost when that fails too.
// Reference: G. Clarke and J. W. Wright, Operations Research 12 (1964), doi 10.1287/opre.12.4.568.
// Once the deadline is due the cheapest plan so far is returned, or the one that is filled best-fit.
[[nodiscard]] Plan savings(const Instance& instance, const FleetCost& fleet, const Neighbours& neighbours,
                           const Deadline& deadline);

// Largest customers first, each to the vehicle it leaves the least room in; a plan with infinite cost
// when some customer finds no room.
[[nodiscard]] Plan best_fit(const Instance& instance);

}  // namespace fripn::search
