#include "search/annealing.h"

#include <algorithm>
#include <cmath>

#include "cost.h"
#include "rng.h"
#include "search/neighbours.h"

namespace fripn::search {

namespace {

constexpr int num_neighbours = 100;
constexpr int steps_per_iteration = 50;
constexpr std::uint64_t iterations_per_question = 16;

}  // namespace

Annealed anneal(const Instance& instance, const Plan& start, const SisrSettings& settings,
                const Temperatures& temperatures, const Limits& limits, std::uint64_t seed,
                const std::function<bool()>& is_stopped) {
    const Clock clock;   // preparation counts
    const FleetCost fleet(instance);
    const Neighbours neighbours(instance, num_neighbours);
    Sisr<CapacityMeasure> sisr(instance, fleet, neighbours, settings);
    sisr.load(start);
    Rng rng(seed);
    const double cooling = temperatures.first > 0 ? std::log(temperatures.last / temperatures.first) : 0.0;
    Annealed outcome;
    while (outcome.iterations < limits.iterations) {
        double done = static_cast<double>(outcome.iterations) / static_cast<double>(limits.iterations);
        if (limits.seconds != infinity) done = std::max(done, clock.seconds() / limits.seconds);
        if (done >= 1.0) break;
        if (outcome.iterations % iterations_per_question == 0 && is_stopped()) break;
        const double temperature = temperatures.first * std::exp(cooling * done);
        for (int step = 0; step < steps_per_iteration; ++step) sisr.iterate(temperature, rng);
        ++outcome.iterations;
    }
    outcome.best = sisr.best();
    outcome.present = sisr.is_complete() ? sisr.present() : outcome.best;
    return outcome;
}

}  // namespace fripn::search
