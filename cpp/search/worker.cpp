#include "search/worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/decomposition.h"

namespace fripn::search {

namespace {

// Ruin-and-recreate steps that count as one iteration: about the work of a child.
constexpr int steps_per_iteration = 50;

// Children between two looks at what the other workers have found.
constexpr std::uint64_t migration_period = 50;

// Copying a plan for the others is cheap, but not free for thousands of customers.
constexpr double seconds_between_offers = 0.01;

// Annealing that has fewer steps than this per customer starts cooler in proportion.
constexpr double steps_per_customer_for_full_heat = 200.0;

constexpr std::uint64_t first_round_length = 4000;

// Measured (docs/experiments.md): populations win up to some hundred customers, annealing beyond, and with
// limited fleets early; both together in between. Short routes make local search, and so children, cheap.
constexpr int max_customers_all_genetic = 300;
constexpr int max_customers_genetic = 2000;
constexpr double max_mean_route_for_genetic = 6.0;
constexpr double mixed_share = 0.4;
constexpr double limited_share = 0.3;
// With limited vehicles of very different sizes it matters more which of them take part.
constexpr double very_different_sizes = 10.0;
constexpr double very_different_share = 0.7;
constexpr double usual_decomposition_share = 0.25;

double span_of_capacities(const Instance& instance) {
    const auto [smallest, largest] = std::minmax_element(
        instance.vehicle_types().begin(), instance.vehicle_types().end(),
        [](const VehicleType& a, const VehicleType& b) { return a.capacity < b.capacity; });
    return largest->capacity / smallest->capacity;
}

}  // namespace

template <Measure M>
Worker<M>::Worker(const Problem& problem, SharedBest& shared, Rng rng)
    : problem_(problem),
      shared_(shared),
      deadline_(problem.clock, problem.limits.seconds, shared.stop_flag()),
      rng_(rng) {}

template <Measure M>
double Worker<M>::genetic_share() const {
    if (problem_.settings.genetic_share >= 0) return problem_.settings.genetic_share;
    const int n = problem_.instance.num_customers();
    if (n > max_customers_genetic) return 0.0;
    if (problem_.instance.has_limited_fleet())
        return span_of_capacities(problem_.instance) < very_different_sizes ? limited_share : very_different_share;
    const bool has_short_routes = n < max_mean_route_for_genetic * static_cast<double>(best_.routes.size());
    return n <= max_customers_all_genetic || has_short_routes ? 1.0 : mixed_share;
}

template <Measure M>
double Worker<M>::decomposition_share() const {
    if (problem_.settings.decomposition_share >= 0) return problem_.settings.decomposition_share;
    const int n = problem_.instance.num_customers();
    if (n <= max_customers_all_genetic || n > max_customers_genetic || problem_.instance.has_limited_fleet()) return 0.0;
    return std::min(usual_decomposition_share, 1.0 - std::max(0.0, problem_.settings.genetic_share));
}

template <Measure M>
bool Worker<M>::is_over() const {
    return iterations_ >= problem_.limits.iterations || iterations_ - last_improvement_ >= problem_.limits.stall ||
           deadline_.is_due();
}

template <Measure M>
double Worker<M>::progress(const Round& round) const {
    double done = static_cast<double>(iterations_ - round.first) / static_cast<double>(round.length);
    if (problem_.limits.seconds != infinity) done = std::max(done, deadline_.now() / problem_.limits.seconds);
    return std::min(done, 1.0);
}

template <Measure M>
void Worker<M>::count(bool improved) {
    ++iterations_;
    if (improved) last_improvement_ = iterations_;
}

template <Measure M>
void Worker<M>::run(const std::vector<Plan>& initial) {
    for (const Plan& plan : initial)
        if (plan.cost < best_.cost) best_ = plan;
    const bool has_end = problem_.limits.seconds != infinity || problem_.limits.iterations != Limits::none;
    Round round{0, first_round_length};
    if (has_end) round.length = problem_.limits.iterations;
    decomposition_share_ = decomposition_share();
    share_ = std::min(genetic_share(), 1.0 - decomposition_share_);
    if (share_ == 0 && best_.cost < infinity && !is_over()) descend();
    while (!is_over()) {
        if (share_ > 0) breed(initial, round);
        const double last = 1.0 - decomposition_share_;
        if (share_ < last) anneal(round, share_, last);
        const bool has_plan = std::min(best_.cost, shared_.cost()) < infinity;
        if (last < 1 && has_plan) decompose(round);
        if (last < 1 && !has_plan) anneal(round, last, 1.0);   // limited fleets
        round = {iterations_, 2 * round.length};
    }
}

template <Measure M>
void Worker<M>::breed(const std::vector<Plan>& initial, const Round& round) {
    const bool is_timed = problem_.limits.seconds != infinity;
    const Deadline phase_end(problem_.clock, is_timed ? share_ * problem_.limits.seconds : infinity, shared_.stop_flag());
    Genetic<M> genetic(problem_.instance, problem_.fleet, problem_.neighbours, problem_.settings.genetic,
                    problem_.settings.sisr, phase_end);
    for (const Plan& plan : initial) {
        if (is_over()) break;
        genetic.add(plan, rng_);
    }
    while (!is_over() && (share_ >= 1.0 || progress(round) < share_)) {
        const bool improved = genetic.iterate(rng_);
        count(improved);
        if (genetic.best_cost() < shared_.cost()) shared_.offer(genetic.best());
        if (iterations_ % migration_period == 0 && shared_.cost() < genetic.best_cost()) genetic.add(shared_.get(), rng_);
    }
    if (genetic.best_cost() < best_.cost) best_ = genetic.best();
    shared_.offer(best_);
}

template <Measure M>
void Worker<M>::descend() {
    LocalSearch<M> local_search(problem_.instance, problem_.neighbours, problem_.settings.genetic.local_search);
    // A penalty that no gain outweighs: a plan that is cut short, or never repaired, must be one to keep.
    const double penalty = prohibitive_penalty(problem_.instance);
    Plan plan = local_search(best_, penalty, rng_, deadline_);
    if (keeps_limits<M>(problem_.instance, plan) && plan.cost < best_.cost) best_ = std::move(plan);
    shared_.offer(best_);
}

template <Measure M>
double Worker<M>::heat(const Round& round, double done_after, Sisr<M>& sisr) {
    const auto steps_for = [&](double iterations) {
        return iterations * steps_per_iteration / problem_.instance.num_customers() / steps_per_customer_for_full_heat;
    };
    double share = infinity;
    if (round.length != Limits::none) share = steps_for(done_after * static_cast<double>(round.length) - static_cast<double>(iterations_ - round.first));
    if (problem_.limits.seconds != infinity) {
        const double began = deadline_.now();
        for (int step = 0; step < steps_per_iteration; ++step) sisr.iterate(0.0, rng_);
        count(sisr.best_cost() < best_.cost);
        const double now = deadline_.now();
        share = std::min(share, steps_for((done_after * problem_.limits.seconds - now) / std::max(now - began, 1e-9)));
    }
    return std::min(1.0, share);
}

template <Measure M>
void Worker<M>::anneal(const Round& round, double done_before, double done_after) {
    Sisr<M> sisr(problem_.instance, problem_.fleet, problem_.neighbours, problem_.settings.sisr);
    if (shared_.cost() < best_.cost) best_ = shared_.get();
    sisr.load(best_);
    const double cold = problem_.settings.end_temperature;
    const double hot = std::max(cold, problem_.settings.start_temperature * heat(round, done_after, sisr));
    const double scale = best_.cost < infinity ? mean_arc_cost(problem_.instance, best_) : 0.0;
    const double cooling = std::log(cold / hot);
    double last_offer = -infinity;
    while (!is_over()) {
        const double done = std::max(0.0, (progress(round) - done_before) / (done_after - done_before));
        if (done >= 1.0) break;
        const double temperature = scale * hot * std::exp(cooling * done);
        bool improved = false;
        for (int step = 0; step < steps_per_iteration; ++step) improved |= sisr.iterate(temperature, rng_);
        count(improved);
        const double now = deadline_.now();
        if (sisr.best_cost() < shared_.cost() &&
            (now - last_offer >= seconds_between_offers || sisr.best_cost() <= problem_.limits.target)) {
            shared_.offer(sisr.best());
            last_offer = now;
        }
    }
    if (sisr.best_cost() < best_.cost) best_ = sisr.best();
    shared_.offer(best_);
}

template <Measure M>
void Worker<M>::decompose(const Round& round) {
    const EngineSettings& settings = problem_.settings;
    while (!is_over() && progress(round) < 1.0) {
        if (shared_.cost() < best_.cost) best_ = shared_.get();
        const SubProblem sub(problem_.instance, best_,
                             neighbouring_routes(problem_.instance, problem_.neighbours, best_,
                                                 settings.decomposition_customers, rng_));
        const FleetCost fleet(sub.instance());
        const Neighbours neighbours(sub.instance(), problem_.neighbours.per_customer());
        Genetic<M> genetic(sub.instance(), fleet, neighbours, settings.genetic, settings.sisr, deadline_);
        genetic.add(sub.start(), rng_);
        for (int i = 0; i < std::max(1, settings.decomposition_children) && !is_over(); ++i) count(genetic.iterate(rng_));
        if (genetic.best_cost() >= sub.start().cost * (1.0 - 1e-10)) continue;
        // Another worker may have improved other routes meanwhile; its gain and this one add up.
        Plan merged;
        if (shared_.cost() < best_.cost) merged = sub.put_back(shared_.get(), genetic.best());
        if (merged.cost == infinity) merged = sub.put_back(best_, genetic.best());
        if (merged.cost < best_.cost) best_ = std::move(merged);
        shared_.offer(best_);
    }
}

template class Worker<CapacityMeasure>;

}  // namespace fripn::search
