// One thread's search: a genetic phase that finds the fleet, then annealing that polishes the routes.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "instance.h"
#include "rng.h"
#include "search/genetic.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/shared_best.h"
#include "search/sisr.h"

namespace fripn::search {

struct EngineSettings {
    SisrSettings sisr;
    GeneticSettings genetic;
    // Temperatures of the annealing phase as multiples of the mean cost of driving one arc.
    double start_temperature = 0.3;
    double end_temperature = 0.02;
    // Share of the budget for the genetic phase; negative: chosen by size and whether the fleet is limited.
    double genetic_share = -1.0;
    // Share of the budget, at its end, for decomposition; negative: chosen by size.
    double decomposition_share = -1.0;
    int decomposition_customers = 60;    // about so many in a sub-problem
    int decomposition_children = 200;    // of its genetic search, at least one
};

// What all workers of a run have in common.
struct Problem {
    const Instance& instance;
    const FleetCost& fleet;
    const Neighbours& neighbours;
    const EngineSettings& settings;
    const Limits& limits;
    const Clock& clock;
};

template <Measure M>
class Worker {
public:
    Worker(const Problem& problem, SharedBest& shared, Rng rng);

    // Search until a limit is reached. `initial` may be empty when no plan is known.
    void run(const std::vector<Plan>& initial);

    // An iteration is a child of the genetic phase or a block of ruin-and-recreate steps.
    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }

private:
    // The whole budget when it has an end, else ever longer stretches of iterations.
    struct Round {
        std::uint64_t first;
        std::uint64_t length;
    };

    void breed(const std::vector<Plan>& initial, const Round& round);
    // Plain local search, for plans so large that annealing would take long to do the same.
    void descend();
    // Share of the start temperature that suits the number of steps the budget allows.
    [[nodiscard]] double heat(const Round& round, double done_after, Sisr<M>& sisr);
    void anneal(const Round& round, double done_before, double done_after);
    // Neighbouring routes of the best plan, which there must be, searched as a problem of their own, time and again.
    void decompose(const Round& round);
    [[nodiscard]] double progress(const Round& round) const;
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] double genetic_share() const;
    [[nodiscard]] double decomposition_share() const;
    void count(bool improved);

    const Problem problem_;
    SharedBest& shared_;
    const Deadline deadline_;
    Rng rng_;
    Plan best_;
    double share_ = 1.0;   // of the genetic phase
    double decomposition_share_ = 0.0;
    std::uint64_t iterations_ = 0;
    std::uint64_t last_improvement_ = 0;
};

}  // namespace fripn::search
