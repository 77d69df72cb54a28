#include "search/genetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fripn::search {

namespace {

constexpr int children_per_adaptation = 50;
// Longer bursts would leave large instances too few children.
constexpr int max_burst = 3000;
constexpr double repair_rate = 0.5;
constexpr double limited_split_rate = 0.2;
constexpr int limited_beam_width = 4;
constexpr double repair_factor = 10.0;
// Small populations are exhausted soon; then a burst or a fresh start finds more than another child.
constexpr int max_customers_exhausted = 30;
constexpr double exhausted_burst_rate = 0.12;
constexpr double usual_burst_rate = 0.05;
constexpr int small_partition_period = 50;
constexpr int restart_per_customer = 15;
constexpr int max_restart = 5000;
constexpr std::size_t max_pool = 20'000;

}  // namespace

template <Measure M>
GeneticSettings Genetic<M>::completed(GeneticSettings settings, int num_customers) {
    if (settings.burst_rate < 0)
        settings.burst_rate = num_customers <= max_customers_exhausted ? exhausted_burst_rate : usual_burst_rate;
    if (settings.restart_after <= 0)
        settings.restart_after = std::min(restart_per_customer * num_customers, max_restart);
    if (settings.partition_period < 0)
        settings.partition_period = num_customers <= max_customers_exhausted ? small_partition_period : 0;
    return settings;
}

double first_penalty(const Instance& instance) {
    double costliest = 0.0;
    double farthest = 0.0;
    double largest = 0.0;
    for (const VehicleType& type : instance.vehicle_types())
        costliest = std::max(costliest, type.fixed_cost / type.capacity);
    for (int c = 1; c <= instance.num_customers(); ++c) {
        farthest = std::max(farthest, instance.distance(0, c) + instance.distance(c, 0));
        largest = std::max(largest, instance.demand(c));
    }
    double unit = 0.0;
    for (const VehicleType& type : instance.vehicle_types()) unit = std::max(unit, type.unit_cost);
    const double driving = largest > 0 ? unit * farthest / largest / 4.0 : 1.0;
    return std::max({costliest, driving, 1e-12});
}

double prohibitive_penalty(const Instance& instance) { return 1e3 * first_penalty(instance); }

template <Measure M>
Genetic<M>::Genetic(const Instance& instance, const FleetCost& fleet, const Neighbours& neighbours, const GeneticSettings& settings,
                 const SisrSettings& sisr, const Deadline& deadline)
    : instance_(instance),
      settings_(completed(settings, instance.num_customers())),
      partitions_(settings_.partition_period > 0 && !instance.has_limited_fleet()),
      split_(instance, fleet, limited_beam_width),
      free_split_(instance, fleet, 0),
      local_search_(instance, neighbours, settings.local_search),
      sisr_(instance, fleet, neighbours, sisr),
      deadline_(deadline),
      population_(settings.population),
      route_crossover_(instance),
      pool_(instance, max_pool),
      set_partition_(instance, settings.partition),
      penalty_(first_penalty(instance)) {}

template <Measure M>
Plan Genetic<M>::cut(const std::vector<int>& tour, Rng& rng) {
    // Local search seats routes beyond the limits of the fleet in what is left of it, so the quick split
    // will do for most children.
    if (!instance_.has_limited_fleet() || rng.uniform() >= limited_split_rate) return free_split_(tour);
    Plan plan = split_(tour, &deadline_);
    return plan.cost < infinity ? plan : free_split_(tour);
}

template <Measure M>
Plan Genetic<M>::random_plan(Rng& rng) {
    std::vector<int> tour(static_cast<std::size_t>(instance_.num_customers()));
    std::iota(tour.begin(), tour.end(), 1);
    rng.shuffle(tour);
    return cut(tour, rng);
}

template <Measure M>
Plan Genetic<M>::child(Rng& rng) {
    const Individual& first = population_.select(rng);
    const Individual* second = &population_.select(rng);
    for (int i = 0; i < 5 && second == &first; ++i) second = &population_.select(rng);
    if (rng.uniform() < settings_.route_crossover_rate) {
        Plan plan = route_crossover_(first.plan, second->plan, penalty_, rng);
        // Parents with most routes in common easily make a child that is one of them.
        const auto equals = [&](const Plan& parent) { return std::abs(plan.cost - parent.cost) <= 1e-10 * parent.cost; };
        if (!equals(first.plan) && !equals(second->plan)) return plan;
    }
    return cut(crossover_(first.tour, second->tour, rng), rng);
}

template <Measure M>
void Genetic<M>::keep(Individual individual) {
    if (individual.is_feasible()) {
        population_best_ = std::min(population_best_, individual.plan.cost);
        if (individual.plan.cost < best_.cost) best_ = individual.plan;
    }
    if (partitions_) pool_.template add<M>(individual.plan);
    population_.add(std::move(individual), penalty_);
}

template <Measure M>
void Genetic<M>::partition(Rng& rng) {
    if (best_.cost == infinity || pool_.num_changes() == partitioned_at_) return;
    partitioned_at_ = pool_.num_changes();
    const Plan plan = set_partition_(pool_, best_, deadline_);
    if (plan.cost < best_.cost) add(plan, rng);
    if (!pool_.is_full()) return;
    // Forget, but for the best: routes come and go with the population.
    pool_.clear();
    pool_.template add<M>(best_);
}

template <Measure M>
bool Genetic<M>::educate(const Plan& plan, Rng& rng) {
    // Equal costs to the last bit are equal plans, near enough. Small instances bring up the same ones time and again.
    if (!known_children_.insert(plan.cost).second) return false;
    const double before = best_.cost;
    Individual individual = make_individual<M>(instance_, local_search_(plan, penalty_, rng, deadline_));
    ++num_recent_;
    if (individual.is_feasible()) ++num_recent_feasible_;
    if (num_recent_ == children_per_adaptation) adapt_penalty();
    const bool is_new = known_outcomes_.insert(individual.plan.cost).second;
    const bool needs_repair = is_new && !individual.is_feasible() && rng.uniform() < repair_rate;
    Plan repaired;
    if (needs_repair) repaired = local_search_(individual.plan, repair_factor * penalty_, rng, deadline_);
    const bool bursts = rng.uniform() < settings_.burst_rate;
    Plan candidate = bursts && individual.is_feasible() ? individual.plan : Plan{};
    if (is_new) keep(std::move(individual));
    if (needs_repair) {
        Individual second = make_individual<M>(instance_, std::move(repaired));
        if (second.is_feasible()) {
            if (bursts) candidate = second.plan;
            keep(std::move(second));
        }
    }
    if (!candidate.routes.empty()) keep(make_individual<M>(instance_, burst(candidate, rng)));
    // Gains in the last digits are rounding, not improvements.
    return best_.cost < before * (1.0 - 1e-10);
}

template <Measure M>
Plan Genetic<M>::burst(const Plan& plan, Rng& rng) {
    sisr_.load(plan);
    const auto iterations = std::min(max_burst, static_cast<int>(settings_.burst_iterations * instance_.num_customers()));
    const double scale = mean_arc_cost(instance_, plan);
    const double hot = settings_.burst_start_temperature * scale;
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

template <Measure M>
void Genetic<M>::adapt_penalty() {
    const double share = static_cast<double>(num_recent_feasible_) / num_recent_;
    if (share < settings_.target_feasible - 0.05) penalty_ *= 1.2;
    if (share > settings_.target_feasible + 0.05) penalty_ *= 0.85;
    num_recent_ = 0;
    num_recent_feasible_ = 0;
}

template <Measure M>
void Genetic<M>::add(const Plan& plan, Rng& rng) {
    keep(make_individual<M>(instance_, plan));
    educate(plan, rng);
}

template <Measure M>
bool Genetic<M>::iterate(Rng& rng) {
    bool improved = false;
    const double population_before = population_best_;
    if (num_initial_ < settings_.num_initial) {
        ++num_initial_;
        improved = educate(random_plan(rng), rng);
    } else {
        improved = educate(child(rng), rng);
    }
    if (partitions_ && ++num_children_ % static_cast<std::uint64_t>(settings_.partition_period) == 0) {
        const double before = best_.cost;
        partition(rng);
        improved |= best_.cost < before;
    }
    // Gains of a fresh population count although an earlier one was better.
    since_improvement_ = population_best_ < population_before * (1.0 - 1e-10) ? 0 : since_improvement_ + 1;
    if (since_improvement_ > settings_.restart_after) {
        population_.clear();
        known_children_.clear();
        known_outcomes_.clear();
        population_best_ = infinity;
        num_initial_ = 0;
        since_improvement_ = 0;
    }
    return improved;
}

template class Genetic<CapacityMeasure>;

}  // namespace fripn::search
