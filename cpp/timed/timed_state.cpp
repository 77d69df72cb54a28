#include "timed/timed_state.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace fripn::timed {

TimedState::TimedState(const Model& model)
    : model_(model),
      slot_of_(at(model.num_customers()) + 1, -1),
      position_of_(at(model.num_customers()) + 1, 0),
      used_(at(model.num_types()), 0),
      free_groups_(model.frames().size(), 0) {}

void TimedState::load(const Plan& plan) {
    routes_.clear();
    std::fill(slot_of_.begin(), slot_of_.end(), -1);
    std::fill(used_.begin(), used_.end(), 0);
    touched_.clear();
    num_routes_ = 0;
    num_served_ = 0;
    cost_ = 0.0;
    for (const PlanRoute& from : plan.routes) {
        if (from.customers.empty()) continue;
        TimedRoute route;
        route.type = from.type;
        ++used_[at(from.type)];
        route.customers = from.customers;
        route.choices = model_.choose_windows(model_.frame(model_.type(from.type).frame), from.customers);
        measure(route);
        route.cost = model_.type(route.type).cost(route.whole.distance, route.whole.duration);
        cost_ += route.cost;
        num_served_ += route.size();
        ++num_routes_;
        routes_.push_back(std::move(route));
        place(num_slots() - 1, 0);
    }
    summaries_.assign(routes_.size(), {});
    for (int slot = 0; slot < num_slots(); ++slot) summarise(slot);
    for (int f = 0; f < static_cast<int>(model_.frames().size()); ++f) find_free_groups(f);
    touch_stamp_.assign(routes_.size(), 0);
    is_dirty_.assign(routes_.size(), 0);
    stamp_ = 1;
    best_routes_ = routes_;
    dirty_.clear();
    best_cost_ = num_served_ == model_.num_customers() ? cost_ : infinity;
}

Plan TimedState::unload(const std::vector<TimedRoute>& routes) const {
    Plan plan;
    plan.cost = 0.0;
    for (const TimedRoute& route : routes) {
        if (route.is_empty()) continue;
        plan.cost += route.cost;
        plan.routes.push_back({route.type, route.customers});
    }
    return plan;
}

TypeChoice TimedState::choose(const Frame& frame, const Cargo& cargo, double distance, double duration, int current) const {
    TypeChoice best{-1, infinity};
    for (const int k : frame.types) {
        if (!model_.can_carry(k, cargo) || (k != current && !is_free(k))) continue;
        const TypeRules& rules = model_.type(k);
        if (duration > rules.max_duration || distance > rules.max_distance) continue;
        const double cost = rules.cost(distance, duration);
        if (cost < best.cost) best = {k, cost};
    }
    return best;
}

void TimedState::measure(TimedRoute& route, int first, int unchanged) const {
    const Frame& frame = model_.frame(model_.type(route.type).frame);
    const std::size_t size = route.customers.size();
    const auto stop = [&](std::size_t p) {
        return model_.stop(route.customers[p], route.choices.empty() ? 0 : route.choices[p]);
    };
    route.head.resize(size + 1);
    route.head[0] = frame.start;
    for (std::size_t p = at(first); p < size; ++p) {
        const int c = route.customers[p];
        const Arc arc = p == 0 ? model_.arc_from_depot(frame, c) : model_.arc(frame, route.customers[p - 1], c);
        route.head[p + 1] = route.head[p].joined(arc, stop(p));
    }
    if (unchanged == 0) route.tail.resize(size + 1);
    route.tail[size] = frame.end;
    for (std::size_t p = size - at(unchanged); p-- > 0;) {
        const int c = route.customers[p];
        const Arc arc = p + 1 == size ? model_.arc_to_end(frame, c) : model_.arc(frame, c, route.customers[p + 1]);
        route.tail[p] = stop(p).joined(arc, route.tail[p + 1]);
    }
    route.whole = size == 0 ? Stretch{} : route.head[size].joined(model_.arc_to_end(frame, route.customers.back()), frame.end);
    route.cargo = Cargo{};
    for (const int c : route.customers) route.cargo.add(model_.cargo(c));
    route.gaps.resize(size + 1);
    int before = frame.depot;
    for (std::size_t p = 0; p <= size; ++p) {
        const int behind = p == size ? frame.depot : route.customers[p];
        const double end = p == size ? route.whole.distance : route.head[p + 1].distance;
        route.gaps[p] = {route.head[p].ready(), route.tail[p].latest, end - route.head[p].distance, before, behind};
        before = behind;
    }
}

void TimedState::summarise(int slot) {
    const TimedRoute& route = routes_[at(slot)];
    RouteSummary& summary = summaries_[at(slot)];
    summary = {};
    if (route.is_empty()) return;
    const TypeRules& rules = model_.type(route.type);
    const Frame& frame = model_.frame(rules.frame);
    summary.groups = route.cargo.groups & frame.groups;
    summary.group = rules.group;
    summary.load = route.cargo.load[0];
    summary.largest = frame.largest[0];
    summary.frame = rules.frame;
    if (model_.num_loads() == 1 && rules.max_stops == any_number && rules.max_duration == frame.longest &&
        rules.max_distance == frame.farthest)
        summary.kept_load = rules.limit[0];
}

int TimedState::empty_slot() {
    for (int slot = num_slots() - 1; slot >= 0; --slot)
        if (routes_[at(slot)].is_empty()) return slot;
    routes_.emplace_back();
    summaries_.emplace_back();
    best_routes_.emplace_back();
    touch_stamp_.push_back(0);
    is_dirty_.push_back(0);
    return num_slots() - 1;
}

void TimedState::touch(int slot) {
    if (touch_stamp_[at(slot)] == stamp_) return;
    touch_stamp_[at(slot)] = stamp_;
    const std::size_t index = touched_.size();
    touched_.push_back(slot);
    if (saved_.size() <= index) saved_.emplace_back();
    saved_[index] = routes_[at(slot)];
}

void TimedState::place(int slot, int first_position) {
    const std::vector<int>& customers = routes_[at(slot)].customers;
    for (std::size_t i = at(first_position); i < customers.size(); ++i) {
        slot_of_[at(customers[i])] = slot;
        position_of_[at(customers[i])] = static_cast<int>(i);
    }
}

void TimedState::find_free_groups(int frame) {
    std::uint64_t groups = 0;
    for (const int k : model_.frame(frame).types)
        if (is_free(k)) groups |= model_.type(k).group;
    free_groups_[at(frame)] = groups;
}

void TimedState::use(int type, int more) {
    const bool was_free = is_free(type);
    used_[at(type)] += more;
    if (is_free(type) != was_free) find_free_groups(model_.type(type).frame);
}

void TimedState::give_back(TimedRoute& route) {
    if (route.type >= 0) use(route.type, -1);
    route.type = -1;
}

void TimedState::take(TimedRoute& route, int type, double cost) {
    if (type != route.type) {
        give_back(route);
        use(type, 1);
        route.type = type;
    }
    route.cost = cost;
}

void TimedState::erase(int slot, int position, int count) {
    touch(slot);
    TimedRoute& route = routes_[at(slot)];
    for (int i = position; i < position + count; ++i) slot_of_[at(route.customers[at(i)])] = -1;
    num_served_ -= count;
    route.customers.erase(route.customers.begin() + position, route.customers.begin() + position + count);
    if (!route.choices.empty()) route.choices.erase(route.choices.begin() + position, route.choices.begin() + position + count);
    place(slot, position);
}

bool TimedState::refresh(int slot, bool keeps_type) {
    TimedRoute& route = routes_[at(slot)];
    if (!route.is_empty()) measure(route);
    return settle(slot, keeps_type);
}

bool TimedState::settle(int slot, bool keeps_type) {
    TimedRoute& route = routes_[at(slot)];
    cost_ -= route.cost;
    if (route.is_empty()) {
        --num_routes_;
        give_back(route);
        route.cost = 0.0;
        route.cargo = Cargo{};
        summarise(slot);
        return true;
    }
    TypeChoice choice{-1, infinity};
    if (keeps_type && model_.can_carry(route.type, route.cargo) && model_.keeps_times(route.type, route.whole)) {
        choice = {route.type, model_.type(route.type).cost(route.whole.distance, route.whole.duration)};
    } else if (route.whole.warp <= model_.warp_tolerance()) {
        const Frame& frame = model_.frame(model_.type(route.type).frame);
        choice = choose(frame, route.cargo, route.whole.distance, route.whole.duration, route.type);
    }
    if (choice.type < 0) {
        route.cost = 0.0;
        return false;
    }
    take(route, choice.type, choice.cost);
    cost_ += route.cost;
    summarise(slot);
    return true;
}

bool TimedState::insert(int slot, int position, int customer, int choice, bool keeps_type) {
    touch(slot);
    TimedRoute& route = routes_[at(slot)];
    if (route.is_empty()) ++num_routes_;
    route.customers.insert(route.customers.begin() + position, customer);
    if (model_.has_choices()) route.choices.insert(route.choices.begin() + position, choice);
    place(slot, position);
    ++num_served_;
    const bool is_measured = route.size() > 1;
    if (is_measured) route.tail.insert(route.tail.begin() + position, Stretch{});
    measure(route, position, is_measured ? route.size() - 1 - position : 0);
    return settle(slot, keeps_type);
}

void TimedState::open(int slot, int type, int customer, int choice) {
    touch(slot);
    take(routes_[at(slot)], type, 0.0);
    insert(slot, 0, customer, choice, true);
}

void TimedState::exchange_vehicles(TimedRoute& first, TimedRoute& second, Rng& rng) {
    if (first.is_empty() || second.is_empty() || first.type == second.type) return;
    const TypeRules& a = model_.type(first.type);
    const TypeRules& b = model_.type(second.type);
    if (a.frame != b.frame) return;
    if (!model_.can_carry(second.type, first.cargo) || !model_.can_carry(first.type, second.cargo)) return;
    if (!model_.keeps_times(second.type, first.whole) || !model_.keeps_times(first.type, second.whole)) return;
    const double first_cost = b.cost(first.whole.distance, first.whole.duration);
    const double second_cost = a.cost(second.whole.distance, second.whole.duration);
    const double change = first_cost + second_cost - first.cost - second.cost;
    if (change > 0.0 || (change == 0.0 && rng.uniform() < 0.5)) return;
    std::swap(first.type, second.type);
    first.cost = first_cost;
    second.cost = second_cost;
    cost_ += change;
}

void TimedState::settle_types(Rng& rng) {
    for (const int slot : touched_) {
        TimedRoute& route = routes_[at(slot)];
        if (route.is_empty()) continue;
        const int own = model_.type(route.type).frame;
        TypeChoice best = choose(model_.frame(own), route.cargo, route.whole.distance, route.whole.duration, route.type);
        for (int f = 0; f < static_cast<int>(model_.frames().size()); ++f) {
            if (f == own) continue;
            const Stretch whole = model_.drive(model_.frame(f), route.customers, route.choices);
            if (whole.warp > model_.warp_tolerance()) continue;
            const TypeChoice other = choose(model_.frame(f), route.cargo, whole.distance, whole.duration, route.type);
            if (other.cost < best.cost) best = other;
        }
        if (best.type < 0) continue;
        cost_ += best.cost - route.cost;
        const bool is_timed_anew = model_.type(best.type).frame != own;
        take(route, best.type, best.cost);
        if (is_timed_anew) measure(route);
    }
    if (model_.has_limited_fleet())
        for (std::size_t i = 0; i < touched_.size(); ++i)
            for (std::size_t j = i + 1; j < touched_.size(); ++j)
                exchange_vehicles(routes_[at(touched_[i])], routes_[at(touched_[j])], rng);
    for (const int slot : touched_) summarise(slot);
}

void TimedState::commit() {
    for (const int slot : touched_) {
        if (is_dirty_[at(slot)]) continue;
        is_dirty_[at(slot)] = 1;
        dirty_.push_back(slot);
    }
    touched_.clear();
    ++stamp_;
}

void TimedState::rollback() {
    // First everyone leaves, then everyone returns: a customer may have moved between touched routes.
    for (const int slot : touched_) {
        const TimedRoute& route = routes_[at(slot)];
        for (const int c : route.customers) slot_of_[at(c)] = -1;
        num_served_ -= route.size();
        if (!route.is_empty()) --num_routes_;
        if (route.type >= 0) use(route.type, -1);
        cost_ -= route.cost;
    }
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        TimedRoute& route = routes_[at(touched_[i])];
        std::swap(route, saved_[i]);
        place(touched_[i], 0);
        num_served_ += route.size();
        if (!route.is_empty()) ++num_routes_;
        if (route.type >= 0) use(route.type, 1);
        cost_ += route.cost;
        summarise(touched_[i]);
    }
    touched_.clear();
    ++stamp_;
}

void TimedState::keep_as_best() {
    for (const int slot : dirty_) {
        best_routes_[at(slot)] = routes_[at(slot)];
        is_dirty_[at(slot)] = 0;
    }
    dirty_.clear();
    best_cost_ = cost_;
}

void TimedState::recount() {
    cost_ = 0.0;
    for (const TimedRoute& route : routes_) cost_ += route.cost;
}

void TimedState::check() const {
    const auto fail = [](const std::string& what) { throw std::logic_error("timed state is inconsistent: " + what); };
    const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-9 * (1e-6 + std::abs(a) + std::abs(b)); };
    double cost = 0.0;
    int served = 0;
    int num_routes = 0;
    std::vector<int> used(used_.size(), 0);
    for (int slot = 0; slot < num_slots(); ++slot) {
        const TimedRoute& route = routes_[at(slot)];
        if (route.is_empty()) {
            if (route.type != -1 || route.cost != 0.0) fail("an empty route has a vehicle");
            continue;
        }
        ++num_routes;
        for (int i = 0; i < route.size(); ++i) {
            ++served;
            const int c = route.customers[at(i)];
            if (slot_of(c) != slot || position_of(c) != i) fail("customer " + std::to_string(c) + " is not where it should be");
        }
        const TypeRules& rules = model_.type(route.type);
        const Stretch again = model_.drive(model_.frame(rules.frame), route.customers, route.choices);
        if (differs(again.duration, route.whole.duration)) fail("duration of a route");
        if (!model_.can_carry(route.type, model_.cargo_of(route.customers))) fail("a vehicle may not carry its load");
        if (!model_.keeps_times(route.type, again)) fail("a route is late or too long");
        if (differs(rules.cost(again.distance, again.duration), route.cost)) fail("cost of a route");
        ++used[at(route.type)];
        cost += route.cost;
    }
    for (int k = 0; k < model_.num_types(); ++k)
        if (used[at(k)] != used_[at(k)] || (used[at(k)] > 0 && !model_.instance().vehicle_type(k).has_left(used[at(k)] - 1)))
            fail("vehicles in use");
    if (served != num_served_ || num_routes != num_routes_) fail("number of customers or routes");
    if (differs(cost, cost_)) fail("total cost");
}

}  // namespace fripn::timed
