// 2-opt*: two routes exchange their ends. With v the start of a route this merges routes, and with v the
// start of an empty one it breaks a route in two: the fleet's own moves.
#pragma once

#include "../linked_routes.h"

namespace fripn {

// … u | x … and … v | y … become … u y … and … v x …
struct TwoOptStar {
    static constexpr bool needs_customer_v = false;

    static double evaluate(const LinkedRoutes& routes, int u, int v) {
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        if (ru == rv) return infinity;
        const int x = routes.next(u);
        const int y = routes.next(v);
        if (routes.is_depot(v) && routes.is_depot(x) && routes.is_empty(rv)) return infinity;
        const double tail_u = routes.distance_of(ru) - routes.distance_to(x);
        const double tail_v = routes.is_empty(rv) ? 0.0 : routes.distance_of(rv) - routes.distance_to(y);
        const double new_u = routes.distance_to(u) + routes.distance(u, y) + tail_v;
        const double new_v = routes.distance_to(v) + routes.distance(v, x) + tail_u;
        const double shift = (routes.load_of(rv) - routes.load_to(v)) - (routes.load_of(ru) - routes.load_to(u));
        const bool empties_v = routes.is_depot(v) && routes.is_depot(x);
        return routes.pair_change(ru, rv, -shift, new_u - routes.distance_of(ru), new_v - routes.distance_of(rv), false,
                                  empties_v);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        const int x = routes.next(u);
        const int y = routes.next(v);
        const int last_u = routes.previous(routes.end_of(ru));
        const int last_v = routes.previous(routes.end_of(rv));
        if (routes.is_depot(y))
            routes.link(u, routes.end_of(ru));
        else {
            routes.link(u, y);
            routes.link(last_v, routes.end_of(ru));
        }
        if (routes.is_depot(x))
            routes.link(v, routes.end_of(rv));
        else {
            routes.link(v, x);
            routes.link(last_u, routes.end_of(rv));
        }
    }
};

// … u | x … and … v | y … become … u v … (start of v's route, backwards) and (end of u's route, backwards) … x y …
struct TwoOptStarReversed {
    static constexpr bool needs_customer_v = true;

    static double evaluate(const LinkedRoutes& routes, int u, int v) {
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        if (ru == rv) return infinity;
        const int x = routes.next(u);
        const int y = routes.next(v);
        const double head_v = routes.reversed_to(v);
        const double tail_u = routes.reversed_to(routes.end_of(ru)) - routes.reversed_to(x);
        const double tail_v = routes.distance_of(rv) - routes.distance_to(y);
        const double new_u = routes.distance_to(u) + routes.distance(u, v) + head_v;
        const double new_v = tail_u + routes.distance(x, y) + tail_v;
        const double shift = routes.load_to(v) - (routes.load_of(ru) - routes.load_to(u));
        const bool empties_v = routes.is_depot(x) && routes.is_depot(y);
        return routes.pair_change(ru, rv, -shift, new_u - routes.distance_of(ru), new_v - routes.distance_of(rv), false,
                                  empties_v);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        const int x = routes.next(u);
        const int y = routes.next(v);
        // The head of v's route, backwards, behind u.
        int last = u;
        for (int node = v; !routes.is_depot(node);) {
            const int preceding = routes.previous(node);
            routes.link(last, node);
            last = node;
            node = preceding;
        }
        const int last_of_u = routes.previous(routes.end_of(ru));
        routes.link(last, routes.end_of(ru));
        // The tail of u's route, backwards, in front of y.
        last = routes.start_of(rv);
        if (!routes.is_depot(x)) {
            for (int node = last_of_u;;) {
                const int preceding = routes.previous(node);
                routes.link(last, node);
                last = node;
                if (node == x) break;
                node = preceding;
            }
        }
        routes.link(last, y);
    }
};

}  // namespace fripn
