#include "timed/timed_recreate.h"

#include <algorithm>
#include <cmath>

namespace fripn::timed {

Trips::Trips(const Model& model) : num_types_(static_cast<std::size_t>(model.num_types())) {
    by_type_.resize((static_cast<std::size_t>(model.num_customers()) + 1) * num_types_);
    for (int c = 1; c <= model.num_customers(); ++c)
        for (const Frame& frame : model.frames())
            for (int w = 0; w < model.num_windows(c); ++w) {
                const Stretch trip = frame.start.joined(model.arc_from_depot(frame, c), model.stop(c, w))
                                         .joined(model.arc_to_end(frame, c), frame.end);
                for (const int k : frame.types) {
                    if (!model.can_carry(k, model.cargo(c)) || !model.keeps_times(k, trip)) continue;
                    const double cost = model.type(k).cost(trip.distance, trip.duration);
                    if (cost < by_type_[index(c, k)].cost) by_type_[index(c, k)] = {cost, k, w};
                }
            }
    by_cost_ = by_type_;
    for (int c = 1; c <= model.num_customers(); ++c)
        std::stable_sort(by_cost_.begin() + static_cast<std::ptrdiff_t>(index(c, 0)),
                         by_cost_.begin() + static_cast<std::ptrdiff_t>(index(c + 1, 0)),
                         [](const Trip& a, const Trip& b) { return a.cost < b.cost; });
}

TimedRecreate::TimedRecreate(const Model& model, const search::Neighbours& neighbours,
                             const search::RecreateSettings& settings)
    : model_(model),
      neighbours_(neighbours),
      settings_(settings),
      // Where vehicles may not go everywhere, many routes nearby are closed to a customer.
      num_neighbours_(model.has_limited_access() ? neighbours.per_customer() : settings.num_neighbours),
      trips_(model),
      has_windows_(!model.instance().day().windows.empty()) {}

void TimedRecreate::sort(std::vector<int>& customers, Rng& rng) {
    // Weights 4, 4, 2, 1 of the reference: random, large first, far first, near first; where there are windows also
    // 2, 2, 2: short windows first, early opening first, late closing first.
    const std::size_t draw = rng.below(has_windows_ ? 17 : 11);
    rng.shuffle(customers);
    if (draw < 4) return;
    keys_.clear();
    for (const int c : customers) {
        double key = 0.0;
        const Window& first = model_.window(c, 0);
        const Window& last = model_.window(c, model_.num_windows(c) - 1);
        if (draw < 8)
            key = -model_.cargo(c).load[0];
        else if (draw < 10)
            key = -model_.distance(0, c);
        else if (draw < 11)
            key = model_.distance(0, c);
        else if (draw < 13)
            key = last.close - first.open;
        else if (draw < 15)
            key = first.open;
        else
            key = -last.close;
        keys_.emplace_back(key, c);
    }
    std::stable_sort(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < customers.size(); ++i) customers[i] = keys_[i].second;
}

bool TimedRecreate::blinks(Rng& rng) {
    if (--until_blink_ > 0) return false;
    // Gaps between blinks are geometric: one logarithm for a hundred places instead of a draw each.
    until_blink_ = 1 + static_cast<int>(std::log(1.0 - rng.uniform()) / std::log(1.0 - settings_.blink_rate));
    return true;
}

TimedRecreate::Place TimedRecreate::best_place(const TimedRoute& route, int customer, double bound, Rng& rng) {
    Place best;
    best.key = bound;
    const TypeRules& rules = model_.type(route.type);
    const Frame& frame = model_.frame(rules.frame);
    const std::size_t size = route.customers.size();
    const double service = model_.service(customer);
    const int num_windows = model_.num_windows(customer);
    // Vehicles come later and may come later from stop to stop, so places that are too early or too late lie at the ends.
    const double opens = model_.window(customer, 0).open + service;
    const double closes = model_.window(customer, num_windows - 1).close;
    std::size_t first = 0;
    while (first <= size && route.gaps[first].latest < opens) ++first;
    for (std::size_t p = first; p <= size; ++p) {
        const Gap& gap = route.gaps[p];
        if (gap.ready > closes) break;
        const Arc in = model_.arc_into(frame, gap.before, customer);
        const Arc out = p < size || frame.returns ? model_.arc(frame, customer, gap.behind) : Arc{0.0, 0.0};
        const double detour = in.distance + out.distance - gap.distance;
        // The duration gets no shorter by one more stop.
        const double travel_key = rules.tariff.unit_cost * detour;
        if (travel_key >= best.key) continue;
        const double arrival = gap.ready + in.time;
        for (int w = 0; w < num_windows; ++w) {
            const Window& window = model_.window(customer, w);
            const double start = std::max(arrival, window.open);
            if (start > window.close || start + service + out.time > gap.latest) continue;
            double key = travel_key;
            double duration = route.whole.duration;
            if (frame.needs_duration) {
                duration = route.head[p].joined(in, Stretch::stop(window, service)).joined(out, route.tail[p]).duration;
                key += rules.time_cost * (duration - route.whole.duration);
                if (duration > frame.longest) continue;
            }
            const double distance = route.whole.distance + detour;
            if (key >= best.key || distance > frame.farthest || blinks(rng)) continue;
            best = {key, distance, duration, static_cast<int>(p), w};
        }
    }
    if (best.key == bound) best.key = infinity;
    return best;
}

void TimedRecreate::consider(const TimedState& state, int customer, int slot, Rng& rng, Choice& best) {
    const RouteSummary& summary = state.summary(slot);
    const Cargo& more = model_.cargo(customer);
    const std::uint64_t groups = summary.groups & more.groups;
    if (groups == 0) return;
    const double load = summary.load + more.load[0];
    if (load > summary.largest) return;
    const bool stays = (groups & summary.group) != 0;
    if (!stays && (groups & state.free_groups(summary.frame)) == 0) return;
    // Where the change is that of the place alone, only a place better than the best so far is of interest.
    bool costs_detour = keeps_types_ && stays && load <= summary.kept_load;
    const Frame& frame = model_.frame(summary.frame);
    const TimedRoute& route = state.route(slot);
    Cargo cargo;
    if (!costs_detour) {
        cargo = route.cargo;
        cargo.add(more);
        for (int l = 1; l < model_.num_loads(); ++l)
            if (cargo.load[at(l)] > frame.largest[at(l)]) return;
        if (frame.is_uniform) {
            costs_detour = true;
            const bool has_vehicle = std::any_of(frame.types.begin(), frame.types.end(), [&](int k) {
                return model_.can_carry(k, cargo) && (k == route.type || state.is_free(k));
            });
            if (!has_vehicle) return;
        }
    }
    const Place place = best_place(route, customer, costs_detour ? best.change : infinity, rng);
    if (place.key == infinity) return;
    double change = place.key;
    if (!costs_detour) {
        const TypeRules& rules = model_.type(route.type);
        const bool keeps = keeps_types_ && model_.can_carry(route.type, cargo) && place.duration <= rules.max_duration &&
                           place.distance <= rules.max_distance;
        if (!keeps) change = state.choose(frame, cargo, place.distance, place.duration, route.type).cost - route.cost;
    }
    if (change < best.change) best = {change, slot, place.position, place.choice, -1, -1};
}

int TimedRecreate::insert(TimedState& state, int customer, Rng& rng, double limit) {
    const double bound = limit - state.cost();
    Choice best;
    best.change = bound;
    if (state.num_routes() <= settings_.max_routes_to_scan) {
        for (int slot = 0; slot < state.num_slots(); ++slot) consider(state, customer, slot, rng, best);
    } else {
        if (seen_.size() < at(state.num_slots())) seen_.resize(at(state.num_slots()), 0);
        ++stamp_;
        int left = num_neighbours_;
        for (const int* c = neighbours_.begin(customer); c != neighbours_.end(customer) && left > 0; ++c, --left) {
            const int slot = state.slot_of(*c);
            if (slot < 0 || seen_[at(slot)] == stamp_) continue;
            seen_[at(slot)] = stamp_;
            consider(state, customer, slot, rng, best);
        }
    }
    const Trip* trip = trips_.cheapest_first(customer);
    for (int i = 0; i < model_.num_types() && trip[i].cost < best.change; ++i)
        if (state.is_free(trip[i].type)) {
            best = {trip[i].cost, -1, 0, trip[i].choice, trip[i].type, -1};
            break;
        }
    for (std::size_t h = 0; h < hired.size(); ++h) {
        const Trip& with = trips_.with_type(customer, hired[h]);
        if (with.cost == infinity || !state.is_free(hired[h])) continue;
        const double change = with.cost - model_.type(hired[h]).tariff.fixed_cost;
        if (change < best.change) best = {change, -1, 0, with.choice, hired[h], static_cast<int>(h)};
    }
    if (best.change == bound) return limit == infinity ? 0 : -1;
    if (best.hired >= 0) hired.erase(hired.begin() + best.hired);
    if (best.slot < 0) {
        state.open(state.empty_slot(), best.type, customer, best.window);
        return 1;
    }
    return state.insert(best.slot, best.position, customer, best.window, keeps_types_) ? 1 : -1;
}

bool TimedRecreate::operator()(TimedState& state, std::vector<int>& customers, Rng& rng, bool keeps_types,
                               double limit) {
    keeps_types_ = keeps_types;
    sort(customers, rng);
    std::size_t left_out = 0;
    bool is_sound = true;
    if (!customers.empty()) model_.prefetch_arcs(customers.front());
    for (std::size_t i = 0; i < customers.size() && is_sound; ++i) {
        if (i + 1 < customers.size()) model_.prefetch_arcs(customers[i + 1]);
        const int outcome = insert(state, customers[i], rng, limit);
        is_sound = outcome >= 0;
        if (outcome == 0) customers[left_out++] = customers[i];
    }
    customers.resize(left_out);
    hired.clear();
    if (is_sound) state.settle_types(rng);
    return is_sound;
}

}  // namespace fripn::timed
