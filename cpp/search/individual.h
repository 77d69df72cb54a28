// A member of the population: a plan that may overload vehicles, with what the population needs to know.
#pragma once

#include <vector>

#include "search/plan.h"

namespace fripn::search {

// Who follows whom in a plan.
struct Links {
    std::vector<int> tour;   // the giant tour
    std::vector<int> next;   // per customer: the one that follows it (0: depot)
    std::vector<int> previous;

    // Puts the routes of the plan in the order of the giant tour.
    void fill(const Instance& instance, Plan& plan);
};

struct Individual : Links {
    using Penalty = double;

    Plan plan;               // cost without penalties; routes in the order of the giant tour
    double excess = 0.0;     // what the routes have beyond the limits of their vehicles

    [[nodiscard]] bool is_feasible() const { return excess <= 0.0; }
    [[nodiscard]] double penalised(double penalty) const { return plan.cost + penalty * excess; }
};

template <Measure M>
[[nodiscard]] Individual make_individual(const Instance& instance, Plan plan);

// Share of links that the two do not have in common, 0 to 1 (broken pairs, blind to direction).
[[nodiscard]] double broken_pairs(const Links& a, const Links& b);

}  // namespace fripn::search
