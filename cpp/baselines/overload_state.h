// Routes that may carry too much for a price: the ground of tabu search and of its local search.
//
// A route drives the type with the least fixed cost + travel cost + penalty × overload. Sums along each
// route make the cost of exchanging any two pieces a matter of a few additions.
#pragma once

#include <vector>

#include "../cost.h"
#include "../instance.h"
#include "../search/plan.h"

namespace fripn::baselines {

struct OverloadRoute {
    std::vector<int> stops{0, 0};           // depot, customers, depot
    std::vector<double> way{0.0, 0.0};      // way[p]: distance from the depot to stops[p] along the route
    std::vector<double> back{0.0, 0.0};     // back[p]: the same stretch driven backwards
    std::vector<double> carried{0.0, 0.0};  // carried[p]: demand of stops[0 … p]
    double cost = 0.0;                      // penalty included
    double overload = 0.0;
    int type = -1;                          // -1 while empty

    [[nodiscard]] int last() const { return static_cast<int>(stops.size()) - 1; }
    [[nodiscard]] bool is_empty() const { return stops.size() == 2; }
    [[nodiscard]] double load() const { return carried.back(); }
    [[nodiscard]] double distance() const { return way.back(); }
};

class OverloadState {
public:
    explicit OverloadState(const Instance& instance);

    void load(const Plan& plan);
    [[nodiscard]] Plan unload() const;

    [[nodiscard]] const Instance& instance() const { return instance_; }
    [[nodiscard]] int num_slots() const { return static_cast<int>(routes_.size()); }
    [[nodiscard]] const OverloadRoute& route(int slot) const { return routes_[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] int slot_of(int customer) const { return slot_of_[static_cast<std::size_t>(customer)]; }
    [[nodiscard]] int position_of(int customer) const { return position_of_[static_cast<std::size_t>(customer)]; }
    [[nodiscard]] double cost() const { return cost_; }
    [[nodiscard]] bool is_feasible() const { return num_overloaded_ == 0; }
    [[nodiscard]] double penalty() const { return penalty_; }
    void set_penalty(double penalty);

    // An empty slot, made when there is none.
    int empty_slot();

    // Change of cost when stops first … first + count - 1 of one route trade places with those of another.
    // Counts may be 0: then the piece of the other route goes before `first`.
    [[nodiscard]] double exchange_change(int slot_a, int first_a, int count_a, int slot_b, int first_b,
                                         int count_b) const;
    // False, and nothing changed, when both routes had counted on the last vehicle of a limited type.
    bool exchange(int slot_a, int first_a, int count_a, int slot_b, int first_b, int count_b);

    // Change of cost when a customer moves within its route to stand before position `to`.
    [[nodiscard]] double shift_change(int slot, int from, int to) const;
    void shift(int slot, int from, int to);

    // Change of cost when stops first … last of a route are driven in the opposite order.
    [[nodiscard]] double reverse_change(int slot, int first, int last) const;
    void reverse(int slot, int first, int last);

private:
    struct Choice {
        int type = -1;
        double cost = infinity;
        double overload = 0.0;
    };

    // Cheapest type among the free ones and the `current` one; with an infinite penalty only types that fit.
    [[nodiscard]] Choice choose(double load, double distance, int current) const;
    [[nodiscard]] double changed_distance(const OverloadRoute& route, int first, int count, const OverloadRoute& other,
                                          int other_first, int other_count) const;
    [[nodiscard]] bool can_exchange(int slot_a, int first_a, int count_a, int slot_b, int first_b, int count_b);
    void release(OverloadRoute& route);
    void settle(int slot);
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    const Instance& instance_;
    std::vector<OverloadRoute> routes_;
    std::vector<int> slot_of_;
    std::vector<int> position_of_;
    std::vector<int> used_;
    double cost_ = 0.0;
    double penalty_ = infinity;
    int num_overloaded_ = 0;
};

}  // namespace fripn::baselines
