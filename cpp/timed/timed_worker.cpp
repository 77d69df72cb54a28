#include "timed/timed_worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fripn::timed {

namespace {

// Ruin-and-recreate steps that count as one iteration.
constexpr int steps_per_iteration = 50;
constexpr std::uint64_t first_round_length = 4000;
constexpr double seconds_between_offers = 0.01;
constexpr std::size_t max_pool = 20'000;
// Temperatures are so many times higher than without windows: chosen among some settings with one seed each, see
// docs/experiments.md.
constexpr double timed_heat = 3.0;
// Annealing that has fewer steps than this per customer starts cooler in proportion.
constexpr double steps_for_full_heat = 100.0;
// Steps per customer of a run with one cycle of heating and cooling; their number grows with the root of the steps.
constexpr double steps_of_one_cycle = 500.0;
constexpr double most_cycles = 50.0;
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
    while (!is_over()) {
        anneal(round);
        round = {iterations_, 2 * round.length};
    }
}

void TimedWorker::partition(TimedSisr& sisr) {
    if (sisr.best_cost() == infinity || pool_.num_changes() == partitioned_at_) return;
    partitioned_at_ = pool_.num_changes();
    const Plan plan = set_partition_(pool_, sisr.best(), deadline_);
    if (plan.cost < sisr.best_cost() && problem_.model.keeps_limits(plan)) {
        last_improvement_ = iterations_;
        sisr.load(plan);
        best_ = sisr.best();
        shared_.offer(best_);
    }
    if (!pool_.is_full()) return;
    // Forget, but for the best: routes come and go.
    pool_.clear();
    for (const PlanRoute& route : sisr.best().routes) pool_.add(route.type, route.customers, problem_.model.cost(route));
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
    return iterations * steps_per_iteration / problem_.model.num_customers();
}

void TimedWorker::anneal(const Round& round) {
    TimedSisr sisr(problem_.model, problem_.neighbours, problem_.settings.sisr);
    sisr.remember_in(&pool_);
    if (shared_.cost() < best_.cost) best_ = shared_.get();
    sisr.load(best_);
    const double cold = timed_heat * problem_.settings.end_temperature;
    const double steps = steps_per_customer(round, sisr);
    const double share = std::min(1.0, steps / steps_for_full_heat);
    const double hot = std::max(cold, timed_heat * problem_.settings.start_temperature * share);
    const double cycles = std::clamp(std::floor(std::sqrt(steps / steps_of_one_cycle)), 1.0, most_cycles);
    double scale = best_.cost < infinity ? problem_.model.leg_cost(best_) : 0.0;
    const double cooling = std::log(cold / hot);
    const double period = problem_.settings.genetic.partition_period == 0 ? 0.0 : partition_share;
    double last_offer = -infinity;
    double next_partition = period;
    while (!is_over()) {
        const double done = progress(round);
        if (done >= 1.0) break;
        const double cooled = done * cycles - std::floor(done * cycles);
        const double temperature = scale * hot * std::exp(cooling * cooled);
        bool improved = false;
        for (int step = 0; step < steps_per_iteration; ++step) improved |= sisr.iterate(temperature, rng_);
        ++iterations_;
        if (improved) last_improvement_ = iterations_;
        if (scale == 0.0 && sisr.best_cost() < infinity) scale = problem_.model.leg_cost(sisr.best());
        const double now = deadline_.now();
        if (sisr.best_cost() < shared_.cost() &&
            (now - last_offer >= seconds_between_offers || sisr.best_cost() <= problem_.limits.target)) {
            shared_.offer(sisr.best());
            last_offer = now;
        }
        if (period > 0 && (done >= next_partition || pool_.is_full())) {
            partition(sisr);
            next_partition = std::max(next_partition, done) + period;
        }
    }
    if (period > 0 && !is_over()) partition(sisr);
    if (sisr.best_cost() < best_.cost) best_ = sisr.best();
    shared_.offer(best_);
}

}  // namespace fripn::timed
