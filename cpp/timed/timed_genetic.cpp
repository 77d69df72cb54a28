#include "timed/timed_genetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fripn::timed {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int children_per_adaptation = 50;
constexpr double repair_rate = 0.5;
constexpr double repair_factor = 10.0;
constexpr int max_burst = 3000;
constexpr double usual_burst_rate = 0.2;
constexpr int restart_per_customer = 15;
constexpr int max_restart = 5000;
// A route of the second parent that keeps a smaller share of its customers is given up.
constexpr double least_kept_share = 0.5;
// Limited fleets: a tour is split as if there were enough vehicles of every type, so whole routes are inherited more often.
constexpr double limited_route_crossover = 0.5;
constexpr double raise = 1.25;
constexpr double lower = 0.8;
// Near customers whose windows do not suit fill the lists, too.
constexpr int more_neighbours = 2;
// Survivors and children of a generation, compared with capacities alone: penalties of several sorts make plans differ more.
constexpr int larger_population = 2;

search::GeneticSettings completed(search::GeneticSettings settings, const Model& model) {
    if (settings.burst_rate < 0) settings.burst_rate = usual_burst_rate;
    if (settings.restart_after <= 0) settings.restart_after = std::min(restart_per_customer * model.num_customers(), max_restart);
    if (model.has_limited_fleet()) settings.route_crossover_rate = std::max(settings.route_crossover_rate, limited_route_crossover);
    settings.local_search.num_neighbours += more_neighbours;
    settings.population.min_size *= larger_population;
    settings.population.generation *= larger_population;
    return settings;
}

// What one unit too much costs to begin with: a share of what a trip for it would.
Amounts first_penalties(const Model& model) {
    double trips = 0.0;
    double distance = 0.0;
    double time = 0.0;
    double unit_cost = 0.0;
    double time_cost = 0.0;
    Loads demand{};
    const Frame& frame = model.frames().front();
    for (int k = 0; k < model.num_types(); ++k) {
        unit_cost = std::max(unit_cost, model.type(k).tariff.unit_cost);
        time_cost = std::max(time_cost, model.type(k).time_cost);
    }
    for (int c = 1; c <= model.num_customers(); ++c) {
        const Arc out = model.arc_from_depot(frame, c);
        const Arc back = model.arc_to_end(frame, c);
        distance += out.distance + back.distance;
        time += out.time + back.time;
        double least = infinity;
        for (const int k : frame.types) least = std::min(least, model.type(k).cost(out.distance + back.distance, out.time + back.time));
        if (least < infinity) trips += least;
        for (std::size_t l = 0; l < demand.size(); ++l) demand[l] += model.cargo(c).load[l];
    }
    const double per_time = std::max({time > 0 ? unit_cost * distance / time : 0.0, time_cost,
                                      1e-3 * trips / std::max(time, 1e-9), 1e-12});
    Amounts penalties;
    for (std::size_t l = 0; l < demand.size(); ++l) penalties[l] = std::max(0.5 * trips / std::max(demand[l], 1e-9), 1e-12);
    penalties[warp_violation] = per_time;
    penalties[duration_violation] = per_time;
    penalties[distance_violation] = std::max({unit_cost, 1e-3 * trips / std::max(distance, 1e-9), 1e-12});
    penalties[stops_violation] = std::max(0.5 * trips / model.num_customers(), 1e-12);
    return penalties;
}

}  // namespace

TimedGenetic::TimedGenetic(const Model& model, const search::Neighbours& neighbours, const search::GeneticSettings& settings,
                           const search::SisrSettings& sisr, search::RoutePool& pool, const search::Deadline& deadline)
    : model_(model),
      settings_(completed(settings, model)),
      local_search_(model, neighbours, settings_.local_search.num_neighbours),
      split_(model),
      sisr_(model, neighbours, sisr),
      pool_(pool),
      deadline_(deadline),
      population_(settings_.population),
      penalties_(first_penalties(model)),
      taken_(at(model.num_customers()) + 1, 0) {}

Plan TimedGenetic::random_plan(Rng& rng) {
    if (model_.has_limited_fleet()) return {};   // local search inserts everyone
    std::vector<int> tour(at(model_.num_customers()));
    std::iota(tour.begin(), tour.end(), 1);
    rng.shuffle(tour);
    return split_(tour, penalties_);
}

Plan TimedGenetic::inherit_routes(const Plan& first, const Plan& second, Rng& rng) {
    std::fill(taken_.begin(), taken_.end(), 0);
    Plan plan;
    const std::size_t num_first = first.routes.size();
    const std::size_t start = rng.below(num_first);
    const std::size_t count = num_first > 1 ? 1 + rng.below(num_first - 1) : 1;
    for (std::size_t i = 0; i < count; ++i) {
        plan.routes.push_back(first.routes[(start + i) % num_first]);
        for (const int c : plan.routes.back().customers) taken_[at(c)] = 1;
    }
    for (const PlanRoute& route : second.routes) {
        PlanRoute kept{route.type, {}};
        for (const int c : route.customers)
            if (!taken_[at(c)]) kept.customers.push_back(c);
        const auto least = least_kept_share * static_cast<double>(route.customers.size());
        if (!kept.customers.empty() && static_cast<double>(kept.customers.size()) >= least) plan.routes.push_back(std::move(kept));
    }
    return plan;
}

Plan TimedGenetic::child(Rng& rng) {
    const TimedIndividual& first = population_.select(rng);
    const TimedIndividual* second = &population_.select(rng);
    for (int i = 0; i < 5 && second == &first; ++i) second = &population_.select(rng);
    if (rng.uniform() < settings_.route_crossover_rate) return inherit_routes(first.plan, second->plan, rng);
    return split_(crossover_(first.tour, second->tour, rng), penalties_);
}

TimedIndividual TimedGenetic::make_individual(TimedLocalSearch::Outcome outcome) const {
    TimedIndividual individual;
    individual.excess = outcome.excess;
    // What seems feasible must be so from scratch, at its cost from scratch.
    if (individual.is_feasible()) {
        if (model_.keeps_limits(outcome.plan))
            outcome.plan.cost = model_.cost(outcome.plan);
        else
            individual.excess[warp_violation] = model_.warp_tolerance() + 1e-9;
    }
    individual.fill(model_.instance(), outcome.plan);
    individual.plan = std::move(outcome.plan);
    return individual;
}

void TimedGenetic::keep(TimedIndividual individual) {
    if (individual.is_feasible()) {
        population_best_ = std::min(population_best_, individual.plan.cost);
        if (individual.plan.cost < best_.cost) best_ = individual.plan;
        for (const PlanRoute& route : individual.plan.routes) pool_.add(route.type, route.customers, model_.cost(route));
    }
    population_.add(std::move(individual), penalties_);
}

bool TimedGenetic::educate(const Plan& plan, Rng& rng) {
    const double before = best_.cost;
    TimedLocalSearch::Outcome outcome = local_search_(plan, penalties_, rng, deadline_);
    if (!outcome.is_complete) return false;
    TimedIndividual individual = make_individual(std::move(outcome));
    ++num_recent_;
    for (std::size_t i = 0; i < num_violations; ++i)
        if (individual.excess[i] <= 0.0) ++num_kept_[i];
    if (num_recent_ == children_per_adaptation) adapt_penalties();
    const bool is_new = known_outcomes_.insert(individual.plan.cost).second;
    const bool needs_repair = is_new && !individual.is_feasible() && rng.uniform() < repair_rate;
    const bool bursts = rng.uniform() < settings_.burst_rate;
    Plan candidate = bursts && individual.is_feasible() ? individual.plan : Plan{};
    if (needs_repair) {
        TimedLocalSearch::Outcome repaired = local_search_(individual.plan, penalties_.times(repair_factor), rng, deadline_);
        keep(std::move(individual));
        if (repaired.is_complete && repaired.excess.is_zero()) {
            TimedIndividual second = make_individual(std::move(repaired));
            if (second.is_feasible()) {
                if (bursts) candidate = second.plan;
                keep(std::move(second));
            }
        }
    } else if (is_new) {
        keep(std::move(individual));
    }
    if (!candidate.routes.empty()) keep(make_individual({burst(candidate, rng), Amounts{}, true}));
    // Gains in the last digits are rounding, not improvements.
    return best_.cost < before * (1.0 - 1e-10);
}

Plan TimedGenetic::burst(const Plan& plan, Rng& rng) {
    sisr_.load(plan);
    const auto iterations = std::min(max_burst, static_cast<int>(settings_.burst_iterations * model_.num_customers()));
    const double hot = settings_.burst_start_temperature * model_.mean_arc_cost(plan);
    const double cooling = std::log(settings_.burst_end_temperature / settings_.burst_start_temperature);
    double temperature = hot;
    for (int i = 0; i < iterations; ++i) {
        if (i % 16 == 0) {
            if (deadline_.is_due()) break;
            temperature = hot * std::exp(cooling * i / iterations);
        }
        sisr_.iterate(temperature, rng);
    }
    return sisr_.best();
}

void TimedGenetic::adapt_penalties() {
    for (std::size_t i = 0; i < num_violations; ++i) {
        const double share = static_cast<double>(num_kept_[i]) / num_recent_;
        if (share < settings_.target_feasible - 0.05) penalties_[i] *= raise;
        if (share > settings_.target_feasible + 0.05) penalties_[i] *= lower;
    }
    num_kept_.fill(0);
    num_recent_ = 0;
}

void TimedGenetic::add(const Plan& plan, Rng& rng) {
    keep(make_individual({plan, Amounts{}, true}));
    educate(plan, rng);
}

bool TimedGenetic::iterate(Rng& rng) {
    const double population_before = population_best_;
    const bool is_initial = num_initial_ < settings_.num_initial || population_.size() < 2;
    if (is_initial) ++num_initial_;
    const bool improved = educate(is_initial ? random_plan(rng) : child(rng), rng);
    since_improvement_ = population_best_ < population_before * (1.0 - 1e-10) ? 0 : since_improvement_ + 1;
    if (since_improvement_ > settings_.restart_after) {
        population_.clear();
        known_outcomes_.clear();
        population_best_ = infinity;
        num_initial_ = 0;
        since_improvement_ = 0;
    }
    return improved;
}

}  // namespace fripn::timed
