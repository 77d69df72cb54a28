#include "search/route_crossover.h"

#include <cstddef>
#include <utility>

#include "search/insertion.h"

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A route of the second parent that keeps less of its load than this is given up.
constexpr double least_kept_share = 0.5;

}  // namespace

template <Measure M>
RouteCrossover<M>::RouteCrossover(const Instance& instance) : instance_(instance), price_(instance, 0.0) {}

template <Measure M>
void RouteCrossover<M>::inherit(int type, const std::vector<int>& customers) {
    for (const int c : customers) taken_[at(c)] = 1;
    const M measure = route_measure<M>(instance_, customers);
    if (!price_.is_limited()) type = price_.best_type(measure);
    ++used_[at(type)];
    routes_.push_back({type, measure, price_.with_type(type, measure), customers});
}

template <Measure M>
typename RouteCrossover<M>::Route RouteCrossover<M>::single(int customer) const {
    Route route{-1, round_trip<M>(instance_, customer), infinity, {customer}};
    for (int k = 0; k < instance_.num_types(); ++k) {
        if (!instance_.vehicle_type(k).has_left(used_[at(k)])) continue;
        const double price = price_.with_type(k, route.measure);
        if (price < route.price) {
            route.type = k;
            route.price = price;
        }
    }
    return route;
}

template <Measure M>
typename RouteCrossover<M>::Place RouteCrossover<M>::best_place(const Route& route, int customer) const {
    Place best;
    if constexpr (M::shortcuts.adds_changes && M::shortcuts.places_by_detour) {
        double detour = infinity;
        int before = 0;
        for (std::size_t i = 0; i <= route.customers.size(); ++i) {
            const int after = i < route.customers.size() ? route.customers[i] : 0;
            const double extra = instance_.distance(before, customer) + instance_.distance(customer, after) -
                                 instance_.distance(before, after);
            if (extra < detour) {
                detour = extra;
                best.position = i;
            }
            before = after;
        }
        best.measure = route.measure.changed(instance_.demand(customer), detour);
        best.price = price_(route.type, best.measure);
    } else {
        std::vector<int> stops{0};
        stops.insert(stops.end(), route.customers.begin(), route.customers.end());
        stops.push_back(0);
        for_each_insertion<M>(instance_, stops, customer, [&](int position, const M& measure) {
            const double price = price_(route.type, measure);
            if (price < best.price) best = {at(position) - 1, measure, price};
        });
    }
    return best;
}

template <Measure M>
void RouteCrossover<M>::insert(int customer) {
    double least = infinity;
    std::size_t best = 0;
    Place best_in_route;
    for (std::size_t r = 0; r < routes_.size(); ++r) {
        const Place place = best_place(routes_[r], customer);
        const double change = place.price - routes_[r].price;
        if (change < least) {
            least = change;
            best = r;
            best_in_route = place;
        }
    }
    Route alone = single(customer);
    if (alone.price < least) {
        ++used_[at(alone.type)];
        routes_.push_back(std::move(alone));
        return;
    }
    Route& route = routes_[best];
    route.customers.insert(route.customers.begin() + static_cast<std::ptrdiff_t>(best_in_route.position), customer);
    route.measure = best_in_route.measure;
    if (!price_.is_limited()) route.type = price_.best_type(route.measure);
    route.price = price_.with_type(route.type, route.measure);
}

template <Measure M>
Plan RouteCrossover<M>::operator()(const Plan& first, const Plan& second, double penalty, Rng& rng) {
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
    child.cost = plan_cost<M>(instance_, child);
    return child;
}

template class RouteCrossover<CapacityMeasure>;
template class RouteCrossover<JoinedMeasure>;

}  // namespace fripn::search
