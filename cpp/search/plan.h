// A plan as it crosses between the parts of the core: routes with their types, nothing derived but the cost.
#pragma once

#include <vector>

#include "../cost.h"
#include "../instance.h"

namespace fripn {

struct PlanRoute {
    int type;
    std::vector<int> customers;
};

struct Plan {
    std::vector<PlanRoute> routes;
    double cost = infinity;
};

[[nodiscard]] inline double route_distance(const Instance& instance, const std::vector<int>& customers) {
    if (customers.empty()) return 0.0;
    double distance = instance.distance(0, customers.front()) + instance.distance(customers.back(), 0);
    for (std::size_t i = 1; i < customers.size(); ++i)
        distance += instance.distance(customers[i - 1], customers[i]);
    return distance;
}

// Cost from scratch; says nothing about feasibility.
[[nodiscard]] double plan_cost(const Instance& instance, const Plan& plan);

// Whether loads and vehicle numbers keep their limits (visits are not checked).
[[nodiscard]] bool keeps_limits(const Instance& instance, const Plan& plan);

// Mean cost of driving one leg: the scale of temperatures. Where driving costs nothing a thousandth of the
// cost per leg takes its place.
[[nodiscard]] double leg_cost(const Instance& instance, const Plan& plan);

// Put the routes in the order of the angle of their centre seen from the depot (left as they are when there are
// no coordinates), so that neighbouring routes become neighbours in the plan.
void sort_by_angle(const Instance& instance, Plan& plan);

// All customers, routes in the order above.
[[nodiscard]] std::vector<int> giant_tour(const Instance& instance, const Plan& plan);

}  // namespace fripn
