// The engine: workers that search one instance side by side and share the best plan.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "../cost.h"
#include "../instance.h"
#include "limits.h"
#include "neighbours.h"
#include "plan.h"
#include "sisr.h"

namespace fripn {

struct EngineSettings {
    Sisr::Settings sisr;
    // Temperatures as multiples of the mean cost of driving one leg.
    double start_temperature = 1.0;
    double end_temperature = 0.05;
    // Without a limit on time or iterations the temperature falls over this many, again and again.
    std::uint64_t cycle = 100'000;
};

struct EngineImprovement {
    double seconds;
    double cost;
};

struct EngineOutcome {
    Plan plan;                 // infinite cost when none was found
    std::uint64_t iterations = 0;
    bool interrupted = false;
    std::vector<EngineImprovement> curve;
};

class Engine {
public:
    // Called on the thread that called `run`, about every 20 ms and once at the end: the time, and the best
    // plan when it is new (else null). Returning true ends the search.
    using Poll = std::function<bool(double seconds, const Plan* improved)>;

    Engine(const Instance& instance, const EngineSettings& settings);

    // `initial` plans must be feasible and complete; the outcome is never worse than any of them.
    EngineOutcome run(const std::vector<Plan>& initial, const Limits& limits, std::uint64_t seed, int num_threads,
                      const Poll& poll);

    // The same search with one worker on the calling thread, without reports.
    EngineOutcome run_here(const Limits& limits, std::uint64_t seed);

private:
    [[nodiscard]] Plan first_plan(const std::vector<Plan>& initial);
    void work(const Plan& start, std::uint64_t seed, int worker);
    void publish(Plan&& plan);
    [[nodiscard]] double temperature_scale(const Plan& plan) const;
    [[nodiscard]] double progress(std::uint64_t iterations) const;

    const Instance& instance_;
    const EngineSettings settings_;
    const FleetCost fleet_;
    const Neighbours neighbours_;
    Limits limits_;
    Clock clock_;
    std::atomic<bool> stop_{false};
    std::atomic<double> best_cost_{infinity};
    std::atomic<std::uint64_t> iterations_{0};
    std::mutex mutex_;
    std::condition_variable done_;
    int num_working_ = 0;
    Plan best_;
    bool is_new_ = false;
    std::vector<EngineImprovement> curve_;
};

}  // namespace fripn
