// Greedy insertion with blinks into timed routes: absent customers return, each where it adds the least cost.
//
// A place is checked in O(1): when the stretch before it can be left, and when the stretch behind it must be reached.
// Reference: J. Christiaens and G. Vanden Berghe, Transportation Science 54 (2020), doi 10.1287/trsc.2019.0914.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/recreate.h"
#include "timed/timed_state.h"

namespace fripn::timed {

// A vehicle of its own for one customer.
struct Trip {
    double cost = infinity;   // infinite when the type cannot serve the customer alone
    int type = -1;
    int choice = 0;           // of the window
};

// The trips of every customer with every type.
class Trips {
public:
    explicit Trips(const Model& model);

    [[nodiscard]] const Trip& with_type(int customer, int type) const { return by_type_[index(customer, type)]; }
    // All types, the cheapest first; those that cannot serve the customer last.
    [[nodiscard]] const Trip* cheapest_first(int customer) const { return &by_cost_[index(customer, 0)]; }

private:
    [[nodiscard]] std::size_t index(int customer, int type) const {
        return static_cast<std::size_t>(customer) * num_types_ + static_cast<std::size_t>(type);
    }

    const std::size_t num_types_;
    std::vector<Trip> by_type_;
    std::vector<Trip> by_cost_;
};

class TimedRecreate {
public:
    TimedRecreate(const Model& model, const search::Neighbours& neighbours, const search::RecreateSettings& settings);

    // Insert `customers` (absent ones) in an order of chance; those that fit nowhere stay absent and
    // are left in `customers`. False when the state must be rolled back: a route became one that no vehicle can drive, or all
    // of them have no places that keep the cost below `limit`, unless that is infinite.
    bool operator()(TimedState& state, std::vector<int>& customers, Rng& rng, bool keeps_types, double limit = infinity);

    [[nodiscard]] const Trips& trips() const { return trips_; }

    // Vehicles hired in advance for the next call: routes opened with them count no fixed cost.
    std::vector<int> hired;

private:
    struct Place {
        double key = infinity;     // change of the cost with the present type
        double distance = 0.0;     // of the whole route
        double duration = 0.0;
        int position = 0;
        int choice = 0;
    };
    struct Choice {
        double change = infinity;
        int slot = -1;   // -1: a new route
        int position = 0;
        int window = 0;
        int type = -1;   // of a new route
        int hired = -1;  // index into `hired` for a new route with a vehicle hired in advance
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void sort(std::vector<int>& customers, Rng& rng);
    // The cheapest place of a route, its key below `bound`, where some are left out by chance; an infinite key for none.
    [[nodiscard]] Place best_place(const TimedRoute& route, int customer, double bound, Rng& rng);
    // Whether a place is left out: one in so many, by chance.
    bool blinks(Rng& rng);
    void consider(const TimedState& state, int customer, int slot, Rng& rng, Choice& best);
    // 1: done, 0: there is no place, -1: see above.
    int insert(TimedState& state, int customer, Rng& rng, double limit);

    const Model& model_;
    const search::Neighbours& neighbours_;
    const search::RecreateSettings settings_;
    const int num_neighbours_;
    const Trips trips_;
    bool has_windows_ = false;
    bool keeps_types_ = false;
    std::vector<std::uint32_t> seen_;
    std::uint32_t stamp_ = 0;
    std::vector<std::pair<double, int>> keys_;
    int until_blink_ = 0;
};

}  // namespace fripn::timed
