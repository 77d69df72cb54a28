#include "search/search_state.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace fripn::search {

template <Measure M>
SearchState<M>::SearchState(const Instance& instance, const FleetCost& fleet)
    : instance_(instance),
      fleet_(fleet),
      is_limited_(instance.has_limited_fleet()),
      slot_of_(at(instance.num_customers()) + 1, -1),
      position_of_(at(instance.num_customers()) + 1, 0),
      used_(at(instance.num_types()), 0) {}

template <Measure M>
void SearchState<M>::load(const Plan& plan) {
    routes_.clear();
    std::fill(slot_of_.begin(), slot_of_.end(), -1);
    std::fill(used_.begin(), used_.end(), 0);
    touched_.clear();
    num_routes_ = 0;
    num_served_ = 0;
    cost_ = 0.0;
    for (const PlanRoute& from : plan.routes) {
        if (from.customers.empty()) continue;
        SearchRoute<M> route;
        route.type = from.type;
        ++used_[at(from.type)];
        route.stops.assign(1, 0);
        route.stops.insert(route.stops.end(), from.customers.begin(), from.customers.end());
        route.stops.push_back(0);
        routes_.push_back(std::move(route));
    }
    touch_stamp_.assign(routes_.size(), 0);
    is_dirty_.assign(routes_.size(), 0);
    stamp_ = 1;
    for (int slot = 0; slot < num_slots(); ++slot) {
        SearchRoute<M>& route = routes_[at(slot)];
        place(slot, 0);
        num_served_ += route.num_customers();
        ++num_routes_;
        route.arcs.resize(route.stops.size() - 1);
        for (std::size_t i = 0; i + 1 < route.stops.size(); ++i)
            route.arcs[i] = M::arc(instance_, route.stops[i], route.stops[i + 1]);
        measure(route);
        assign_type(route, false);
        route.version = next_version_++;
        cost_ += route.cost;
    }
    best_routes_ = routes_;
    dirty_.clear();
    best_cost_ = num_served_ == instance_.num_customers() ? cost_ : infinity;
}

template <Measure M>
Plan SearchState<M>::unload(const std::vector<SearchRoute<M>>& routes) const {
    Plan plan;
    plan.cost = 0.0;
    for (const SearchRoute<M>& route : routes) {
        if (route.is_empty()) continue;
        plan.cost += route.cost;
        plan.routes.push_back({route.type, std::vector<int>(route.stops.begin() + 1, route.stops.end() - 1)});
    }
    return plan;
}

template <Measure M>
TypeChoice SearchState<M>::choose_limited(M route, int current) const {
    TypeChoice best{-1, infinity};
    for (int k = 0; k < instance_.num_types(); ++k) {
        const VehicleType& type = instance_.vehicle_type(k);
        if (!route.fits(M::limit(type)) || (k != current && !type.has_left(used_[at(k)]))) continue;
        const double cost = route.cost(type.tariff());
        if (cost < best.cost) best = {k, cost};
    }
    return best;
}

template <Measure M>
void SearchState<M>::measure(SearchRoute<M>& route) const {
    M measure = M::of(M::visit(instance_, 0));
    for (std::size_t i = 0; i < route.arcs.size(); ++i)
        measure = measure.extended(route.arcs[i], M::visit(instance_, route.stops[i + 1]));
    route.measure = measure;
}

template <Measure M>
int SearchState<M>::empty_slot() {
    for (int slot = num_slots() - 1; slot >= 0; --slot)
        if (routes_[at(slot)].is_empty()) return slot;
    routes_.emplace_back();
    best_routes_.emplace_back();
    touch_stamp_.push_back(0);
    is_dirty_.push_back(0);
    return num_slots() - 1;
}

template <Measure M>
void SearchState<M>::touch(int slot) {
    if (touch_stamp_[at(slot)] == stamp_) return;
    touch_stamp_[at(slot)] = stamp_;
    const std::size_t index = touched_.size();
    touched_.push_back(slot);
    if (saved_.size() <= index) saved_.emplace_back();
    saved_[index] = routes_[at(slot)];
}

template <Measure M>
void SearchState<M>::place(int slot, int first_position) {
    const std::vector<int>& stops = routes_[at(slot)].stops;
    const int last = static_cast<int>(stops.size()) - 1;
    for (int i = std::max(1, first_position); i < last; ++i) {
        slot_of_[at(stops[at(i)])] = slot;
        position_of_[at(stops[at(i)])] = i;
    }
}

// Gives the route's vehicle back and takes the best one that is free.
template <Measure M>
void SearchState<M>::assign_type(SearchRoute<M>& route, bool keeps_type) {
    if (route.is_empty()) {
        if (route.type >= 0) --used_[at(route.type)];
        route.type = -1;
        route.cost = 0.0;
        route.measure = M{};
        return;
    }
    if (keeps_type && route.type >= 0) {
        const VehicleType& type = instance_.vehicle_type(route.type);
        if (route.measure.fits(M::limit(type))) {
            route.cost = route.measure.cost(type.tariff());
            return;
        }
    }
    const TypeChoice choice = choose(route.measure, route.type);
    if (choice.type != route.type) {
        if (route.type >= 0) --used_[at(route.type)];
        ++used_[at(choice.type)];
        route.type = choice.type;
    }
    route.cost = choice.cost;
}

template <Measure M>
void SearchState<M>::erase(int slot, int position, int count) {
    touch(slot);
    SearchRoute<M>& route = routes_[at(slot)];
    for (int i = position; i < position + count; ++i) slot_of_[at(route.stops[at(i)])] = -1;
    num_served_ -= count;
    route.stops.erase(route.stops.begin() + position, route.stops.begin() + position + count);
    route.arcs.erase(route.arcs.begin() + position, route.arcs.begin() + position + count);
    route.arcs[at(position) - 1] = M::arc(instance_, route.stops[at(position) - 1], route.stops[at(position)]);
    place(slot, position);
}

template <Measure M>
void SearchState<M>::refresh(int slot, bool keeps_type) {
    SearchRoute<M>& route = routes_[at(slot)];
    measure(route);
    cost_ -= route.cost;
    if (route.is_empty()) --num_routes_;
    assign_type(route, keeps_type);
    cost_ += route.cost;
    route.version = next_version_++;
}

template <Measure M>
void SearchState<M>::insert(int slot, int position, int customer, bool keeps_type) {
    touch(slot);
    SearchRoute<M>& route = routes_[at(slot)];
    if (route.is_empty()) ++num_routes_;
    const int before = route.stops[at(position) - 1];
    const int after = route.stops[at(position)];
    route.stops.insert(route.stops.begin() + position, customer);
    route.arcs[at(position) - 1] = M::arc(instance_, before, customer);
    route.arcs.insert(route.arcs.begin() + position, M::arc(instance_, customer, after));
    place(slot, position);
    ++num_served_;
    refresh(slot, keeps_type);
}

template <Measure M>
void SearchState<M>::open(int slot, int type, int customer) {
    touch(slot);
    routes_[at(slot)].type = type;
    ++used_[at(type)];
    insert(slot, 1, customer, true);
}

template <Measure M>
void SearchState<M>::settle_types() {
    for (const int slot : touched_) {
        SearchRoute<M>& route = routes_[at(slot)];
        cost_ -= route.cost;
        assign_type(route, false);
        cost_ += route.cost;
    }
}

template <Measure M>
void SearchState<M>::commit() {
    for (const int slot : touched_) {
        if (is_dirty_[at(slot)]) continue;
        is_dirty_[at(slot)] = 1;
        dirty_.push_back(slot);
    }
    touched_.clear();
    ++stamp_;
}

template <Measure M>
void SearchState<M>::rollback() {
    // First everyone leaves, then everyone returns: a customer may have moved between touched routes.
    for (const int slot : touched_) {
        const SearchRoute<M>& route = routes_[at(slot)];
        for (std::size_t i = 1; i + 1 < route.stops.size(); ++i) slot_of_[at(route.stops[i])] = -1;
        num_served_ -= route.num_customers();
        if (!route.is_empty()) {
            --num_routes_;
            --used_[at(route.type)];
        }
        cost_ -= route.cost;
    }
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        SearchRoute<M>& route = routes_[at(touched_[i])];
        std::swap(route, saved_[i]);
        place(touched_[i], 0);
        num_served_ += route.num_customers();
        if (!route.is_empty()) {
            ++num_routes_;
            ++used_[at(route.type)];
        }
        cost_ += route.cost;
    }
    touched_.clear();
    ++stamp_;
}

template <Measure M>
void SearchState<M>::keep_as_best() {
    for (const int slot : dirty_) {
        best_routes_[at(slot)] = routes_[at(slot)];
        is_dirty_[at(slot)] = 0;
    }
    dirty_.clear();
    best_cost_ = cost_;
}

template <Measure M>
void SearchState<M>::restore_best() {
    const double best = best_cost_;
    load(unload(best_routes_));
    best_cost_ = best;
}

template <Measure M>
void SearchState<M>::recount() {
    cost_ = 0.0;
    for (const SearchRoute<M>& route : routes_) cost_ += route.cost;
}

template <Measure M>
void SearchState<M>::check() const {
    const auto fail = [](const std::string& what) { throw std::logic_error("search state is inconsistent: " + what); };
    const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-9 * (1e-6 + std::abs(a) + std::abs(b)); };
    double cost = 0.0;
    int served = 0;
    int num_routes = 0;
    std::vector<int> used(used_.size(), 0);
    for (int slot = 0; slot < num_slots(); ++slot) {
        const SearchRoute<M>& route = routes_[at(slot)];
        if (route.stops.front() != 0 || route.stops.back() != 0) fail("a route does not start and end at the depot");
        if (route.arcs.size() + 1 != route.stops.size()) fail("arcs and stops differ in number");
        if (route.is_empty()) {
            if (route.type != -1 || route.cost != 0.0) fail("an empty route has a vehicle");
            continue;
        }
        ++num_routes;
        for (std::size_t i = 1; i + 1 < route.stops.size(); ++i) {
            ++served;
            if (slot_of(route.stops[i]) != slot || position_of(route.stops[i]) != static_cast<int>(i))
                fail("customer " + std::to_string(route.stops[i]) + " is not where it should be");
        }
        const VehicleType& type = instance_.vehicle_type(route.type);
        const M again = route_measure<M>(instance_, std::vector<int>(route.stops.begin() + 1, route.stops.end() - 1));
        if (differs(again.load, route.measure.load)) fail("load of a route");
        if (!again.fits(M::limit(type))) fail("a route is overloaded");
        if (differs(again.cost(type.tariff()), route.cost)) fail("cost of a route");
        ++used[at(route.type)];
        cost += route.cost;
    }
    for (int k = 0; k < instance_.num_types(); ++k) {
        const VehicleType& type = instance_.vehicle_type(k);
        if (used[at(k)] != used_[at(k)] || (type.is_limited() && used[at(k)] > type.available)) fail("vehicles in use");
    }
    if (served != num_served_ || num_routes != num_routes_) fail("number of customers or routes");
    if (differs(cost, cost_)) fail("total cost");
}

template class SearchState<CapacityMeasure>;
template class SearchState<JoinedMeasure>;

}  // namespace fripn::search
