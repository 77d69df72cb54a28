// The mutable twin of a plan: routes that ruin and recreate change in place, with undo.
//
// `load` and `unload` are the only doors to immutable plans. Between `begin` and `commit` or `rollback`
// every route that changes is saved once, so undoing costs what the change cost.
#pragma once

#include <cstdint>
#include <vector>

#include "cost.h"
#include "instance.h"
#include "search/plan.h"

namespace fripn::search {

template <Measure M>
struct SearchRoute {
    std::vector<int> stops{0, 0};             // depot, customers, depot
    std::vector<typename M::Arc> arcs{{}};    // arcs[i]: from stops[i] to stops[i + 1]
    M measure;
    double cost = 0.0;
    int type = -1;                    // -1 while empty
    std::uint64_t version = 0;        // changes with the route; equal versions, equal content

    [[nodiscard]] int num_customers() const { return static_cast<int>(stops.size()) - 2; }
    [[nodiscard]] bool is_empty() const { return stops.size() == 2; }
};

template <Measure M>
class SearchState {
public:
    SearchState(const Instance& instance, const FleetCost& fleet);

    // Customers that the plan leaves out become absent.
    void load(const Plan& plan);
    [[nodiscard]] Plan unload() const { return unload(routes_); }
    [[nodiscard]] Plan unload_best() const { return unload(best_routes_); }

    [[nodiscard]] const Instance& instance() const { return instance_; }
    [[nodiscard]] const FleetCost& fleet() const { return fleet_; }
    [[nodiscard]] int num_slots() const { return static_cast<int>(routes_.size()); }
    [[nodiscard]] const SearchRoute<M>& route(int slot) const { return routes_[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] int slot_of(int customer) const { return slot_of_[static_cast<std::size_t>(customer)]; }
    [[nodiscard]] int position_of(int customer) const { return position_of_[static_cast<std::size_t>(customer)]; }
    [[nodiscard]] bool is_absent(int customer) const { return slot_of(customer) < 0; }
    [[nodiscard]] int num_routes() const { return num_routes_; }
    [[nodiscard]] int num_served() const { return num_served_; }
    [[nodiscard]] double cost() const { return cost_; }
    [[nodiscard]] double best_cost() const { return best_cost_; }

    // Cheapest type for a route, given the vehicles that are free and the one (`current`, or -1) that the route would
    // give back.
    [[nodiscard]] TypeChoice choose(const M& route, int current) const {
        return is_limited_ ? choose_limited(route, current) : fleet_.choose(route);
    }
    [[nodiscard]] double cost_of(const M& route, int current) const {
        return is_limited_ ? choose_limited(route, current).cost : fleet_.cost(route);
    }
    // The same for a non-empty route that becomes `changed`; with `keeps_type` in its present vehicle while that will do.
    [[nodiscard]] double cost_with(const SearchRoute<M>& route, const M& changed, bool keeps_type) const {
        if (keeps_type) {
            const VehicleType& type = instance_.vehicle_type(route.type);
            if (changed.fits(M::limit(type))) return changed.cost(type.tariff());
        }
        return cost_of(changed, route.type);
    }

    [[nodiscard]] bool is_free(int type) const { return instance_.vehicle_type(type).has_left(used_[at(type)]); }

    // An empty slot, made when there is none.
    int empty_slot();

    void begin() { touched_.clear(); }
    void erase(int slot, int position, int count);   // leaves the route's figures stale until `refresh`
    // With `keeps_type` the vehicle stays although a cheaper one would do now: room in it costs nothing.
    void refresh(int slot, bool keeps_type = false);
    void insert(int slot, int position, int customer, bool keeps_type = false);
    // The first customer of a new route whose vehicle type is given (it must be free and large enough).
    void open(int slot, int type, int customer);
    // Give every touched route its best type.
    void settle_types();
    void commit();
    void rollback();

    // Keep the present plan as the best (only what changed since the last call is copied).
    void keep_as_best();
    // Return to the best plan kept.
    void restore_best();
    [[nodiscard]] const std::vector<int>& touched() const { return touched_; }

    // Sum of the routes' costs again from scratch: running totals drift.
    void recount();
    // Everything derived compared with a recomputation; throws std::logic_error on the first difference.
    void check() const;

private:
    void touch(int slot);
    void place(int slot, int first_position);
    void measure(SearchRoute<M>& route) const;
    void assign_type(SearchRoute<M>& route, bool keeps_type);
    [[nodiscard]] TypeChoice choose_limited(M route, int current) const;
    [[nodiscard]] Plan unload(const std::vector<SearchRoute<M>>& routes) const;
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    const Instance& instance_;
    const FleetCost& fleet_;
    const bool is_limited_;
    std::vector<SearchRoute<M>> routes_;
    std::vector<int> slot_of_;
    std::vector<int> position_of_;
    std::vector<int> used_;               // vehicles in use per type
    std::vector<SearchRoute<M>> best_routes_;
    std::vector<char> is_dirty_;          // slot differs from best_routes_
    std::vector<int> dirty_;
    std::vector<int> touched_;
    std::vector<std::uint32_t> touch_stamp_;
    std::uint32_t stamp_ = 0;
    std::vector<SearchRoute<M>> saved_;      // saved_[i]: routes_[touched_[i]] as it was
    std::uint64_t next_version_ = 1;
    int num_routes_ = 0;
    int num_served_ = 0;
    double cost_ = 0.0;
    double best_cost_ = infinity;
};

}  // namespace fripn::search
