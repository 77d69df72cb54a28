// The order of the customers within each route, improved by relocate and 2-opt until neither helps.
#pragma once

#include "baselines/engine_parts.h"
#include "instance.h"
#include "search/plan.h"

namespace fripn::baselines {

[[nodiscard]] Plan order_routes(const Instance& instance, const Plan& plan);

}  // namespace fripn::baselines
