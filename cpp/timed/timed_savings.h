// Savings for timed routes: ends of routes are joined as long as that lowers the cost with the best vehicle types.
#pragma once

#include "search/limits.h"
#include "search/neighbours.h"
#include "search/sisr.h"
#include "timed/model.h"

namespace fripn::timed {

// Clarke and Wright's savings, once per capacity of the fleet: two routes are joined when some type no larger than that
// can drive both one after the other for less than what the two cost. The cheapest outcome wins. What the vehicles of a
// limited fleet cannot take over is inserted afterwards, see `first_plan`.
// Customers may be left out when no vehicle is found for them, or when the deadline comes: then the cost is infinite.
// Reference: G. Clarke and J. W. Wright, Operations Research 12 (1964), doi 10.1287/opre.12.4.568.
[[nodiscard]] Plan savings(const Model& model, const search::Neighbours& neighbours, const search::Deadline& deadline);

// The cheaper of savings and the insertion of all customers; where customers find no vehicle, ruin and recreate makes room
// for them, for a while. Infinite cost when some are left out all the same. Does not depend on a seed.
[[nodiscard]] Plan first_plan(const Model& model, const search::Neighbours& neighbours, const search::SisrSettings& settings,
                              const search::Deadline& deadline);

}  // namespace fripn::timed
