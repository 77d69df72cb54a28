// Swap: `CountU` customers from u on change places with `CountV` customers from v on.
#pragma once

#include "../linked_routes.h"
#include "relocate.h"

namespace fripn {

template <int CountU, int CountV>
struct Swap {
    static constexpr bool needs_customer_v = true;

    static double evaluate(const LinkedRoutes& routes, int u, int v) {
        const int last_u = Relocate<CountU, false>::last_of(routes, u);
        const int last_v = Relocate<CountV, false>::last_of(routes, v);
        if (last_u == 0 || last_v == 0) return infinity;
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        // Pieces that touch or overlap: relocate covers what makes sense there.
        if (ru == rv && routes.position(u) <= routes.position(last_v) + 1 && routes.position(v) <= routes.position(last_u) + 1)
            return infinity;
        const int before_u = routes.previous(u);
        const int before_v = routes.previous(v);
        const int after_u = routes.next(last_u);
        const int after_v = routes.next(last_v);
        const double inner_u = routes.distance_to(last_u) - routes.distance_to(u);
        const double inner_v = routes.distance_to(last_v) - routes.distance_to(v);
        const double change_u = routes.distance(before_u, v) + inner_v + routes.distance(last_v, after_u) -
                                routes.distance(before_u, u) - inner_u - routes.distance(last_u, after_u);
        const double change_v = routes.distance(before_v, u) + inner_u + routes.distance(last_u, after_v) -
                                routes.distance(before_v, v) - inner_v - routes.distance(last_v, after_v);
        if (ru == rv) return routes.price_change(ru, 0.0, change_u + change_v);
        const double load = routes.load_to(last_u) - routes.load_to(before_u) - routes.load_to(last_v) + routes.load_to(before_v);
        return routes.pair_change(ru, rv, load, change_u, change_v);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int before_u = routes.previous(u);
        const int before_v = routes.previous(v);
        move_behind<CountU>(routes, u, before_v);
        move_behind<CountV>(routes, v, before_u);
    }

private:
    template <int Count>
    static void move_behind(LinkedRoutes& routes, int node, int where) {
        for (int i = 0; i < Count; ++i) {
            const int following = routes.next(node);
            routes.unlink(node);
            routes.put_after(node, where);
            where = node;
            node = following;
        }
    }
};

}  // namespace fripn
