// One thread's search of an instance with a working day: annealing over ruin and recreate, and set partitioning over the
// routes it has seen.
#pragma once

#include <cstdint>
#include <vector>

#include "rng.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/route_pool.h"
#include "search/set_partition.h"
#include "search/shared_best.h"
#include "search/worker.h"
#include "timed/model.h"
#include "timed/timed_genetic.h"
#include "timed/timed_sisr.h"

namespace fripn::timed {

// What all workers of a run have in common.
struct TimedProblem {
    const Model& model;
    const search::Neighbours& neighbours;
    const search::EngineSettings& settings;
    const search::Limits& limits;
    const search::Clock& clock;
};

class TimedWorker {
public:
    TimedWorker(const TimedProblem& problem, search::SharedBest& shared, Rng rng);

    // Search until a limit is reached. `initial` may be empty when no plan is known.
    void run(const std::vector<Plan>& initial);

    // An iteration is a block of ruin-and-recreate steps.
    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }

private:
    // The whole budget when it has an end, else ever longer stretches of iterations.
    struct Round {
        std::uint64_t first;
        std::uint64_t length;
    };

    // How many steps per customer the budget allows, about.
    [[nodiscard]] double steps_per_customer(const Round& round, TimedSisr& sisr);
    [[nodiscard]] double genetic_share() const;
    void breed(const std::vector<Plan>& initial, const Round& round, double share);
    // Annealing until that share of the budget is used.
    void anneal(const Round& round, double done_after);
    [[nodiscard]] double decomposition_share() const;
    // Neighbouring routes of the best plan, which there must be, searched as a problem of their own, time and again.
    void decompose(const Round& round);
    // The best plan that the routes seen so far make, if it is a better one; else none, of infinite cost.
    [[nodiscard]] Plan partition(const Plan& best);
    // Share of the budget between two calls of it; 0 for none.
    [[nodiscard]] double partition_period() const;
    [[nodiscard]] double progress(const Round& round) const;
    [[nodiscard]] bool is_over() const;

    const TimedProblem problem_;
    search::SharedBest& shared_;
    const search::Deadline deadline_;
    Rng rng_;
    search::RoutePool pool_;
    search::SetPartition set_partition_;
    std::uint64_t partitioned_at_ = 0;   // changes of the pool at the last call
    Plan best_;
    std::uint64_t iterations_ = 0;
    std::uint64_t last_improvement_ = 0;
};

}  // namespace fripn::timed
