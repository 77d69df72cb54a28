#include "route_crossover.h"

#include <cstddef>
#include <utility>

namespace fripn {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A route of the second parent that keeps less of its load than this is given up.
constexpr double least_kept_share = 0.5;

}  // namespace

RouteCrossover::RouteCrossover(const Instance& instance) : instance_(instance), price_(instance, 0.0) {}

void RouteCrossover::inherit(int type, const std::vector<int>& customers) {
    double load = 0.0;
    for (const int c : customers) {
        load += instance_.demand(c);
        taken_[at(c)] = 1;
    }
    const double distance = route_distance(instance_, customers);
    if (!price_.is_limited()) type = price_.best_type(load, distance);
    ++used_[at(type)];
    routes_.push_back({type, load, distance, price_.with_type(type, load, distance), customers});
}

RouteCrossover::Route RouteCrossover::single(int customer) const {
    const double load = instance_.demand(customer);
    const double distance = instance_.distance(0, customer) + instance_.distance(customer, 0);
    Route route{-1, load, distance, infinity, {customer}};
    for (int k = 0; k < instance_.num_types(); ++k) {
        if (used_[at(k)] >= instance_.vehicle_type(k).available) continue;
        const double price = price_.with_type(k, load, distance);
        if (price < route.price) {
            route.type = k;
            route.price = price;
        }
    }
    return route;
}

void RouteCrossover::insert(int customer) {
    const double demand = instance_.demand(customer);
    double least = infinity;
    std::size_t best = 0;
    std::size_t best_position = 0;
    double best_detour = 0.0;
    for (std::size_t r = 0; r < routes_.size(); ++r) {
        const Route& route = routes_[r];
        double detour = infinity;
        std::size_t position = 0;
        int before = 0;
        for (std::size_t i = 0; i <= route.customers.size(); ++i) {
            const int after = i < route.customers.size() ? route.customers[i] : 0;
            const double extra = instance_.distance(before, customer) + instance_.distance(customer, after) -
                                 instance_.distance(before, after);
            if (extra < detour) {
                detour = extra;
                position = i;
            }
            before = after;
        }
        const double change = price_(route.type, route.load + demand, route.distance + detour) - route.price;
        if (change < least) {
            least = change;
            best = r;
            best_position = position;
            best_detour = detour;
        }
    }
    Route alone = single(customer);
    if (alone.price < least) {
        ++used_[at(alone.type)];
        routes_.push_back(std::move(alone));
        return;
    }
    Route& route = routes_[best];
    route.customers.insert(route.customers.begin() + static_cast<std::ptrdiff_t>(best_position), customer);
    route.load += demand;
    route.distance += best_detour;
    if (!price_.is_limited()) route.type = price_.best_type(route.load, route.distance);
    route.price = price_.with_type(route.type, route.load, route.distance);
}

Plan RouteCrossover::operator()(const Plan& first, const Plan& second, double penalty, Rng& rng) {
    price_.set_penalty(penalty);
    routes_.clear();
    taken_.assign(at(instance_.num_customers()) + 1, 0);
    used_.assign(at(instance_.num_types()), 0);

    const std::size_t num_first = first.routes.size();
    const std::size_t start = rng.below(num_first);
    const std::size_t count = num_first > 1 ? 1 + rng.below(num_first - 1) : 1;
    for (std::size_t i = 0; i < count; ++i) {
        const PlanRoute& route = first.routes[(start + i) % num_first];
        inherit(route.type, route.customers);
    }
    for (const PlanRoute& route : second.routes) {
        kept_.clear();
        double load = 0.0;
        double kept_load = 0.0;
        for (const int c : route.customers) {
            load += instance_.demand(c);
            if (is_taken(c)) continue;
            kept_load += instance_.demand(c);
            kept_.push_back(c);
        }
        if (!kept_.empty() && kept_load >= least_kept_share * load) inherit(route.type, kept_);
    }
    missing_.clear();
    for (int c = 1; c <= instance_.num_customers(); ++c)
        if (!is_taken(c)) missing_.push_back(c);
    rng.shuffle(missing_);
    for (const int c : missing_) insert(c);

    Plan child;
    for (Route& route : routes_) child.routes.push_back({route.type, std::move(route.customers)});
    child.cost = plan_cost(instance_, child);
    return child;
}

}  // namespace fripn
