#include "search/decomposition.h"

#include <algorithm>
#include <utility>

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<PlanRoute> routes_of(const Plan& plan, const std::vector<std::size_t>& chosen) {
    std::vector<PlanRoute> routes;
    for (const std::size_t r : chosen) routes.push_back(plan.routes[r]);
    std::sort(routes.begin(), routes.end(),
              [](const PlanRoute& a, const PlanRoute& b) { return a.customers.front() < b.customers.front(); });
    return routes;
}

std::vector<int> stops_of(const std::vector<PlanRoute>& routes) {
    std::vector<int> stops{0};
    for (const PlanRoute& route : routes) stops.insert(stops.end(), route.customers.begin(), route.customers.end());
    return stops;
}

std::vector<VehicleType> vehicles_left(const Instance& instance, const Plan& plan, const std::vector<PlanRoute>& chosen) {
    std::vector<VehicleType> types = instance.vehicle_types();
    const auto add = [&](const PlanRoute& route, int count) {
        VehicleType& type = types[at(route.type)];
        if (type.is_limited()) type.available += count;
    };
    for (const PlanRoute& route : plan.routes)
        if (!route.customers.empty()) add(route, -1);
    for (const PlanRoute& route : chosen) add(route, 1);
    return types;
}

// Routes in the numbers of the sub-problem: they come in the order of its stops.
Plan renumbered(const std::vector<PlanRoute>& routes) {
    Plan plan;
    int next = 1;
    for (const PlanRoute& route : routes) {
        plan.routes.push_back({route.type, {}});
        for (std::size_t i = 0; i < route.customers.size(); ++i) plan.routes.back().customers.push_back(next++);
    }
    return plan;
}

}  // namespace

SubProblem::SubProblem(const Instance& instance, const Plan& plan, const std::vector<std::size_t>& chosen)
    : instance_(instance),
      chosen_(routes_of(plan, chosen)),
      customer_(stops_of(chosen_)),
      start_(renumbered(chosen_)),
      sub_instance_(instance.restricted(customer_, vehicles_left(instance, plan, chosen_))) {
    start_.cost = plan_cost(sub_instance_, start_);
}

std::vector<PlanRoute> SubProblem::merged_routes(const Plan& plan, const Plan& found) const {
    std::vector<PlanRoute> merged;
    std::size_t num_replaced = 0;
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        const auto old = std::lower_bound(chosen_.begin(), chosen_.end(), route.customers.front(),
                                          [](const PlanRoute& a, int first) { return a.customers.front() < first; });
        if (old != chosen_.end() && old->type == route.type && old->customers == route.customers)
            ++num_replaced;
        else
            merged.push_back(route);
    }
    if (num_replaced != chosen_.size()) return {};
    for (const PlanRoute& route : found.routes) {
        if (route.customers.empty()) continue;
        merged.push_back({route.type, {}});
        for (const int c : route.customers) merged.back().customers.push_back(customer_[at(c)]);
    }
    return merged;
}

Plan SubProblem::put_back(const Plan& plan, const Plan& found) const {
    Plan merged{merged_routes(plan, found), infinity};
    if (merged.routes.empty()) return {};
    if (!keeps_limits(instance_, merged)) return {};
    merged.cost = plan_cost(instance_, merged);
    return merged;
}

std::vector<std::size_t> neighbouring_routes(const Instance& instance, const Neighbours& neighbours, const Plan& plan,
                                             int num_customers, Rng& rng) {
    std::vector<std::size_t> route_of(at(instance.num_customers()) + 1);
    for (std::size_t r = 0; r < plan.routes.size(); ++r)
        for (const int c : plan.routes[r].customers) route_of[at(c)] = r;
    const std::size_t seed = route_of[1 + rng.below(at(instance.num_customers()))];
    std::vector<std::size_t> chosen{seed};
    std::vector<char> is_chosen(plan.routes.size(), 0);
    is_chosen[seed] = 1;
    auto size = static_cast<int>(plan.routes[seed].customers.size());
    for (int rank = 0; rank < neighbours.per_customer(); ++rank)
        for (const int c : plan.routes[seed].customers) {
            const std::size_t r = route_of[at(neighbours.begin(c)[rank])];
            if (is_chosen[r]) continue;
            if (size >= num_customers) return chosen;
            is_chosen[r] = 1;
            chosen.push_back(r);
            size += static_cast<int>(plan.routes[r].customers.size());
        }
    return chosen;
}

}  // namespace fripn::search
