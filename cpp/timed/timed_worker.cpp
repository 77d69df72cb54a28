#include "timed/timed_worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/decomposition.h"

namespace fripn::timed {

namespace {

// Ruin-and-recreate steps that count as one iteration.
constexpr int steps_per_iteration = 50;
constexpr std::uint64_t first_round_length = 4000;
constexpr double seconds_between_offers = 0.01;
constexpr std::size_t max_pool = 20'000;
// Children between two looks at what the other workers have found.
constexpr std::uint64_t migration_period = 50;
// Temperatures are so many times higher than without windows: chosen among some settings with one seed each, see
// docs/experiments.md.
constexpr double timed_heat = 6.0;
// Annealing that has fewer steps than this per customer starts cooler in proportion.
constexpr double steps_for_full_heat = 100.0;
// Steps per customer of a run with one cycle of heating and cooling; their number grows with the root of the steps.
constexpr double steps_of_one_cycle = 500.0;
constexpr double most_cycles = 50.0;
// Measured (docs/experiments.md): populations win up to so many customers, annealing beyond; with vehicles that are few and
// windows to keep annealing wins sooner.
constexpr int max_customers_genetic = 400;
constexpr int max_customers_limited_genetic = 200;
// Of the budget, between two calls of set partitioning.
constexpr double partition_share = 0.05;

}  // namespace

TimedWorker::TimedWorker(const TimedProblem& problem, search::SharedBest& shared, Rng rng)
    : problem_(problem),
      shared_(shared),
      deadline_(problem.clock, problem.limits.seconds, shared.stop_flag()),
      rng_(rng),
      pool_(problem.model.instance(), max_pool),
      set_partition_(problem.model.instance(), problem.settings.genetic.partition) {}

bool TimedWorker::is_over() const {
    return iterations_ >= problem_.limits.iterations || iterations_ - last_improvement_ >= problem_.limits.stall ||
           deadline_.is_due();
}

double TimedWorker::progress(const Round& round) const {
    double done = static_cast<double>(iterations_ - round.first) / static_cast<double>(round.length);
    if (problem_.limits.seconds != infinity) done = std::max(done, deadline_.now() / problem_.limits.seconds);
    return std::min(done, 1.0);
}

void TimedWorker::run(const std::vector<Plan>& initial) {
    for (const Plan& plan : initial)
        if (plan.cost < best_.cost) best_ = plan;
    const bool has_end = problem_.limits.seconds != infinity || problem_.limits.iterations != search::Limits::none;
    Round round{0, first_round_length};
    if (has_end) round.length = problem_.limits.iterations;
    const double share = genetic_share();
    while (!is_over()) {
        if (share > 0) breed(initial, round, share);
        const double last = share < 1 ? 1.0 - decomposition_share() : 1.0;
        if (share < last) anneal(round, last);
        const bool has_plan = std::min(best_.cost, shared_.cost()) < infinity;
        if (last < 1 && has_plan) decompose(round);
        if (last < 1 && !has_plan) anneal(round, 1.0);   // limited fleets
        round = {iterations_, 2 * round.length};
    }
}

double TimedWorker::partition_period() const {
    return problem_.settings.genetic.partition_period == 0 || problem_.model.has_limited_fleet() ? 0.0 : partition_share;
}

double TimedWorker::genetic_share() const {
    if (problem_.settings.genetic_share >= 0) return problem_.settings.genetic_share;
    const int n = problem_.model.num_customers();
    const bool has_windows = !problem_.model.instance().day().windows.empty();
    const int most = has_windows && problem_.model.has_limited_fleet() ? max_customers_limited_genetic : max_customers_genetic;
    return n <= most ? 1.0 : 0.0;
}

double TimedWorker::decomposition_share() const {
    // Measured (docs/experiments.md): annealing gains more in the same time, so it is left to who asks for it.
    return std::max(0.0, problem_.settings.decomposition_share);
}

void TimedWorker::decompose(const Round& round) {
    const search::EngineSettings& settings = problem_.settings;
    while (!is_over() && progress(round) < 1.0) {
        if (shared_.cost() < best_.cost) best_ = shared_.get();
        const search::SubProblem sub(problem_.model.instance(), best_,
                                     search::neighbouring_routes(problem_.model.instance(), problem_.neighbours, best_,
                                                                 settings.decomposition_customers, rng_));
        const Model model(sub.instance());
        const search::Neighbours neighbours(sub.instance(), problem_.neighbours.per_customer());
        search::RoutePool pool(sub.instance(), max_pool);
        TimedGenetic genetic(model, neighbours, settings.genetic, settings.sisr, pool, deadline_);
        Plan start = sub.start();
        start.cost = model.cost(start);
        genetic.add(start, rng_);
        for (int i = 0; i < std::max(1, settings.decomposition_children) && !is_over(); ++i) {
            ++iterations_;
            if (genetic.iterate(rng_)) last_improvement_ = iterations_;
        }
        if (genetic.best_cost() >= start.cost * (1.0 - 1e-10)) continue;
        // Another worker may have improved other routes meanwhile; its gain and this one add up.
        const auto put_back = [&](const Plan& plan) {
            Plan merged{sub.merged_routes(plan, genetic.best()), infinity};
            if (!merged.routes.empty() && problem_.model.keeps_limits(merged)) merged.cost = problem_.model.cost(merged);
            return merged;
        };
        Plan merged;
        if (shared_.cost() < best_.cost) merged = put_back(shared_.get());
        if (merged.cost == infinity) merged = put_back(best_);
        if (merged.cost < best_.cost) best_ = std::move(merged);
        shared_.offer(best_);
    }
}

void TimedWorker::breed(const std::vector<Plan>& initial, const Round& round, double share) {
    const bool is_timed = problem_.limits.seconds != infinity;
    const search::Deadline phase_end(problem_.clock, is_timed ? share * problem_.limits.seconds : infinity, shared_.stop_flag());
    TimedGenetic genetic(problem_.model, problem_.neighbours, problem_.settings.genetic, problem_.settings.sisr, pool_, phase_end);
    for (const Plan& plan : initial) {
        if (is_over()) break;
        genetic.add(plan, rng_);
    }
    const double period = partition_period();
    double next_partition = progress(round) + period;
    while (!is_over() && (share >= 1.0 || progress(round) < share)) {
        const bool improved = genetic.iterate(rng_);
        ++iterations_;
        if (improved) last_improvement_ = iterations_;
        if (genetic.best_cost() < shared_.cost()) shared_.offer(genetic.best());
        if (iterations_ % migration_period == 0 && shared_.cost() < genetic.best_cost()) genetic.add(shared_.get(), rng_);
        if (period > 0 && (progress(round) >= next_partition || pool_.is_full())) {
            const Plan plan = partition(genetic.best());
            if (plan.cost < infinity) {
                last_improvement_ = iterations_;
                genetic.add(plan, rng_);
            }
            next_partition = progress(round) + period;
        }
    }
    if (genetic.best_cost() < best_.cost) best_ = genetic.best();
    shared_.offer(best_);
}

Plan TimedWorker::partition(const Plan& best) {
    if (best.cost == infinity || pool_.num_changes() == partitioned_at_) return {};
    partitioned_at_ = pool_.num_changes();
    Plan plan = set_partition_(pool_, best, deadline_);
    const bool is_better = plan.cost < best.cost && problem_.model.keeps_limits(plan);
    if (pool_.is_full()) {
        // Forget, but for the best: routes come and go.
        pool_.clear();
        for (const PlanRoute& route : (is_better ? plan : best).routes)
            pool_.add(route.type, route.customers, problem_.model.cost(route));
    }
    return is_better ? plan : Plan{};
}

double TimedWorker::steps_per_customer(const Round& round, TimedSisr& sisr) {
    double iterations = static_cast<double>(round.length);
    if (problem_.limits.seconds != infinity) {
        const double began = deadline_.now();
        for (int step = 0; step < steps_per_iteration; ++step) sisr.iterate(0.0, rng_);
        ++iterations_;
        if (sisr.best_cost() < best_.cost) last_improvement_ = iterations_;
        const double now = deadline_.now();
        iterations = std::min(iterations, (problem_.limits.seconds - now) / std::max(now - began, 1e-9));
    }
    return std::max(0.0, iterations) * steps_per_iteration / problem_.model.num_customers();
}

void TimedWorker::anneal(const Round& round, double done_after) {
    TimedSisr sisr(problem_.model, problem_.neighbours, problem_.settings.sisr);
    const double period = partition_period();
    if (period > 0) sisr.remember_in(&pool_);
    if (shared_.cost() < best_.cost) best_ = shared_.get();
    sisr.load(best_);
    const double cold = timed_heat * problem_.settings.end_temperature;
    const double steps = done_after * steps_per_customer(round, sisr);
    const double share = std::min(1.0, steps / steps_for_full_heat);
    const double hot = std::max(cold, timed_heat * problem_.settings.start_temperature * share);
    const double cycles = std::clamp(std::floor(std::sqrt(steps / steps_of_one_cycle)), 1.0, most_cycles);
    double scale = best_.cost < infinity ? problem_.model.mean_arc_cost(best_) : 0.0;
    const double cooling = std::log(cold / hot);
    const double done_before = std::min(progress(round), 0.999 * done_after);
    double last_offer = -infinity;
    double next_partition = period;
    const auto join = [&] {
        const Plan plan = partition(sisr.best());
        if (plan.cost == infinity) return;
        last_improvement_ = iterations_;
        sisr.load(plan);
        best_ = sisr.best();
        shared_.offer(best_);
    };
    while (!is_over()) {
        const double done = (progress(round) - done_before) / (done_after - done_before);
        if (done >= 1.0) break;
        const double cooled = done * cycles - std::floor(done * cycles);
        const double temperature = scale * hot * std::exp(cooling * cooled);
        bool improved = false;
        for (int step = 0; step < steps_per_iteration; ++step) improved |= sisr.iterate(temperature, rng_);
        ++iterations_;
        if (improved) last_improvement_ = iterations_;
        if (scale == 0.0 && sisr.best_cost() < infinity) scale = problem_.model.mean_arc_cost(sisr.best());
        const double now = deadline_.now();
        if (sisr.best_cost() < shared_.cost() &&
            (now - last_offer >= seconds_between_offers || sisr.best_cost() <= problem_.limits.target)) {
            shared_.offer(sisr.best());
            last_offer = now;
        }
        if (period > 0 && (done >= next_partition || pool_.is_full())) {
            join();
            next_partition = std::max(next_partition, done) + period;
        }
    }
    if (period > 0 && !is_over()) join();
    if (sisr.best_cost() < best_.cost) best_ = sisr.best();
    shared_.offer(best_);
}

}  // namespace fripn::timed
