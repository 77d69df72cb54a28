#include "baselines/large_neighbourhood.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fripn::baselines {

namespace {

constexpr int num_neighbours = 60;

// Exponent of the random choice that prefers the first entries of a sorted list (Ropke and Pisinger's p).
constexpr double greed = 4.0;
constexpr int longest_string = 10;

// Up to this many routes all are tried for a customer; beyond, those of its nearest customers.
constexpr int max_routes_to_scan = 40;
constexpr double keep_types_rate = 0.7;
constexpr double hire_rate = 0.2;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

LargeNeighbourhood::LargeNeighbourhood(const Instance& instance, std::uint64_t seed)
    : instance_(instance),
      fleet_(instance),
      neighbours_(instance, num_neighbours),
      state_(instance, fleet_),
      rng_(seed) {
    CapacityMeasure longest;
    for (int j = 1; j <= instance_.num_customers(); ++j) {
        const auto trip = round_trip<CapacityMeasure>(instance_, j);
        if (trip.distance > longest.distance) longest = trip;
    }
    for (const VehicleType& type : instance_.vehicle_types())
        absent_cost_ = std::max(absent_cost_, 2.0 * longest.cost(type.tariff()) + 1.0);
}

LnsPlan LargeNeighbourhood::evaluate(const Plan& plan) {
    // A plan at the very edge of the tolerance of `evaluate` is beyond that of the core: build it again.
    state_.load(keeps_limits(instance_, plan) ? plan : Plan{});
    return unload();
}

LnsPlan LargeNeighbourhood::rebuild(const LnsPlan& current, Destroy destroy, Repair repair_kind, int num_removed,
                                    const std::atomic<bool>& stop) {
    state_.load(current.plan);
    state_.begin();
    absent_ = current.absent;
    keeps_types_ = rng_.uniform() < keep_types_rate;
    if (state_.num_served() > 0) switch (destroy) {
            case Destroy::random: destroy_random(num_removed); break;
            case Destroy::worst: destroy_worst(num_removed); break;
            case Destroy::related: destroy_related(num_removed); break;
            case Destroy::route: destroy_routes(num_removed); break;
            case Destroy::string: destroy_strings(num_removed); break;
        }
    repair(repair_kind, stop);
    state_.settle_types();
    state_.commit();
    return unload();
}

LnsPlan LargeNeighbourhood::unload() const {
    LnsPlan result;
    result.plan = state_.unload();
    for (int j = 1; j <= instance_.num_customers(); ++j)
        if (state_.is_absent(j)) result.absent.push_back(j);
    result.plan.cost = plan_cost(instance_, result.plan);
    result.objective = result.plan.cost + absent_cost_ * static_cast<double>(result.absent.size());
    return result;
}

int LargeNeighbourhood::random_served() {
    for (;;) {
        const int customer = 1 + static_cast<int>(rng_.below(at(instance_.num_customers())));
        if (!state_.is_absent(customer)) return customer;
    }
}

void LargeNeighbourhood::remove(int customer) {
    const int slot = state_.slot_of(customer);
    state_.erase(slot, state_.position_of(customer), 1);
    state_.refresh(slot, keeps_types_);
    absent_.push_back(customer);
}

void LargeNeighbourhood::destroy_random(int num_removed) {
    for (int k = 0; k < num_removed && state_.num_served() > 0; ++k) remove(random_served());
}

void LargeNeighbourhood::destroy_worst(int num_removed) {
    // What the route would save without the customer, vehicle type included.
    std::vector<std::pair<double, int>> savings;
    for (int j = 1; j <= instance_.num_customers(); ++j) {
        if (state_.is_absent(j)) continue;
        const SearchRoute<CapacityMeasure>& route = state_.route(state_.slot_of(j));
        const auto p = at(state_.position_of(j));
        const double shortcut = route.num_customers() == 1 ? 0.0 : instance_.distance(route.stops[p - 1], route.stops[p + 1]);
        const CapacityMeasure shorter{route.measure.load - instance_.demand(j),
                                      route.measure.distance - route.arcs[p - 1] - route.arcs[p] + shortcut};
        const double without = route.num_customers() == 1 ? 0.0 : state_.cost_of(shorter, route.type);
        savings.emplace_back(without - route.cost, j);
    }
    std::sort(savings.begin(), savings.end());
    for (int k = 0; k < num_removed && !savings.empty(); ++k) {
        const auto pick = static_cast<std::ptrdiff_t>(std::pow(rng_.uniform(), greed) * static_cast<double>(savings.size()));
        remove(savings[static_cast<std::size_t>(pick)].second);
        savings.erase(savings.begin() + pick);
    }
}

void LargeNeighbourhood::destroy_related(int num_removed) {
    const int seed = random_served();
    int taken = 1;
    remove(seed);
    // Neighbours of customers already removed, near ones preferred; similar demands count as nearer.
    while (taken < num_removed && state_.num_served() > 0) {
        const int from = absent_[absent_.size() - 1 - rng_.below(at(taken))];
        std::vector<std::pair<double, int>> near;
        for (const int* j = neighbours_.begin(from); j != neighbours_.end(from); ++j) {
            if (state_.is_absent(*j)) continue;
            const double gap = std::abs(instance_.demand(*j) - instance_.demand(from));
            const double scale = 1.0 + gap / (instance_.total_demand() / instance_.num_customers() + 1e-300);
            near.emplace_back((instance_.distance(from, *j) + instance_.distance(*j, from)) * scale, *j);
        }
        if (near.empty()) {
            remove(random_served());
        } else {
            std::sort(near.begin(), near.end());
            remove(near[static_cast<std::size_t>(std::pow(rng_.uniform(), greed) * static_cast<double>(near.size()))].second);
        }
        ++taken;
    }
}

void LargeNeighbourhood::destroy_routes(int num_removed) {
    // Whole routes around a random customer until enough have left; at least one route goes.
    const int seed = random_served();
    int taken = 0;
    const auto take = [&](int customer) {
        const int slot = state_.slot_of(customer);
        const std::vector<int> stops = state_.route(slot).stops;
        state_.erase(slot, 1, state_.route(slot).num_customers());
        state_.refresh(slot);
        absent_.insert(absent_.end(), stops.begin() + 1, stops.end() - 1);
        taken += static_cast<int>(stops.size()) - 2;
    };
    take(seed);
    for (const int* j = neighbours_.begin(seed); j != neighbours_.end(seed) && taken < num_removed; ++j)
        if (!state_.is_absent(*j)) take(*j);
}

void LargeNeighbourhood::destroy_strings(int num_removed) {
    const int seed = random_served();
    int taken = 0;
    std::vector<int> done;
    const auto take = [&](int customer) {
        const int slot = state_.slot_of(customer);
        if (std::find(done.begin(), done.end(), slot) != done.end()) return;
        done.push_back(slot);
        const SearchRoute<CapacityMeasure>& route = state_.route(slot);
        const int most = std::min({longest_string, route.num_customers(), num_removed - taken});
        const int length = 1 + static_cast<int>(rng_.below(at(most)));
        const int first_low = std::max(1, state_.position_of(customer) - length + 1);
        const int first_high = std::min(state_.position_of(customer), route.num_customers() - length + 1);
        const int first = first_low + static_cast<int>(rng_.below(at(first_high - first_low + 1)));
        absent_.insert(absent_.end(), route.stops.begin() + first, route.stops.begin() + first + length);
        state_.erase(slot, first, length);
        state_.refresh(slot, keeps_types_);
        taken += length;
    };
    take(seed);
    for (const int* j = neighbours_.begin(seed); j != neighbours_.end(seed) && taken < num_removed; ++j)
        if (!state_.is_absent(*j)) take(*j);
}

LargeNeighbourhood::Place LargeNeighbourhood::best_place(int customer, int slot) const {
    const SearchRoute<CapacityMeasure>& route = state_.route(slot);
    Place best;
    double detour = infinity;
    for (std::size_t p = 0; p + 1 < route.stops.size(); ++p) {
        const double added = instance_.distance(route.stops[p], customer) +
                             instance_.distance(customer, route.stops[p + 1]) - route.arcs[p];
        if (added < detour) {
            detour = added;
            best.position = static_cast<int>(p) + 1;
        }
    }
    const CapacityMeasure changed = route.measure.changed(instance_.demand(customer), detour);
    best.change = state_.cost_with(route, changed, keeps_types_) - route.cost;
    return best;
}

void LargeNeighbourhood::hire() {
    // Now and then some vehicles of random types count as paid for, so that mixes are tried which no
    // single insertion would choose. The true cost decides in the end.
    hired_.clear();
    if (rng_.uniform() >= hire_rate) return;
    double demand = 0.0;
    for (const int customer : absent_) demand += instance_.demand(customer);
    for (double room = 0.0; room < demand && hired_.size() < 8;) {
        const int type = static_cast<int>(rng_.below(at(instance_.num_types())));
        if (!state_.is_free(type)) break;
        hired_.push_back(type);
        room += instance_.vehicle_type(type).capacity;
    }
}

void LargeNeighbourhood::repair(Repair kind, const std::atomic<bool>& stop) {
    hire();
    rng_.shuffle(absent_);
    // Row c of `places_` belongs to absent_[c]; its last entry is a new route.
    const int num_slots = state_.num_slots();
    places_.resize(std::max(places_.size(), absent_.size()));
    for (std::size_t c = 0; c < absent_.size(); ++c) {
        places_[c].assign(at(num_slots), Place{});
        const auto consider = [&](int slot) {
            if (!state_.route(slot).is_empty()) places_[c][at(slot)] = best_place(absent_[c], slot);
        };
        if (num_slots <= max_routes_to_scan) {
            for (int slot = 0; slot < num_slots; ++slot) consider(slot);
            continue;
        }
        for (const int* j = neighbours_.begin(absent_[c]); j != neighbours_.end(absent_[c]); ++j)
            if (!state_.is_absent(*j) && places_[c][at(state_.slot_of(*j))].change == infinity)
                consider(state_.slot_of(*j));
    }
    while (!absent_.empty() && !stop.load(std::memory_order_relaxed)) {
        double best_key = -infinity;
        std::size_t best_c = 0;
        int best_slot = -1;
        int best_hired = -1;
        for (std::size_t c = 0; c < absent_.size(); ++c) {
            const int customer = absent_[c];
            const auto trip = round_trip<CapacityMeasure>(instance_, customer);
            double least[3] = {infinity, infinity, infinity};
            int slot = -1;
            int hired = -1;
            least[0] = state_.cost_of(trip, -1);
            for (std::size_t h = 0; h < hired_.size(); ++h) {
                const VehicleType& type = instance_.vehicle_type(hired_[h]);
                if (!trip.fits(type.load_limit) || !state_.is_free(hired_[h])) continue;
                const double change = trip.cost(type.tariff().hired());
                if (change < least[0]) {
                    least[0] = change;
                    hired = static_cast<int>(h);
                }
            }
            for (std::size_t s = 0; s < places_[c].size(); ++s) {
                const double change = places_[c][s].change;
                if (change >= least[2]) continue;
                if (change < least[0]) {
                    least[2] = least[1];
                    least[1] = least[0];
                    least[0] = change;
                    slot = static_cast<int>(s);
                } else if (change < least[1]) {
                    least[2] = least[1];
                    least[1] = change;
                } else {
                    least[2] = change;
                }
            }
            if (least[0] == infinity) continue;
            double key = -least[0];
            if (kind != Repair::greedy) {
                key = std::min(least[1], absent_cost_) - least[0];
                if (kind == Repair::regret3) key += std::min(least[2], absent_cost_) - least[0];
            }
            if (key > best_key) {
                best_key = key;
                best_c = c;
                best_slot = slot;
                best_hired = slot < 0 ? hired : -1;
            }
        }
        if (best_key == -infinity) break;  // nobody fits anywhere: a limited fleet is full
        const int customer = absent_[best_c];
        int slot = best_slot;
        if (slot >= 0 && instance_.has_limited_fleet()) {
            // The vehicle that this place counted on may have been taken meanwhile.
            const Place now = best_place(customer, slot);
            const bool is_stale = now.change > places_[best_c][at(slot)].change;
            places_[best_c][at(slot)] = now;
            if (is_stale) continue;
        }
        if (slot >= 0) {
            state_.insert(slot, places_[best_c][at(slot)].position, customer, keeps_types_);
        } else {
            slot = state_.empty_slot();
            if (best_hired >= 0) {
                state_.open(slot, hired_[at(best_hired)], customer);
                hired_.erase(hired_.begin() + best_hired);
            } else {
                state_.insert(slot, 1, customer, keeps_types_);
            }
        }
        std::swap(absent_[best_c], absent_.back());
        std::swap(places_[best_c], places_[absent_.size() - 1]);
        absent_.pop_back();
        for (std::size_t c = 0; c < absent_.size(); ++c) {
            if (places_[c].size() <= at(slot)) places_[c].resize(at(slot) + 1);
            places_[c][at(slot)] = best_place(absent_[c], slot);
        }
    }
    absent_.clear();
}

}  // namespace fripn::baselines
