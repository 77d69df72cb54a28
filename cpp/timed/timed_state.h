// The mutable twin of a plan for ruin and recreate: feasible timed routes that change in place, with undo.
//
// Between `begin` and `commit` or `rollback` every route that changes is saved once, so undoing costs what the change cost.
#pragma once

#include <cstdint>
#include <vector>

#include "prefetch.h"
#include "rng.h"
#include "timed/model.h"

namespace fripn::timed {

// What decides whether a stop fits between two others, in one place of memory.
struct Gap {
    double ready;      // when the vehicle can leave the stop before
    double latest;     // when it must be at the stop behind
    double distance;   // between the two
    int before;        // node
    int behind;        // node; the depot also where the route is open
};

struct TimedRoute {
    std::vector<int> customers;
    std::vector<int> choices;         // window of each customer; empty where no customer has several
    std::vector<Stretch> head;        // head[p]: from the depot over the first p customers, in the frame of the type
    std::vector<Stretch> tail;        // tail[p]: from customer p to the end
    std::vector<Gap> gaps;            // gaps[p]: before customer p; the last one is at the end
    Stretch whole;
    Cargo cargo;
    double cost = 0.0;
    int type = -1;                    // -1 while empty

    [[nodiscard]] int size() const { return static_cast<int>(customers.size()); }
    [[nodiscard]] bool is_empty() const { return customers.empty(); }
};

// What decides whether a customer may join a route at all, in one cache line.
struct alignas(cache_line) RouteSummary {
    std::uint64_t groups = 0;    // of types of the frame that may serve all customers; none while the route is empty
    std::uint64_t group = 0;     // of the present type
    double load = 0.0;           // in the first dimension
    double largest = 0.0;        // the most of it that a type of the frame holds
    // With at most this load a customer that joins costs its detour, if the type stays: the type keeps what the frame keeps.
    double kept_load = -infinity;
    int frame = 0;
};

class TimedState {
public:
    explicit TimedState(const Model& model);

    // The routes must be feasible; customers that the plan leaves out become absent.
    void load(const Plan& plan);
    [[nodiscard]] Plan unload() const { return unload(routes_); }
    [[nodiscard]] Plan unload_best() const { return unload(best_routes_); }

    [[nodiscard]] const Model& model() const { return model_; }
    [[nodiscard]] int num_slots() const { return static_cast<int>(routes_.size()); }
    [[nodiscard]] const TimedRoute& route(int slot) const { return routes_[at(slot)]; }
    [[nodiscard]] const RouteSummary& summary(int slot) const { return summaries_[at(slot)]; }
    [[nodiscard]] int slot_of(int customer) const { return slot_of_[at(customer)]; }
    [[nodiscard]] int position_of(int customer) const { return position_of_[at(customer)]; }
    [[nodiscard]] bool is_absent(int customer) const { return slot_of(customer) < 0; }
    [[nodiscard]] int num_routes() const { return num_routes_; }
    [[nodiscard]] int num_served() const { return num_served_; }
    [[nodiscard]] double cost() const { return cost_; }
    [[nodiscard]] double best_cost() const { return best_cost_; }
    [[nodiscard]] const std::vector<int>& touched() const { return touched_; }

    [[nodiscard]] bool is_free(int type) const {
        return model_.instance().vehicle_type(type).has_left(used_[at(type)]);
    }
    // Groups of access of the types of a frame that have a free vehicle.
    [[nodiscard]] std::uint64_t free_groups(int frame) const { return free_groups_[at(frame)]; }
    // The cheapest type of a frame that is free, or is the one (`current`, or -1) that the route would give back.
    [[nodiscard]] TypeChoice choose(const Frame& frame, const Cargo& cargo, double distance, double duration, int current) const;

    // An empty slot, made when there is none.
    int empty_slot();

    void begin() { touched_.clear(); }
    void erase(int slot, int position, int count);   // leaves the route's figures stale until `refresh`
    // With `keeps_type` the vehicle stays although a cheaper one would do now. False when no vehicle that is free can
    // drive the route any more, which may happen where a detour takes less time than the direct way.
    bool refresh(int slot, bool keeps_type);
    bool insert(int slot, int position, int customer, int choice, bool keeps_type);
    // The first customer of a new route whose vehicle type is given.
    void open(int slot, int type, int customer, int choice);
    // Give every touched route its best type, of all frames. Touched routes of a limited fleet exchange vehicles where that
    // costs no more, at random where it costs the same: so vehicles that can do much come free.
    void settle_types(Rng& rng);
    void commit();
    void rollback();

    // Keep the present plan as the best (only what changed since the last call is copied).
    void keep_as_best();
    // Sum of the routes' costs again from scratch: running totals drift.
    void recount();
    // Everything derived compared with a recomputation; throws std::logic_error on the first difference.
    void check() const;

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void touch(int slot);
    void place(int slot, int first_position);
    // Measure a route again that changed at `first` and behind it, up to `unchanged` customers before its end.
    void measure(TimedRoute& route, int first = 0, int unchanged = 0) const;
    // Count a measured route's cost and give it a vehicle; as `refresh`.
    bool settle(int slot, bool keeps_type);
    void summarise(int slot);
    void exchange_vehicles(TimedRoute& first, TimedRoute& second, Rng& rng);
    // Count a vehicle more or less of a type.
    void use(int type, int more);
    void find_free_groups(int frame);
    void give_back(TimedRoute& route);
    void take(TimedRoute& route, int type, double cost);
    [[nodiscard]] Plan unload(const std::vector<TimedRoute>& routes) const;

    const Model& model_;
    std::vector<TimedRoute> routes_;
    std::vector<RouteSummary> summaries_;
    std::vector<int> slot_of_;
    std::vector<int> position_of_;
    std::vector<int> used_;               // vehicles in use per type
    std::vector<std::uint64_t> free_groups_;   // per frame
    std::vector<TimedRoute> best_routes_;
    std::vector<char> is_dirty_;          // slot differs from best_routes_
    std::vector<int> dirty_;
    std::vector<int> touched_;
    std::vector<std::uint32_t> touch_stamp_;
    std::uint32_t stamp_ = 0;
    std::vector<TimedRoute> saved_;       // saved_[i]: routes_[touched_[i]] as it was
    int num_routes_ = 0;
    int num_served_ = 0;
    double cost_ = 0.0;
    double best_cost_ = infinity;
};

}  // namespace fripn::timed
