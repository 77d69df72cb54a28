// 2-opt*: two routes exchange their ends. With v the start of a route this merges routes, and with v the
// start of an empty one it breaks a route in two: the fleet's own moves.
#pragma once

#include "search/linked_routes.h"
#include "search/moves/pair.h"

namespace fripn::search {

// … u | x … and … v | w … become … u w … and … v x …
struct TwoOptStar {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        return {{a.u, routes.end_of(a.route)}, {b.v, routes.end_of(b.route)}};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (a.route == b.route) return infinity;
        if (!a.has_x && routes.is_depot(b.w)) return infinity;  // neither has an end to give
        if constexpr (M::shortcuts.adds_changes) {
            // Distances of the ends that change hands.
            const double tail_u = routes.distance_of(a.route) - routes.prefix(a.x).distance;
            const double tail_v = routes.is_empty(b.route) ? 0.0 : routes.distance_of(b.route) - routes.prefix(b.w).distance;
            const double change_u = b.uw + tail_v - a.ux - tail_u;
            const double change_v = b.vx + tail_u - b.vw - tail_v;
            const double load =
                (routes.load_of(a.route) - routes.prefix(a.u).load) - (routes.load_of(b.route) - routes.prefix(b.v).load);
            return routes.pair_change(a.route, b.route, load, change_u, change_v, false, b.is_start && !a.has_x);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

// … u | x … and … v | w … become … u v … (start of v's route, backwards) and (end of u's route, backwards) … x w …
struct TwoOptStarReversed {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        return {{a.u, routes.end_of(a.route)}, {routes.start_of(b.route), b.w}, true};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (a.route == b.route) return infinity;
        if constexpr (M::shortcuts.adds_changes) {
            const double tail_u =
                routes.reversed_prefix(routes.end_of(a.route)).distance - routes.reversed_prefix(a.x).distance;
            const double tail_v = routes.distance_of(b.route) - routes.prefix(b.w).distance;
            const double new_u = routes.prefix(a.u).distance + b.uv + routes.reversed_prefix(b.v).distance;
            const double new_v = tail_u + b.xw + tail_v;
            const double load = (routes.load_of(a.route) - routes.prefix(a.u).load) - routes.prefix(b.v).load;
            const bool empties_v = !a.has_x && routes.is_depot(b.w);
            return routes.pair_change(a.route, b.route, load, new_u - routes.distance_of(a.route),
                                      new_v - routes.distance_of(b.route), false, empties_v);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

}  // namespace fripn::search
