// A stretch of annealing: from a plan, between two temperatures. The parts of a huge instance go through one after
// the other, so that together they follow one schedule.
#pragma once

#include <cstdint>
#include <functional>

#include "instance.h"
#include "search/limits.h"
#include "search/plan.h"
#include "search/sisr.h"

namespace fripn::search {

// At the beginning and at the end, as costs; in between they fall geometrically.
struct Temperatures {
    double first;
    double last;
};

struct Annealed {
    Plan present;   // where the next stretch goes on: complete, though perhaps costlier than the start
    Plan best;      // never costlier than the start
    std::uint64_t iterations = 0;   // of 50 steps, as those of the engine
};

// `start` must be feasible and complete. Limits of stall and target do not count; `is_stopped` is asked about every
// 20 ms.
[[nodiscard]] Annealed anneal(const Instance& instance, const Plan& start, const SisrSettings& settings,
                              const Temperatures& temperatures, const Limits& limits, std::uint64_t seed,
                              const std::function<bool()>& is_stopped);

}  // namespace fripn::search
