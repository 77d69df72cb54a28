// The mutable twin of a timed plan for local search: routes as linked lists, with the stretches before and behind each stop.
//
// Nodes 1 … n are the customers; every route has a start and an end node. Plans may break limits, at the penalties' price.
#pragma once

#include <cstdint>
#include <vector>

#include "timed/model.h"
#include "timed/timed_price.h"

namespace fripn::timed {

// The customers between two nodes of a route; none when the nodes are neighbours.
struct Piece {
    int before;
    int after;
};

// A move: two pieces, of one route or of two, change places; the first may then be driven backwards. In one route the
// pieces do not overlap.
struct Exchange {
    Piece first;
    Piece second;
    bool reverses_first = false;
};

class TimedRoutes {
public:
    TimedRoutes(const Model& model, const TimedPrice& price);

    // The plan may break limits, leave customers out, and exceed the limits of the fleet: then routes beyond them get
    // the vehicles that are left, and where there are none their customers are left out, too.
    void load(const Plan& plan, long now);
    // Customers without a vehicle after `load`, in order.
    [[nodiscard]] const std::vector<int>& absent() const { return absent_; }
    // Non-empty routes; the cost is without penalties.
    [[nodiscard]] Plan unload() const;
    [[nodiscard]] Amounts excess() const;

    [[nodiscard]] int num_customers() const { return num_customers_; }
    [[nodiscard]] int num_routes() const { return static_cast<int>(routes_.size()); }
    [[nodiscard]] int next(int node) const { return nodes_[at(node)].next; }
    [[nodiscard]] int previous(int node) const { return nodes_[at(node)].previous; }
    [[nodiscard]] int route_of(int node) const { return nodes_[at(node)].route; }
    [[nodiscard]] int position(int node) const { return nodes_[at(node)].position; }
    [[nodiscard]] bool is_depot(int node) const { return node > num_customers_; }
    [[nodiscard]] int start_of(int route) const { return num_customers_ + 1 + 2 * route; }
    [[nodiscard]] int end_of(int route) const { return num_customers_ + 2 + 2 * route; }
    [[nodiscard]] int size_of(int route) const { return routes_[at(route)].size; }
    [[nodiscard]] bool is_empty(int route) const { return routes_[at(route)].size == 0; }
    [[nodiscard]] int type_of(int route) const { return routes_[at(route)].type; }
    [[nodiscard]] int frame_of(int route) const { return routes_[at(route)].frame; }
    [[nodiscard]] double price_of(int route) const { return routes_[at(route)].price; }
    [[nodiscard]] long changed_at(int route) const { return routes_[at(route)].changed_at; }
    [[nodiscard]] std::vector<int> customers_of(int route) const;

    // Changes of the total price by moves. Infinity, without a look at times, where the distances alone rule a gain out:
    // exact but for types that change with the distance alone.
    [[nodiscard]] double exchange_change(const Exchange& move) const;
    // Two nodes of different routes: what follows the first, and what begins with the second, change places.
    [[nodiscard]] double tails_change(int first, int second) const;
    // The customers after the first node up to the second, of one route, are driven backwards.
    [[nodiscard]] double reversal_change(int before, int last) const;
    // Two nodes of different routes: the customers up to the second, backwards, follow the first; those behind the first,
    // backwards, come before what follows the second.
    [[nodiscard]] double reversed_heads_change(int first, int second) const;
    // Price of the route with a customer that has none behind the node.
    [[nodiscard]] double insertion_change(int customer, int before) const;

    void exchange(const Exchange& move, long now);
    void exchange_tails(int first, int second, long now);
    void reverse(int before, int last, long now);
    void exchange_reversed_heads(int first, int second, long now);
    void insert(int customer, int before, long now);

    // Price of the route with the customer behind the node, and without the customer that follows the node: for SWAP*.
    [[nodiscard]] double price_with(int customer, int before) const;
    [[nodiscard]] double price_without(int customer) const;
    // The customer behind the node, while `without`, of the same route, leaves it.
    [[nodiscard]] double price_instead(int customer, int before, int without) const;
    // Customers of two routes change sides: each goes behind a node of the other's route, which may be the one that leaves.
    void swap_to(int first, int first_before, int second, int second_before, long now);

    // Give routes the vehicles that suit them best: exchange vehicles between pairs of routes (one may be empty) of a
    // limited fleet, or take the best frame. True when the price got lower by more than `min_gain`.
    bool reassign_types(double min_gain, long& now);
    // Windows of stops with several, chosen again for the least duration. True when the price got lower.
    bool rechoose_windows(double min_gain, long& now);
    // An empty route for every frame or, with a limited fleet, every type that has vehicles left.
    void add_spares(long now);

    [[nodiscard]] double total_price() const;
    // All prices from scratch.
    [[nodiscard]] double recomputed_price() const;

private:
    struct Node {
        int next = 0;
        int previous = 0;
        int route = -1;
        int position = 0;
        int stop = 0;                       // node of the instance
        double along = 0.0;                 // distance of the head
        double backwards = 0.0;             // the same driven backwards, without the depot
        double load = 0.0;                  // of the head, the first one
    };
    // What is looked at once distances do not rule a move out.
    struct Times {
        Stretch own;                        // the stop itself
        Stretch head;                       // from the start of the route up to and including the node
        Stretch tail;                       // from the node to the end of the route
        Loads load{};                       // of the head
        std::uint64_t head_groups = 0;
        std::uint64_t tail_groups = 0;
    };
    struct Route {
        Outline outline;
        double price = 0.0;
        double rate = 0.0;     // what one unit of distance costs, time included
        double hurt = 0.0;     // the most that other changes than of the distance can save: penalties, waiting
        double relief = 0.0;   // load that must leave before another type can be cheaper
        int type = -1;
        int frame = 0;
        int size = 0;
        long changed_at = 0;
    };
    // A route under construction.
    struct Chain {
        Stretch time;
        std::uint64_t groups;
        int last;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] const Node& node(int i) const { return nodes_[at(i)]; }
    [[nodiscard]] const Times& times(int i) const { return times_[at(i)]; }
    [[nodiscard]] double distance(int from, int to) const {
        if (has_open_ && is_depot(to) && !model_.frame(routes_[at(node(to).route)].frame).returns) return 0.0;
        return model_.distance(node(from).stop, node(to).stop);
    }
    [[nodiscard]] Arc arc(const Frame& frame, int from, int to) const {
        if (has_open_ && is_depot(to) && !frame.returns) return {0.0, 0.0};
        return model_.arc(frame, node(from).stop, node(to).stop);
    }
    [[nodiscard]] bool is_none(const Piece& piece) const { return node(piece.before).next == piece.after; }
    [[nodiscard]] int first_of(const Piece& piece) const { return node(piece.before).next; }
    [[nodiscard]] int last_of(const Piece& piece) const { return node(piece.after).previous; }
    // Distance from one node to another by way of a piece.
    [[nodiscard]] double distance_by(int from, const Piece& piece, bool is_reversed, int to) const;
    [[nodiscard]] double load_of(const Piece& piece) const { return node(last_of(piece)).load - node(piece.before).load; }
    [[nodiscard]] double load_of(const Piece& piece, std::size_t l) const {
        return times(last_of(piece)).load[l] - times(piece.before).load[l];
    }
    [[nodiscard]] int stops_of(const Piece& piece) const {
        return node(last_of(piece)).position - node(piece.before).position;
    }
    [[nodiscard]] Chain chain_to(int i) const { return {times(i).head, times(i).head_groups, i}; }
    void drive(Chain& chain, const Frame& frame, int i) const {
        chain.time = chain.time.joined(arc(frame, chain.last, i), times(i).own);
        if (model_.has_limited_access()) chain.groups &= model_.cargo(i).groups;
        chain.last = i;
    }
    void drive(Chain& chain, const Frame& frame, const Piece& piece, bool is_reversed) const;
    // From there to the end of the route of the node, which the chain joins at the node.
    void finish(Chain& chain, const Frame& frame, int i) const {
        chain.time = chain.time.joined(arc(frame, chain.last, i), times(i).tail);
        chain.groups &= times(i).tail_groups;
    }
    [[nodiscard]] bool cannot_pay(const Route& route, double change) const {
        return route.rate * change >= route.hurt;
    }
    [[nodiscard]] bool cannot_pay(const Route& a, double a_change, const Route& b, double b_change, double load_to_b) const {
        return a.rate * a_change + b.rate * b_change >= a.hurt + b.hurt &&
               (load_to_b > 0 ? load_to_b < a.relief : -load_to_b < b.relief);
    }
    [[nodiscard]] double inner_exchange_change(const Exchange& move) const;
    [[nodiscard]] Cargo changed_cargo(const Route& route, const Piece& out, const Piece& in, std::uint64_t groups) const;
    void append(std::vector<int>& to, const Piece& piece, bool is_reversed) const;
    void fill(int route, const std::vector<int>& customers, long now);
    // Stretches and price of a route again, after its links or its vehicle have changed.
    void update(int route, long now);
    void set_price(Route& route) const;
    int add_route(int type);
    void set_type(int route, int type);
    // Price of a route's customers in a vehicle of that type.
    [[nodiscard]] double price_in(int route, int type) const;
    [[nodiscard]] Outline outline_in(int route, const Frame& frame) const;
    [[nodiscard]] bool is_free(int type) const { return model_.instance().vehicle_type(type).has_left(used_[at(type)]); }
    bool exchange_vehicles(double min_gain, long& now);
    bool choose_frames(double min_gain, long& now);

    const Model& model_;
    const TimedPrice& price_;
    const int num_customers_;
    bool has_open_ = false;
    std::vector<Node> nodes_;
    std::vector<Times> times_;
    std::vector<Route> routes_;
    std::vector<int> used_;      // limited fleets: routes of each type, empty ones included
    std::vector<int> absent_;
    std::vector<int> scratch_;
    std::vector<int> other_;
};

}  // namespace fripn::timed
