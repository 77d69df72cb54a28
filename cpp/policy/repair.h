// Split repair: the optimal cuts and types of the giant tours of trajectories.
#pragma once

#include <cstdint>

#include "instance.h"
#include "search/limits.h"

namespace fripn::policy {

// For each of `count` trajectories (`steps` actions each, -1 after the end) the cheaper of two giant tours: its
// routes in the order they were begun, and by angle around the depot (where there are coordinates). Customers that
// a dead end left over come last. `tours` is (count, n); a cost is infinity when a limited fleet offers no cut, and for
// trajectories that are left out once `deadline` is due, whose tours are 0. False when a trajectory serves a customer twice.
[[nodiscard]] bool repair(const Instance& instance, const std::int32_t* actions, int count, int steps, int num_threads,
                          const search::Deadline& deadline, double* costs, std::int32_t* tours);

}  // namespace fripn::policy
