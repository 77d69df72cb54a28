// The baselines are built from the engine's parts: plans, routes, prices, neighbours and the clock.
#pragma once

namespace fripn::search {}

namespace fripn::baselines {

using namespace search;

}  // namespace fripn::baselines
