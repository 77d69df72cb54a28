// Hybrid genetic search over timed plans that may break limits at a price; one call of `iterate` per child.
//
// Reference: T. Vidal, T. G. Crainic, M. Gendreau and C. Prins, Computers & Operations Research 40 (2013), doi
// 10.1016/j.cor.2012.07.018.
#pragma once

#include <array>
#include <unordered_set>
#include <vector>

#include "rng.h"
#include "search/crossover.h"
#include "search/genetic.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/population.h"
#include "search/route_pool.h"
#include "timed/timed_local_search.h"
#include "timed/timed_sisr.h"
#include "timed/timed_split.h"

namespace fripn::timed {

struct TimedIndividual : search::Links {
    using Penalty = Amounts;

    Plan plan;        // cost without penalties; routes in the order of the giant tour
    Amounts excess;

    [[nodiscard]] bool is_feasible() const { return excess.is_zero(); }
    [[nodiscard]] double penalised(const Amounts& penalties) const { return plan.cost + excess.priced(penalties); }
};

class TimedGenetic {
public:
    TimedGenetic(const Model& model, const search::Neighbours& neighbours, const search::GeneticSettings& settings,
                 const search::SisrSettings& sisr, search::RoutePool& pool, const search::Deadline& deadline);

    // A plan that joins the population, and after local search once more.
    void add(const Plan& plan, Rng& rng);
    // The initial population grows first, then children. True when the best feasible plan improved.
    bool iterate(Rng& rng);

    [[nodiscard]] double best_cost() const { return best_.cost; }
    [[nodiscard]] const Plan& best() const { return best_; }

private:
    bool educate(const Plan& plan, Rng& rng);
    [[nodiscard]] TimedIndividual make_individual(TimedLocalSearch::Outcome outcome) const;
    void keep(TimedIndividual individual);
    [[nodiscard]] Plan child(Rng& rng);
    // Neighbouring routes of the first, then those of the second that keep most of their customers; the others are left
    // out, for local search to insert them.
    [[nodiscard]] Plan inherit_routes(const Plan& first, const Plan& second, Rng& rng);
    [[nodiscard]] Plan random_plan(Rng& rng);
    [[nodiscard]] Plan burst(const Plan& plan, Rng& rng);
    void adapt_penalties();

    const Model& model_;
    const search::GeneticSettings settings_;
    TimedLocalSearch local_search_;
    TimedSplit split_;
    TimedSisr sisr_;
    search::RoutePool& pool_;
    const search::Deadline& deadline_;
    search::Population<TimedIndividual> population_;
    search::OrderedCrossover crossover_;
    Amounts penalties_;
    Plan best_;
    std::unordered_set<double> known_outcomes_;   // costs after local search
    std::vector<char> taken_;
    int num_initial_ = 0;
    double population_best_ = infinity;   // since the last fresh start
    int since_improvement_ = 0;
    int num_recent_ = 0;
    std::array<int, num_violations> num_kept_{};   // recent children that keep a limit
};

}  // namespace fripn::timed
