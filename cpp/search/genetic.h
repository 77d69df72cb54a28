// Hybrid genetic search: crossover, split, local search, survivors; one call of `iterate` per child.
//
// Reference: T. Vidal, Computers & Operations Research 140 (2022), doi 10.1016/j.cor.2021.105643.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "cost.h"
#include "rng.h"
#include "search/crossover.h"
#include "search/local_search.h"
#include "search/neighbours.h"
#include "search/population.h"
#include "search/route_crossover.h"
#include "search/route_pool.h"
#include "search/set_partition.h"
#include "search/sisr.h"
#include "search/split.h"

namespace fripn::search {

struct GeneticSettings {
    PopulationSettings population;
    LocalSearchSettings local_search;
    int num_initial = 16;
    // Bursts: feasible children go through ruin and recreate at falling temperature, so often and so long.
    double burst_rate = -1.0;            // negative: chosen by size
    double burst_iterations = 20.0;      // per customer
    double burst_start_temperature = 0.3;
    double burst_end_temperature = 0.02;
    double route_crossover_rate = 0.3;   // share of children that inherit routes rather than a giant tour
    double target_feasible = 0.4;   // share of children that should be feasible
    // Children between two calls of set partitioning over the routes seen (unlimited fleets); 0: never,
    // negative: chosen by size.
    int partition_period = -1;
    SetPartition::Settings partition;
    // Children without improvement before a fresh population; 0: chosen by size.
    int restart_after = 0;
};

// A price per unit of overload to begin with: what a vehicle or a trip for that unit would cost.
[[nodiscard]] double first_penalty(const Instance& instance);
// One that hardly any gain outweighs: for plans that must keep the limits of their vehicles.
[[nodiscard]] double prohibitive_penalty(const Instance& instance);

template <Measure M>
class Genetic {
public:
    Genetic(const Instance& instance, const FleetCost& fleet, const Neighbours& neighbours, const GeneticSettings& settings,
            const SisrSettings& sisr, const Deadline& deadline);

    // A plan that joins the population after local search.
    void add(const Plan& plan, Rng& rng);
    // The initial population grows first, then children. True when the best feasible plan improved.
    bool iterate(Rng& rng);

    [[nodiscard]] double best_cost() const { return best_.cost; }
    [[nodiscard]] const Plan& best() const { return best_; }

private:
    // With every choice that is left to the size made.
    [[nodiscard]] static GeneticSettings completed(GeneticSettings settings, int num_customers);
    bool educate(const Plan& plan, Rng& rng);
    void keep(Individual individual);
    // The best plan that the routes seen so far make, if it is a better one.
    void partition(Rng& rng);
    Plan burst(const Plan& plan, Rng& rng);
    void adapt_penalty();
    [[nodiscard]] Plan random_plan(Rng& rng);
    [[nodiscard]] Plan child(Rng& rng);
    [[nodiscard]] Plan cut(const std::vector<int>& tour, Rng& rng);

    const Instance& instance_;
    const GeneticSettings settings_;
    const bool partitions_;
    Split<M> split_;
    Split<M> free_split_;   // blind to the limits of the fleet
    LocalSearch<M> local_search_;
    Sisr<M> sisr_;
    const Deadline& deadline_;
    Population<Individual> population_;
    OrderedCrossover crossover_;
    RouteCrossover<M> route_crossover_;
    RoutePool pool_;
    SetPartition set_partition_;
    std::uint64_t partitioned_at_ = 0;   // changes of the pool at the last call
    std::uint64_t num_children_ = 0;
    Plan best_;
    std::unordered_set<double> known_children_;   // costs before and after local search
    std::unordered_set<double> known_outcomes_;
    double penalty_;
    int num_initial_ = 0;
    double population_best_ = infinity;   // since the last fresh start
    int since_improvement_ = 0;
    int num_recent_ = 0;
    int num_recent_feasible_ = 0;
};

}  // namespace fripn::search
