// A plan as it crosses between the parts of the core: routes with their types, nothing derived but the cost.
#pragma once

#include <vector>

#include "cost.h"
#include "instance.h"

namespace fripn::search {

struct PlanRoute {
    int type;
    std::vector<int> customers;
};

struct Plan {
    std::vector<PlanRoute> routes;
    double cost = infinity;
};

// Measure of a whole route from scratch.
template <Measure M>
[[nodiscard]] M route_measure(const Instance& instance, const std::vector<int>& customers) {
    if (customers.empty()) return M{};
    if constexpr (M::shortcuts.adds_changes) {
        // The arcs of the depot first: the sum's last bits depend on the order, and fixed-seed results on them.
        M route = M::of(M::visit(instance, customers.front())).closed(M::arc(instance, 0, customers.front()));
        route = route.closed(M::arc(instance, customers.back(), 0));
        for (std::size_t i = 1; i < customers.size(); ++i)
            route = route.extended(M::arc(instance, customers[i - 1], customers[i]), M::visit(instance, customers[i]));
        return route;
    } else {
        M route = M::of(M::visit(instance, 0));
        int last = 0;
        for (const int c : customers) {
            route = route.extended(M::arc(instance, last, c), M::visit(instance, c));
            last = c;
        }
        return route.closed(M::arc(instance, last, 0));
    }
}

// The route that serves one customer alone.
template <Measure M>
[[nodiscard]] M round_trip(const Instance& instance, int customer) {
    return M::of(M::visit(instance, 0))
        .extended(M::arc(instance, 0, customer), M::visit(instance, customer))
        .closed(M::arc(instance, customer, 0));
}

// Cost from scratch; says nothing about feasibility.
template <Measure M = CapacityMeasure>
[[nodiscard]] double plan_cost(const Instance& instance, const Plan& plan) {
    double cost = 0.0;
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        cost += route_measure<M>(instance, route.customers).cost(instance.vehicle_type(route.type).tariff());
    }
    return cost;
}

// Whether routes and vehicle numbers keep their limits (visits are not checked).
template <Measure M = CapacityMeasure>
[[nodiscard]] bool keeps_limits(const Instance& instance, const Plan& plan) {
    std::vector<int> used(static_cast<std::size_t>(instance.num_types()), 0);
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        const VehicleType& type = instance.vehicle_type(route.type);
        if (!route_measure<M>(instance, route.customers).fits(M::limit(type))) return false;
        if (!type.has_left(used[static_cast<std::size_t>(route.type)]++)) return false;
    }
    return true;
}

// Mean cost of driving one arc: the scale of temperatures. Where driving costs nothing a thousandth of the
// cost per arc takes its place.
[[nodiscard]] double mean_arc_cost(const Instance& instance, const Plan& plan);

// Put the routes in the order of the angle of their centre seen from the depot (left as they are when there are
// no coordinates), so that neighbouring routes become neighbours in the plan.
void sort_by_angle(const Instance& instance, Plan& plan);

// All customers, routes in the order above.
[[nodiscard]] std::vector<int> giant_tour(const Instance& instance, const Plan& plan);

}  // namespace fripn::search
