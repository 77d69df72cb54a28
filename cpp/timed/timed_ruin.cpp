#include "timed/timed_ruin.h"

#include <algorithm>
#include <cmath>

namespace fripn::timed {

namespace {

// Share of the ruins that also take routes whose vehicle may not serve the first customer: its neighbours there can seldom
// change places with it. Measured, see docs/experiments.md.
constexpr double foreign_rate = 0.2;
// Share of the usual rate of whole routes where vehicles have no fixed costs.
constexpr double free_vehicles_rate = 0.25;

}  // namespace

TimedRuin::TimedRuin(const Model& model, const search::Neighbours& neighbours, const search::RuinSettings& settings)
    : model_(model), neighbours_(neighbours), settings_(settings) {
    // Whole routes leave so that other vehicles can take their place, which saves less where these cost nothing.
    if (!model.has_fixed_costs()) settings_.whole_route_rate *= free_vehicles_rate;
}

void TimedRuin::take(TimedState& state, int slot, int position, int count, std::vector<int>& removed) {
    const auto& customers = state.route(slot).customers;
    removed.insert(removed.end(), customers.begin() + position, customers.begin() + position + count);
    state.erase(slot, position, count);
}

bool TimedRuin::operator()(TimedState& state, std::vector<int>& removed, Rng& rng, bool keeps_types) {
    ruined_.clear();
    if (rng.uniform() < settings_.whole_route_rate)
        whole_routes(state, removed, rng);
    else
        strings(state, removed, rng);
    bool is_sound = true;
    for (const int slot : ruined_) is_sound = state.refresh(slot, keeps_types) && is_sound;
    return is_sound;
}

void TimedRuin::strings(TimedState& state, std::vector<int>& removed, Rng& rng) {
    const double mean_length = static_cast<double>(state.num_served()) / std::max(1, state.num_routes());
    // Equations 5 to 7 of the reference: lengths and number of strings.
    const double longest = std::max(1.0, std::min<double>(settings_.max_string, mean_length));
    const double most = std::max(1.0, 4.0 * settings_.mean_removed / (1.0 + longest) - 1.0);
    const int num_strings = static_cast<int>(rng.uniform() * most + 1.0);
    const int seed = 1 + static_cast<int>(rng.below(static_cast<std::size_t>(model_.num_customers())));

    const bool skips_foreign = model_.has_limited_access() && rng.uniform() >= foreign_rate;
    const auto ruin_at = [&](int customer) {
        const int slot = state.slot_of(customer);
        if (slot < 0 || std::find(ruined_.begin(), ruined_.end(), slot) != ruined_.end()) return;
        if (skips_foreign && (model_.cargo(seed).groups & model_.type(state.route(slot).type).group) == 0) return;
        ruined_.push_back(slot);
        const int size = state.route(slot).size();
        const double limit = std::min<double>(size, longest);
        const int length = static_cast<int>(rng.uniform() * limit + 1.0);
        const int position = state.position_of(customer);
        int kept = 0;
        if (length > 1 && length < size && rng.uniform() < settings_.split_rate) {
            kept = 1;
            while (length + kept < size && rng.uniform() < settings_.split_growth) ++kept;
        }
        // A window of the route that contains the customer, drawn uniformly; `kept` of it stay.
        const int window = length + kept;
        const int earliest = std::max(0, position - window + 1);
        const int latest = std::min(position, size - window);
        const int start = earliest + static_cast<int>(rng.below(static_cast<std::size_t>(latest - earliest + 1)));
        if (kept == 0) {
            take(state, slot, start, length, removed);
            return;
        }
        const int before = 1 + static_cast<int>(rng.below(static_cast<std::size_t>(length - 1)));
        take(state, slot, start + before + kept, length - before, removed);
        take(state, slot, start, before, removed);
    };

    ruin_at(seed);
    for (const int* c = neighbours_.begin(seed); c != neighbours_.end(seed); ++c) {
        if (static_cast<int>(ruined_.size()) >= num_strings) break;
        ruin_at(*c);
    }
}

void TimedRuin::whole_routes(TimedState& state, std::vector<int>& removed, Rng& rng) {
    const int seed = 1 + static_cast<int>(rng.below(static_cast<std::size_t>(model_.num_customers())));
    const std::size_t num_routes = 1 + rng.below(3);
    const auto max_removed = static_cast<std::size_t>(4.0 * settings_.mean_removed);
    const auto ruin_at = [&](int customer) {
        const int slot = state.slot_of(customer);
        if (slot < 0) return;
        const int size = state.route(slot).size();
        if (!ruined_.empty() && removed.size() + static_cast<std::size_t>(size) > max_removed) return;
        ruined_.push_back(slot);
        take(state, slot, 0, size, removed);
    };
    ruin_at(seed);
    for (const int* c = neighbours_.begin(seed); c != neighbours_.end(seed) && ruined_.size() < num_routes; ++c)
        ruin_at(*c);
}

}  // namespace fripn::timed
