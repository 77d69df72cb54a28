// A permutation genetic algorithm: giant tours, order crossover, optimal split, mutation by local search.
//
// Reference: C. Prins, "A simple and effective evolutionary algorithm for the vehicle routing problem",
// Computers & Operations Research 31 (2004), doi 10.1016/S0305-0548(03)00158-8.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "baselines/engine_parts.h"
#include "cost.h"
#include "instance.h"
#include "rng.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/split.h"
#include "baselines/penalised_routes.h"

namespace fripn::baselines {

// Local search over feasible plans: each customer in turn makes its best move.
class Descent {
public:
    Descent(const Instance& instance, const Neighbours& neighbours);
    // Gives up once `stop` is set: on thousands of customers one descent takes seconds.
    [[nodiscard]] Plan operator()(const Plan& plan, Rng& rng, const std::atomic<bool>& stop);

    // Give up so many seconds from now as well.
    void stop_after(double seconds) { seconds_left_ = seconds, clock_ = Clock(); }

    // The same for what is done around a descent.
    [[nodiscard]] Deadline deadline(const std::atomic<bool>& stop) const { return {clock_, seconds_left_, stop}; }

private:
    bool improve(int customer);
    void descend(const std::atomic<bool>& stop);

    const Instance& instance_;
    const Neighbours& neighbours_;
    PenalisedRoutes state_;
    std::vector<int> order_;
    double seconds_left_ = infinity;
    Clock clock_;
};

struct GeneticSettings {
    int population = 30;
    double mutation_rate = 0.5;        // chance that a child goes through local search
    int num_neighbours = 24;
    std::uint64_t renew_after = 3000;  // children without a better plan until most of the population is new
};

class Genetic {
public:
    // `start` must be complete and keep all limits.
    Genetic(const Instance& instance, const GeneticSettings& settings, const Plan& start, std::uint64_t seed);

    // Up to that many children; fewer once `stop` is set; true when the best plan improved.
    bool run(std::uint64_t children, const std::atomic<bool>& stop);

    // Seconds used and left: what is under way when they are over is cut short.
    void set_clock(double /*used*/, double left) { descent_.stop_after(left); }

    [[nodiscard]] const Plan& best() const { return best_; }

private:
    struct Member {
        std::vector<int> tour;
        double cost = infinity;
    };

    void breed(const std::atomic<bool>& stop);
    void populate(const std::atomic<bool>& stop);
    [[nodiscard]] const Member& tournament();
    [[nodiscard]] std::vector<int> crossover(const std::vector<int>& first, const std::vector<int>& second);
    [[nodiscard]] Member grow(const std::vector<int>& tour, bool improves, const std::atomic<bool>& stop);
    [[nodiscard]] bool is_double(double cost) const;

    const Instance& instance_;
    const GeneticSettings settings_;
    const FleetCost fleet_;
    const Neighbours neighbours_;
    Split<> split_;
    Descent descent_;
    Rng rng_;
    Plan best_;
    std::vector<Member> members_;  // cheapest first
    std::uint64_t since_improvement_ = 0;
    std::uint64_t num_failed_ = 0;
};

}  // namespace fripn::baselines
