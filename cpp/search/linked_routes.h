// The mutable twin of a plan for local search: routes as linked lists, with the measures of their segments.
//
// Nodes 1 … n are the customers; every route has a start and an end node that stand for the depot.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "instance.h"
#include "measure.h"
#include "search/plan.h"
#include "search/route_price.h"

namespace fripn::search {

// The customers between two nodes of a route; none when the nodes are neighbours.
struct Piece {
    int before;
    int after;
};

// A move: two pieces, of one route or of two, change places; with `is_reversed` both are then driven backwards.
struct Exchange {
    Piece first;
    Piece second;
    bool is_reversed = false;
};

template <Measure M>
class LinkedRoutes {
public:
    LinkedRoutes(const Instance& instance, const RoutePrice<M>& price);

    // The plan may overload vehicles, and exceed the limits of the fleet (routes beyond them share what is left).
    void load(const Plan& plan, long now = 0);
    // Non-empty routes with their types; the cost is without penalties. Types are the cheapest that fit.
    [[nodiscard]] Plan unload() const;

    [[nodiscard]] int num_customers() const { return num_customers_; }
    [[nodiscard]] int num_routes() const { return static_cast<int>(routes_.size()); }

    [[nodiscard]] int next(int node) const { return nodes_[at(node)].next; }
    [[nodiscard]] int previous(int node) const { return nodes_[at(node)].previous; }
    [[nodiscard]] int route_of(int node) const { return nodes_[at(node)].route; }
    [[nodiscard]] int position(int node) const { return nodes_[at(node)].position; }
    [[nodiscard]] bool is_depot(int node) const { return node > num_customers_; }
    [[nodiscard]] int start_of(int route) const { return num_customers_ + 1 + 2 * route; }
    [[nodiscard]] int end_of(int route) const { return num_customers_ + 2 + 2 * route; }
    [[nodiscard]] int stop(int node) const { return is_depot(node) ? 0 : node; }

    [[nodiscard]] double demand(int node) const { return instance_.demand(stop(node)); }
    [[nodiscard]] double distance(int from, int to) const {
        if (matrix_ != nullptr) return matrix_[at(stop(from)) * stride_ + at(stop(to))];
        return instance_.distance(stop(from), stop(to));
    }

    // From the start of the route up to and including the node, and the same stretch driven backwards.
    [[nodiscard]] const M& prefix(int node) const { return nodes_[at(node)].prefix; }
    [[nodiscard]] const M& reversed_prefix(int node) const { return nodes_[at(node)].reversed_prefix; }
    // From the node to the end of its route.
    [[nodiscard]] M suffix(int node) const {
        if constexpr (M::shortcuts.adds_changes) {
            const M& whole = nodes_[at(end_of(route_of(node)))].prefix;
            return whole.changed(demand(node) - prefix(node).load, -prefix(node).distance);
        } else {
            return nodes_[at(node)].suffix;
        }
    }
    // From a node to a later one of its route, forwards or backwards (then from `last` to `first`).
    [[nodiscard]] M between(int first, int last, bool is_reversed = false) const {
        if constexpr (M::shortcuts.adds_changes) {
            const double distance = is_reversed ? reversed_prefix(last).distance - reversed_prefix(first).distance
                                                : prefix(last).distance - prefix(first).distance;
            return M::of(demand(first)).changed(prefix(last).load - prefix(first).load, distance);
        } else {
            const int from = is_reversed ? last : first;
            const int to = is_reversed ? first : last;
            M measure = M::of(visit(from));
            for (int node = from; node != to;) {
                const int after = is_reversed ? previous(node) : next(node);
                measure = measure.extended(arc(node, after), visit(after));
                node = after;
            }
            return measure;
        }
    }

    [[nodiscard]] const M& measure_of(int route) const { return routes_[at(route)].measure; }
    [[nodiscard]] double load_of(int route) const { return measure_of(route).load; }
    [[nodiscard]] double distance_of(int route) const { return measure_of(route).distance; }
    [[nodiscard]] double price_of(int route) const { return routes_[at(route)].price; }
    [[nodiscard]] int type_of(int route) const { return routes_[at(route)].type; }
    [[nodiscard]] int size_of(int route) const { return routes_[at(route)].size; }
    [[nodiscard]] bool is_empty(int route) const { return routes_[at(route)].size == 0; }
    // The first empty route, `num_routes()` when there is none.
    [[nodiscard]] int first_empty() {
        while (first_empty_ < num_routes() && !is_empty(first_empty_)) ++first_empty_;
        return first_empty_;
    }
    [[nodiscard]] long changed_at(int route) const { return routes_[at(route)].changed_at; }
    [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }
    [[nodiscard]] const RoutePrice<M>& price() const { return price_; }
    [[nodiscard]] const Instance& instance() const { return instance_; }

    // Change of a route's price for a change of its load and distance.
    [[nodiscard]] double price_change(int route, double load_change, double distance_change, bool empties = false) const
        requires(M::shortcuts.adds_changes)
    {
        const Route& r = routes_[at(route)];
        if (empties) return -r.price;
        return price_(r.type, r.measure.changed(load_change, distance_change)) - r.price;
    }

    // The same for a move within one route: a distance that gets no shorter cannot pay.
    [[nodiscard]] double inner_change(int route, double distance_change) const requires(M::shortcuts.adds_changes) {
        if constexpr (M::shortcuts.bounds_by_distance)
            if (distance_change >= 0) return infinity;
        return price_change(route, 0.0, distance_change);
    }

    // Change when a load arrives in a route whose own route changes by `departure`. Infinity, without asking for
    // a price, when what must be paid for the longer distance alone eats up the gain.
    [[nodiscard]] double arrival_change(int route, double load, double distance_change, double departure) const
        requires(M::shortcuts.adds_changes)
    {
        if constexpr (M::shortcuts.bounds_by_distance)
            if (distance_change >= 0 && departure + price_.least_unit_cost() * distance_change >= 0) return infinity;
        return departure + price_change(route, load, distance_change);
    }

    // Both changes of a move between two routes: `load` goes from `first` to `second`. Infinity, without
    // asking for prices, when the distance gets no cheaper with the present types and too little load
    // moves for a smaller vehicle: exact but for types that change with the distance alone.
    [[nodiscard]] double pair_change(int first, int second, double load, double first_distance, double second_distance,
                                     bool empties_first = false, bool empties_second = false) const
        requires(M::shortcuts.adds_changes)
    {
        if constexpr (M::shortcuts.bounds_by_distance) {
            const Route& a = routes_[at(first)];
            const Route& b = routes_[at(second)];
            if (!empties_first && !empties_second && b.size > 0 &&
                a.unit_cost * first_distance + b.unit_cost * second_distance >= 0 &&
                std::abs(load) < (load > 0 ? a.relief : b.relief))
                return infinity;
        }
        return price_change(first, -load, first_distance, empties_first) +
               price_change(second, load, second_distance, empties_second);
    }

    // Change of the total price by a move, from joined segments: for any measure, without shortcuts.
    [[nodiscard]] double exchange_change(const Exchange& move) const;
    // The same when a piece is driven backwards where it is.
    [[nodiscard]] double reversal_change(const Piece& piece) const;

    // Sum of all prices from scratch.
    [[nodiscard]] double total_price() const;

    // Change the links; the routes need `update` afterwards.
    void exchange(const Exchange& move);
    void reverse(const Piece& piece);
    void link(int first, int second) {
        nodes_[at(first)].next = second;
        nodes_[at(second)].previous = first;
    }
    void unlink(int node) { link(previous(node), next(node)); }
    void put_after(int node, int where) {
        const int after = next(where);
        link(where, node);
        link(node, after);
    }
    // Measures of a route again, after its links have changed.
    void update(int route, long now);
    // Limited fleets: vehicles change routes in pairs (one may be empty) where that lowers the price by more than
    // `min_gain`. True when some did; `now` counts the changes.
    bool exchange_types(double min_gain, long& now);
    // Add an empty route where there is none; with a limited fleet one of each type that has vehicles left.
    void add_spares(long now);

private:
    struct None {};
    struct Node {
        int next;
        int previous;
        int route;
        int position;
        M prefix;
        M reversed_prefix;
        // A difference of prefixes where changes add up.
        [[no_unique_address]] std::conditional_t<M::shortcuts.adds_changes, None, M> suffix;
    };
    struct Route {
        M measure;
        double price;
        double unit_cost;   // of the type behind the price
        double relief;      // see RoutePrice
        int type;
        int size;
        long changed_at;
    };
    // Segments driven one after the other, beginning with the start of a route.
    struct Chain {
        M measure;
        int last;
    };
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] typename M::Arc arc(int from, int to) const {
        // Where an arc is its distance, the matrix is at hand.
        if constexpr (std::is_same_v<typename M::Arc, double>) return distance(from, to);
        else return M::arc(instance_, stop(from), stop(to));
    }
    [[nodiscard]] typename M::Visit visit(int node) const { return M::visit(instance_, stop(node)); }
    [[nodiscard]] Chain chain_to(int node) const { return {prefix(node), node}; }
    void drive(Chain& chain, int first, int last, bool is_reversed) const;
    void drive(Chain& chain, const Piece& piece, bool is_reversed) const;
    [[nodiscard]] M finish(const Chain& chain, int node) const;
    [[nodiscard]] double replacement_change(const Piece& out, const Piece& in, bool is_reversed) const;
    void flip(int first, int last);
    [[nodiscard]] bool is_free(int type) const { return instance_.vehicle_type(type).has_left(used_[at(type)]); }
    void add_routes(int count, int type);
    void set_type(int route, int type, long now);
    void load_unlimited(const Plan& plan);
    void load_limited(const Plan& plan);
    void set_price(Route& route);
    void fill(int route, const std::vector<int>& customers);

    const Instance& instance_;
    const RoutePrice<M>& price_;
    const int num_customers_;
    const double* const matrix_;   // null when distances are computed on the fly
    const std::size_t stride_;
    const bool is_symmetric_;
    std::vector<Node> nodes_;
    std::vector<Route> routes_;
    std::vector<int> used_;   // limited fleets: routes of each type, empty ones included
    int first_empty_ = 0;     // or earlier
};

}  // namespace fripn::search
