// 2-opt*: two routes exchange their ends. With v the start of a route this merges routes, and with v the
// start of an empty one it breaks a route in two: the fleet's own moves.
#pragma once

#include "../linked_routes.h"
#include "pair.h"

namespace fripn {

// … u | x … and … v | y … become … u y … and … v x …
struct TwoOptStar {
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (a.route == b.route) return infinity;
        if (b.is_start && !a.has_x && routes.is_empty(b.route)) return infinity;
        // Distances of the ends that change hands.
        const double tail_u = routes.distance_of(a.route) - routes.distance_to(a.x);
        const double tail_v = routes.is_empty(b.route) ? 0.0 : routes.distance_of(b.route) - routes.distance_to(b.w);
        const double change_u = b.uw + tail_v - a.ux - tail_u;
        const double change_v = b.vx + tail_u - b.vw - tail_v;
        const double load = (routes.load_of(a.route) - routes.load_to(a.u)) - (routes.load_of(b.route) - routes.load_to(b.v));
        return routes.pair_change(a.route, b.route, load, change_u, change_v, false, b.is_start && !a.has_x);
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
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (a.route == b.route) return infinity;
        const double tail_u = routes.reversed_to(routes.end_of(a.route)) - routes.reversed_to(a.x);
        const double tail_v = routes.distance_of(b.route) - routes.distance_to(b.w);
        const double new_u = routes.distance_to(a.u) + b.uv + routes.reversed_to(b.v);
        const double new_v = tail_u + b.xw + tail_v;
        const double load = (routes.load_of(a.route) - routes.load_to(a.u)) - routes.load_to(b.v);
        const bool empties_v = !a.has_x && routes.is_depot(b.w);
        return routes.pair_change(a.route, b.route, load, new_u - routes.distance_of(a.route),
                                  new_v - routes.distance_of(b.route), false, empties_v);
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
