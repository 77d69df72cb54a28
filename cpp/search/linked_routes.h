// The mutable twin of a plan for local search: routes as linked lists with running sums.
//
// Nodes 1 … n are the customers; every route has a start and an end node that stand for the depot.
#pragma once

#include <cmath>
#include <vector>

#include "../instance.h"
#include "plan.h"
#include "route_price.h"

namespace fripn {

class LinkedRoutes {
public:
    LinkedRoutes(const Instance& instance, const RoutePrice& price);

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
    // Load from the start of the route up to and including the node.
    [[nodiscard]] double load_to(int node) const { return nodes_[at(node)].load_to; }
    // Way driven from the start to the node, and what the same stretch is when driven backwards.
    [[nodiscard]] double distance_to(int node) const { return nodes_[at(node)].distance_to; }
    [[nodiscard]] double reversed_to(int node) const { return nodes_[at(node)].reversed_to; }

    [[nodiscard]] double load_of(int route) const { return routes_[at(route)].load; }
    [[nodiscard]] double distance_of(int route) const { return routes_[at(route)].distance; }
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
    [[nodiscard]] const RoutePrice& price() const { return price_; }
    [[nodiscard]] const Instance& instance() const { return instance_; }

    // Change of a route's price for a change of its load and distance.
    [[nodiscard]] double price_change(int route, double load_change, double distance_change, bool empties = false) const {
        const Route& r = routes_[at(route)];
        if (empties) return -r.price;
        return price_(r.type, r.load + load_change, r.distance + distance_change) - r.price;
    }

    // The same for a move within one route: a way that gets no shorter cannot pay.
    [[nodiscard]] double inner_change(int route, double distance_change) const {
        return distance_change >= 0 ? infinity : price_change(route, 0.0, distance_change);
    }

    // Change when a load arrives in a route whose own route changes by `departure`. Infinity, without asking for
    // a price, when what must be paid for the longer way alone eats up the gain.
    [[nodiscard]] double arrival_change(int route, double load, double distance_change, double departure) const {
        if (distance_change >= 0 && departure + price_.least_unit_cost() * distance_change >= 0) return infinity;
        return departure + price_change(route, load, distance_change);
    }

    // Both changes of a move between two routes: `load` goes from `first` to `second`. Infinity, without
    // asking for prices, when the way gets no cheaper with the present types and too little load
    // moves for a smaller vehicle: exact but for types that change with the distance alone.
    [[nodiscard]] double pair_change(int first, int second, double load, double first_distance, double second_distance,
                                     bool empties_first = false, bool empties_second = false) const {
        const Route& a = routes_[at(first)];
        const Route& b = routes_[at(second)];
        if (!empties_first && !empties_second && b.size > 0 &&
            a.unit_cost * first_distance + b.unit_cost * second_distance >= 0 && std::abs(load) < (load > 0 ? a.relief : b.relief))
            return infinity;
        return price_change(first, -load, first_distance, empties_first) +
               price_change(second, load, second_distance, empties_second);
    }

    // Sum of all prices from scratch.
    [[nodiscard]] double total_price() const;

    // For the moves: link two nodes; put a node after another.
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
    // Running sums of a route again, after its links have changed.
    void update(int route, long now);
    void set_type(int route, int type, long now);

private:
    struct Node {
        int next;
        int previous;
        int route;
        int position;
        double load_to;
        double distance_to;
        double reversed_to;
    };
    struct Route {
        double load;
        double distance;
        double price;
        double unit_cost;   // of the type behind the price
        double relief;      // see RoutePrice
        int type;
        int size;
        long changed_at;
    };
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void add_routes(int count, int type);
    void load_unlimited(const Plan& plan);
    void load_limited(const Plan& plan);
    void set_price(Route& route);
    void fill(int route, const std::vector<int>& customers);

    const Instance& instance_;
    const RoutePrice& price_;
    const int num_customers_;
    const double* const matrix_;   // null when distances are computed on the fly
    const std::size_t stride_;
    const bool is_symmetric_;
    std::vector<Node> nodes_;
    std::vector<Route> routes_;
    int first_empty_ = 0;   // or earlier
};

}  // namespace fripn
