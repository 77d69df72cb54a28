// The engine: workers that search one instance side by side and share the best plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cost.h"
#include "instance.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/shared_best.h"
#include "search/worker.h"
#include "timed/model.h"

namespace fripn::search {

struct EngineOutcome {
    Plan plan;  // infinite cost when none was found
    std::uint64_t iterations = 0;
    std::vector<Improvement> curve;
};

class Engine {
public:
    // Called on the thread that called `run`, about every 20 ms and once at the end: the best plan when it is new
    // (else null), and when it was found. Returning true ends the search.
    using Poll = std::function<bool(double seconds, const Plan* improved)>;

    Engine(const Instance& instance, const EngineSettings& settings);

    // `initial` plans must be feasible and complete; the outcome is never worse than any of them. Unless there are
    // some and the caller wants no other, the plan of savings joins them.
    EngineOutcome run(std::vector<Plan> initial, bool with_savings, const Limits& limits, std::uint64_t seed,
                      int num_threads, const Poll& poll);

    // The same search with one worker on the calling thread, without reports or a target, until `stop` is set.
    EngineOutcome run_here(const Limits& limits, std::uint64_t seed, const std::atomic<bool>& stop);

private:
    // Adds the plan that savings give, if wanted; for a limited fleet also what ruin and recreate soon make of it (or
    // of the first one that is there), or of nothing where savings find no plan within the limits.
    void add_first_plan(std::vector<Plan>& initial, bool with_savings, SharedBest& shared, const Limits& limits,
                        std::uint64_t seed) const;

    void add_first_timed_plan(std::vector<Plan>& initial, SharedBest& shared, const Limits& limits) const;
    // Search with one worker until it ends; the number of its iterations.
    std::uint64_t work(const std::vector<Plan>& initial, SharedBest& shared, const Limits& limits, Rng rng) const;

    const Instance& instance_;
    const EngineSettings settings_;
    const FleetCost fleet_;
    const std::optional<timed::Model> model_;   // of an instance with a working day
    const Clock clock_;   // preparation counts as search time
    const Neighbours neighbours_;
};

}  // namespace fripn::search
