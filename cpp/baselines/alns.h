// Adaptive large neighbourhood search: operators chosen by what they achieved, plans by annealing.
//
// Reference: S. Ropke and D. Pisinger, Transportation Science 40 (2006), doi 10.1287/trsc.1050.0135.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "baselines/engine_parts.h"
#include "instance.h"
#include "rng.h"
#include "search/plan.h"
#include "baselines/large_neighbourhood.h"

namespace fripn::baselines {

struct AlnsSettings {
    int min_removed = 2;
    int max_removed = 30;
    double max_share = 0.4;           // of the customers removed at once, at most
    // Temperatures as multiples of what the first plan costs per customer.
    double start_temperature = 0.3;
    double end_temperature = 0.03;
    double decay = 0.99;              // how much of its weight an operator keeps each time it is used
    std::uint64_t cycle = 0;          // iterations over which the temperature falls; 0: see `set_clock`
};

class AlnsSearch {
public:
    // `start` must keep all limits.
    AlnsSearch(const Instance& instance, const AlnsSettings& settings, const Plan& start, std::uint64_t seed);

    // Up to that many iterations; fewer once `stop` is set; true when the best plan improved.
    bool run(std::uint64_t iterations, const std::atomic<bool>& stop);

    // Seconds used and left: their share sets the temperature when there is no cycle.
    void set_clock(double used, double left) { progress_ = used / (used + left); }

    [[nodiscard]] const Plan& best() const { return best_; }

private:
    // Operators of one kind with their weights.
    struct Wheel {
        std::vector<double> weights;
        [[nodiscard]] std::size_t spin(Rng& rng) const;
        void reward(std::size_t index, double score, double decay);
    };

    void iterate();
    [[nodiscard]] double temperature() const;

    const Instance& instance_;
    const AlnsSettings settings_;
    LargeNeighbourhood neighbourhood_;
    Rng rng_;
    LnsPlan current_;
    Plan best_;
    Wheel destroy_;
    Wheel repair_;
    double scale_ = 1.0;
    double progress_ = 0.0;
    std::uint64_t iteration_ = 0;
};

}  // namespace fripn::baselines
