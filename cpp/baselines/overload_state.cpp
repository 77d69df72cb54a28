#include "overload_state.h"

#include <algorithm>

namespace fripn::baselines {

OverloadState::OverloadState(const Instance& instance)
    : instance_(instance),
      slot_of_(at(instance.num_customers() + 1), -1),
      position_of_(at(instance.num_customers() + 1), 0),
      used_(at(instance.num_types()), 0) {}

void OverloadState::load(const Plan& plan) {
    routes_.clear();
    std::fill(used_.begin(), used_.end(), 0);
    cost_ = 0.0;
    num_overloaded_ = 0;
    for (const PlanRoute& from : plan.routes) {
        if (from.customers.empty()) continue;
        OverloadRoute route;
        route.stops.assign(1, 0);
        route.stops.insert(route.stops.end(), from.customers.begin(), from.customers.end());
        route.stops.push_back(0);
        // Every route holds its vehicle before any looks for a better one.
        route.type = from.type;
        ++used_[at(from.type)];
        routes_.push_back(std::move(route));
    }
    for (int slot = 0; slot < num_slots(); ++slot) settle(slot);
}

Plan OverloadState::unload() const {
    Plan plan;
    for (const OverloadRoute& route : routes_)
        if (!route.is_empty()) plan.routes.push_back({route.type, {route.stops.begin() + 1, route.stops.end() - 1}});
    plan.cost = plan_cost(instance_, plan);
    return plan;
}

void OverloadState::set_penalty(double penalty) {
    penalty_ = penalty;
    for (int slot = 0; slot < num_slots(); ++slot) {
        release(routes_[at(slot)]);
        settle(slot);
    }
}

int OverloadState::empty_slot() {
    for (int slot = num_slots() - 1; slot >= 0; --slot)
        if (routes_[at(slot)].is_empty()) return slot;
    routes_.emplace_back();
    return num_slots() - 1;
}

OverloadState::Choice OverloadState::choose(double load, double distance, int current) const {
    Choice best;
    for (int k = 0; k < instance_.num_types(); ++k) {
        const VehicleType& type = instance_.vehicle_type(k);
        if (k != current && !type.has_left(used_[at(k)])) continue;
        const bool fits = load <= type.load_limit;
        if (!fits && penalty_ == infinity) continue;
        const double overload = fits ? 0.0 : load - type.capacity;
        const double cost =
            type.fixed_cost + type.unit_cost * distance + (fits ? 0.0 : penalty_ * overload);
        if (cost < best.cost) best = {k, cost, overload};
    }
    return best;
}

double OverloadState::changed_distance(const OverloadRoute& route, int first, int count, const OverloadRoute& other,
                                       int other_first, int other_count) const {
    const int before = route.stops[at(first) - 1];
    const int after = route.stops[at(first + count)];
    const double rest = route.way[at(first) - 1] + route.distance() - route.way[at(first + count)];
    if (other_count == 0) {
        if (before == 0 && after == 0) return 0.0;
        return rest + instance_.distance(before, after);
    }
    const int enter = other.stops[at(other_first)];
    const int leave = other.stops[at(other_first + other_count - 1)];
    return rest + instance_.distance(before, enter) + other.way[at(other_first + other_count - 1)] -
           other.way[at(other_first)] + instance_.distance(leave, after);
}

double OverloadState::exchange_change(int slot_a, int first_a, int count_a, int slot_b, int first_b,
                                      int count_b) const {
    const OverloadRoute& a = routes_[at(slot_a)];
    const OverloadRoute& b = routes_[at(slot_b)];
    const double piece_a = a.carried[at(first_a + count_a - 1)] - a.carried[at(first_a) - 1];
    const double piece_b = b.carried[at(first_b + count_b - 1)] - b.carried[at(first_b) - 1];
    const auto cost_of = [&](const OverloadRoute& route, double load, double distance, int num_stops) {
        return num_stops == 0 ? 0.0 : choose(load, distance, route.type).cost;
    };
    const double cost_a = cost_of(a, a.load() - piece_a + piece_b, changed_distance(a, first_a, count_a, b, first_b, count_b),
                                  a.last() - 1 - count_a + count_b);
    if (cost_a == infinity) return infinity;
    const double cost_b = cost_of(b, b.load() - piece_b + piece_a, changed_distance(b, first_b, count_b, a, first_a, count_a),
                                  b.last() - 1 - count_b + count_a);
    return cost_a + cost_b - a.cost - b.cost;
}

// Whether vehicles are left for both routes when they choose one after the other, as `exchange` has it.
bool OverloadState::can_exchange(int slot_a, int first_a, int count_a, int slot_b, int first_b, int count_b) {
    const OverloadRoute& a = routes_[at(slot_a)];
    const OverloadRoute& b = routes_[at(slot_b)];
    const double piece_a = a.carried[at(first_a + count_a - 1)] - a.carried[at(first_a) - 1];
    const double piece_b = b.carried[at(first_b + count_b - 1)] - b.carried[at(first_b) - 1];
    if (a.last() - 1 - count_a + count_b == 0 || b.last() - 1 - count_b + count_a == 0) return true;
    const Choice first = choose(a.load() - piece_a + piece_b, changed_distance(a, first_a, count_a, b, first_b, count_b), a.type);
    if (first.type < 0) return false;
    if (a.type >= 0) --used_[at(a.type)];
    ++used_[at(first.type)];
    const Choice second = choose(b.load() - piece_b + piece_a, changed_distance(b, first_b, count_b, a, first_a, count_a), b.type);
    --used_[at(first.type)];
    if (a.type >= 0) ++used_[at(a.type)];
    return second.type >= 0;
}

bool OverloadState::exchange(int slot_a, int first_a, int count_a, int slot_b, int first_b, int count_b) {
    if (instance_.has_limited_fleet() && !can_exchange(slot_a, first_a, count_a, slot_b, first_b, count_b)) return false;
    OverloadRoute& a = routes_[at(slot_a)];
    OverloadRoute& b = routes_[at(slot_b)];
    release(a);
    release(b);
    const std::vector<int> piece_a(a.stops.begin() + first_a, a.stops.begin() + first_a + count_a);
    const std::vector<int> piece_b(b.stops.begin() + first_b, b.stops.begin() + first_b + count_b);
    const auto replace = [](std::vector<int>& stops, int first, int count, const std::vector<int>& piece) {
        stops.erase(stops.begin() + first, stops.begin() + first + count);
        stops.insert(stops.begin() + first, piece.begin(), piece.end());
    };
    replace(a.stops, first_a, count_a, piece_b);
    replace(b.stops, first_b, count_b, piece_a);
    settle(slot_a);
    settle(slot_b);
    return true;
}

double OverloadState::shift_change(int slot, int from, int to) const {
    const OverloadRoute& route = routes_[at(slot)];
    const int customer = route.stops[at(from)];
    const int before = route.stops[at(to) - 1];
    const int after = route.stops[at(to)];
    const double distance = route.distance() - instance_.distance(route.stops[at(from) - 1], customer) -
                            instance_.distance(customer, route.stops[at(from) + 1]) +
                            instance_.distance(route.stops[at(from) - 1], route.stops[at(from) + 1]) -
                            instance_.distance(before, after) + instance_.distance(before, customer) +
                            instance_.distance(customer, after);
    return choose(route.load(), distance, route.type).cost - route.cost;
}

void OverloadState::shift(int slot, int from, int to) {
    OverloadRoute& route = routes_[at(slot)];
    release(route);
    auto& stops = route.stops;
    if (from < to)
        std::rotate(stops.begin() + from, stops.begin() + from + 1, stops.begin() + to);
    else
        std::rotate(stops.begin() + to, stops.begin() + from, stops.begin() + from + 1);
    settle(slot);
}

double OverloadState::reverse_change(int slot, int first, int last) const {
    const OverloadRoute& route = routes_[at(slot)];
    const int before = route.stops[at(first) - 1];
    const int after = route.stops[at(last) + 1];
    const double distance = route.way[at(first) - 1] + instance_.distance(before, route.stops[at(last)]) +
                            (route.back[at(last)] - route.back[at(first)]) +
                            instance_.distance(route.stops[at(first)], after) + route.distance() -
                            route.way[at(last) + 1];
    return choose(route.load(), distance, route.type).cost - route.cost;
}

void OverloadState::reverse(int slot, int first, int last) {
    OverloadRoute& route = routes_[at(slot)];
    release(route);
    std::reverse(route.stops.begin() + first, route.stops.begin() + last + 1);
    settle(slot);
}

// Take the route's figures out of the totals; it keeps its vehicle until `settle`.
void OverloadState::release(OverloadRoute& route) {
    cost_ -= route.cost;
    if (route.overload > 0.0) --num_overloaded_;
    route.cost = 0.0;
    route.overload = 0.0;
}

// Recompute a route whose figures were released or never counted, and choose its type.
void OverloadState::settle(int slot) {
    OverloadRoute& route = routes_[at(slot)];
    const std::size_t size = route.stops.size();
    route.way.resize(size);
    route.back.resize(size);
    route.carried.resize(size);
    route.way[0] = route.back[0] = route.carried[0] = 0.0;
    for (std::size_t p = 1; p < size; ++p) {
        const int from = route.stops[p - 1];
        const int to = route.stops[p];
        route.way[p] = route.way[p - 1] + instance_.distance(from, to);
        route.back[p] = route.back[p - 1] + instance_.distance(to, from);
        route.carried[p] = route.carried[p - 1] + instance_.demand(to);
        if (to != 0) {
            slot_of_[at(to)] = slot;
            position_of_[at(to)] = static_cast<int>(p);
        }
    }
    if (route.is_empty()) {
        if (route.type >= 0) --used_[at(route.type)];
        route.type = -1;
        route.way[1] = route.back[1] = 0.0;
        return;
    }
    const Choice choice = choose(route.load(), route.distance(), route.type);
    if (choice.type != route.type) {
        if (route.type >= 0) --used_[at(route.type)];
        ++used_[at(choice.type)];
        route.type = choice.type;
    }
    route.cost = choice.cost;
    route.overload = choice.overload;
    cost_ += route.cost;
    if (route.overload > 0.0) ++num_overloaded_;
}

}  // namespace fripn::baselines
