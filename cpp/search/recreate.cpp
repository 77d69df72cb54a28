#include "search/recreate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/insertion.h"
#include "search/plan.h"

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

template <Measure M>
Recreate<M>::Recreate(const Instance& instance, const Neighbours& neighbours, const RecreateSettings& settings)
    : instance_(instance),
      neighbours_(neighbours),
      settings_(settings),
      cache_(uses_detours ? (at(instance.num_customers()) + 1) * places_per_customer : 0) {}

template <Measure M>
void Recreate<M>::sort(std::vector<int>& customers, Rng& rng) {
    // Weights 4, 4, 2, 1 of the reference: random, large first, far first, near first.
    const std::size_t draw = rng.below(11);
    rng.shuffle(customers);
    if (draw < 4) return;
    keys_.clear();
    for (const int c : customers) {
        double key = 0.0;
        if (draw < 8)
            key = -instance_.demand(c);
        else if (draw < 10)
            key = -instance_.distance(0, c);
        else
            key = instance_.distance(0, c);
        keys_.emplace_back(key, c);
    }
    std::stable_sort(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < customers.size(); ++i) customers[i] = keys_[i].second;
}

template <Measure M>
void Recreate<M>::find_places(const SearchRoute<M>& route, int customer, Places& found) const {
    double first = infinity;
    double second = infinity;
    int first_at = 0;
    int second_at = 0;
    const int num_arcs = static_cast<int>(route.arcs.size());
    const int* stops = route.stops.data();
    const double* arcs = route.arcs.data();
    const auto scan = [&](auto&& to_customer, auto&& from_customer) {
        for (int i = 0; i < num_arcs; ++i) {
            const double detour = to_customer(stops[i]) + from_customer(stops[i + 1]) - arcs[i];
            if (detour >= second) continue;
            if (detour < first) {
                second = first;
                second_at = first_at;
                first = detour;
                first_at = i + 1;
            } else {
                second = detour;
                second_at = i + 1;
            }
        }
    };
    if (const double* row = instance_.row(customer); row != nullptr && instance_.is_symmetric()) {
        const auto distance = [row](int stop) { return row[stop]; };
        scan(distance, distance);
    } else {
        scan([&](int stop) { return instance_.distance(stop, customer); },
             [&](int stop) { return instance_.distance(customer, stop); });
    }
    found.position[0] = first_at;
    found.position[1] = second_at;
    found.detour[0] = first;
    found.detour[1] = second;
}

template <Measure M>
const typename Recreate<M>::Places& Recreate<M>::places(const SearchState<M>& state, int customer, int slot) {
    Places& entry = cache_[at(customer) * places_per_customer + at(slot) % places_per_customer];
    const SearchRoute<M>& route = state.route(slot);
    if (entry.version != route.version || entry.slot != slot) {
        find_places(route, customer, entry);
        entry.version = route.version;
        entry.slot = slot;
    }
    return entry;
}

template <Measure M>
typename Recreate<M>::Choice Recreate<M>::choice_by_joining(const SearchState<M>& state, int customer, int slot,
                                                            int which) const {
    const SearchRoute<M>& route = state.route(slot);
    Choice best[2];
    for_each_insertion<M>(instance_, route.stops, customer, [&](int position, const M& changed) {
        const Choice choice{state.cost_with(route, changed, keeps_types_) - route.cost, slot, position, -1};
        if (choice.change < best[0].change) {
            best[1] = best[0];
            best[0] = choice;
        } else if (choice.change < best[1].change) {
            best[1] = choice;
        }
    });
    return best[which];
}

template <Measure M>
void Recreate<M>::consider(const SearchState<M>& state, int customer, int slot, Rng& rng, Choice& best) {
    const SearchRoute<M>& route = state.route(slot);
    if (route.is_empty()) return;
    if (route.measure.load + instance_.demand(customer) > state.fleet().largest_limit()) return;
    int which = 0;
    if (--until_blink_ <= 0) {
        // Gaps between blinks are geometric: one logarithm for a hundred places instead of a draw each.
        until_blink_ = 1 + static_cast<int>(std::log(1.0 - rng.uniform()) / std::log(1.0 - settings_.blink_rate));
        which = 1;
    }
    if constexpr (uses_detours) {
        const Places& found = places(state, customer, slot);
        const double detour = found.detour[which];
        // A route never gets cheaper by a longer distance or a larger load: this much is certain.
        if constexpr (M::shortcuts.bounds_by_distance)
            if (detour >= 0 && state.fleet().least_unit_cost() * detour >= best.change) return;
        if (detour == infinity) return;
        const M changed = route.measure.changed(instance_.demand(customer), detour);
        const double change = state.cost_with(route, changed, keeps_types_) - route.cost;
        if (change < best.change) best = {change, slot, found.position[which], -1};
    } else {
        const Choice choice = choice_by_joining(state, customer, slot, which);
        if (choice.change < best.change) best = choice;
    }
}

template <Measure M>
bool Recreate<M>::insert(SearchState<M>& state, int customer, Rng& rng) {
    Choice best;
    if (state.num_routes() <= settings_.max_routes_to_scan) {
        for (int slot = 0; slot < state.num_slots(); ++slot) consider(state, customer, slot, rng, best);
    } else {
        if (seen_.size() < at(state.num_slots())) seen_.resize(at(state.num_slots()), 0);
        ++stamp_;
        int left = settings_.num_neighbours;
        for (const int* c = neighbours_.begin(customer); c != neighbours_.end(customer) && left > 0; ++c, --left) {
            const int slot = state.slot_of(*c);
            if (slot < 0 || seen_[at(slot)] == stamp_) continue;
            seen_[at(slot)] = stamp_;
            consider(state, customer, slot, rng, best);
        }
    }
    const M trip = round_trip<M>(instance_, customer);
    const double alone = state.cost_of(trip, -1);
    if (alone < best.change) best = {alone, -1, 1, -1};
    for (std::size_t h = 0; h < hired.size(); ++h) {
        const VehicleType& type = instance_.vehicle_type(hired[h]);
        if (!trip.fits(M::limit(type)) || !state.is_free(hired[h])) continue;
        const double change = trip.cost(type.tariff().hired());
        if (change < best.change) best = {change, -1, 1, static_cast<int>(h)};
    }
    if (best.change == infinity) return false;
    if (best.hired >= 0) {
        state.open(state.empty_slot(), hired[at(best.hired)], customer);
        hired.erase(hired.begin() + best.hired);
        return true;
    }
    state.insert(best.slot < 0 ? state.empty_slot() : best.slot, best.position, customer, keeps_types_);
    return true;
}

template <Measure M>
void Recreate<M>::operator()(SearchState<M>& state, std::vector<int>& customers, Rng& rng, bool keeps_types) {
    keeps_types_ = keeps_types;
    sort(customers, rng);
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < customers.size(); ++i)
        if (!insert(state, customers[i], rng)) customers[left_out++] = customers[i];
    customers.resize(left_out);
    hired.clear();
    if (keeps_types) state.settle_types();
}

template class Recreate<CapacityMeasure>;
template class Recreate<JoinedMeasure>;

}  // namespace fripn::search
