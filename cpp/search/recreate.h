// Greedy insertion with blinks: absent customers return, each where it adds the least cost.
//
// The cost of an insertion is the change of the route's cost with its best type, so a route changes to
// a larger vehicle, or a new one is hired, exactly when that is the cheapest way.
// Reference: J. Christiaens and G. Vanden Berghe, "Slack induction by string removals for vehicle
// routing problems", Transportation Science 54 (2020), doi 10.1287/trsc.2019.0914.
#pragma once

#include <cstdint>
#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/search_state.h"

namespace fripn::search {

struct RecreateSettings {
    double blink_rate = 0.01;
    // Up to this many routes all are tried; beyond, those of the nearest customers.
    int max_routes_to_scan = 40;
    int num_neighbours = 50;
};

template <Measure M>
class Recreate {
public:
    Recreate(const Instance& instance, const Neighbours& neighbours, const RecreateSettings& settings);

    // Insert `customers` (absent ones) in an order of chance; those that fit nowhere stay absent and
    // are left in `customers`.
    void operator()(SearchState<M>& state, std::vector<int>& customers, Rng& rng, bool keeps_types);

    // Vehicles hired in advance for the next call: routes opened with them count no fixed cost.
    std::vector<int> hired;

private:
    static constexpr bool uses_detours = M::shortcuts.adds_changes && M::shortcuts.places_by_detour;

    // The two best places of a customer in a route, valid while the route's version lasts.
    struct Places {
        std::uint64_t version = 0;
        int slot = -1;
        int position[2] = {0, 0};
        double detour[2] = {0.0, 0.0};
    };
    struct Choice {
        double change = infinity;
        int slot = -1;   // -1: a new route
        int position = 1;
        int hired = -1;  // index into `hired` for a new route with a vehicle hired in advance
    };

    void sort(std::vector<int>& customers, Rng& rng);
    const Places& places(const SearchState<M>& state, int customer, int slot);
    void find_places(const SearchRoute<M>& route, int customer, Places& found) const;
    // What the customer would change at its best place in the route, or at its second best (`which` 1).
    [[nodiscard]] Choice choice_by_joining(const SearchState<M>& state, int customer, int slot, int which) const;
    void consider(const SearchState<M>& state, int customer, int slot, Rng& rng, Choice& best);
    bool insert(SearchState<M>& state, int customer, Rng& rng);
    bool keeps_types_ = false;

    const Instance& instance_;
    const Neighbours& neighbours_;
    const RecreateSettings settings_;
    static constexpr std::size_t places_per_customer = 64;
    std::vector<Places> cache_;   // customer × (slot modulo places_per_customer)
    std::vector<std::uint32_t> seen_;
    std::uint32_t stamp_ = 0;
    std::vector<std::pair<double, int>> keys_;
    int until_blink_ = 0;
};

}  // namespace fripn::search
