// Relocate: customers in a row move behind another node, as they are or reversed (or-opt).
#pragma once

#include "../linked_routes.h"

namespace fripn {

template <int Count, bool Reversed>
struct Relocate {
    static constexpr bool needs_customer_v = false;  // v may be the start of a route

    // Last of the `Count` customers that start with u, or 0 when the route is too short.
    static int last_of(const LinkedRoutes& routes, int u) {
        for (int i = 1; i < Count; ++i) {
            u = routes.next(u);
            if (routes.is_depot(u)) return 0;
        }
        return u;
    }

    // Change of the total price when the customers from u on move behind v; infinity when they cannot.
    static double evaluate(const LinkedRoutes& routes, int u, int v) {
        const int last = last_of(routes, u);
        const int before = routes.previous(u);
        if (last == 0 || v == before) return infinity;
        const int ru = routes.route_of(u);
        const int rv = routes.route_of(v);
        if (ru == rv && routes.position(v) >= routes.position(u) && routes.position(v) <= routes.position(last))
            return infinity;
        const int after = routes.next(last);
        const int w = routes.next(v);
        const double inner = routes.distance_to(last) - routes.distance_to(u);
        const double moved = Reversed ? routes.reversed_to(last) - routes.reversed_to(u) : inner;
        const double gain = routes.distance(before, after) - routes.distance(before, u) - inner - routes.distance(last, after);
        const double loss = (Reversed ? routes.distance(v, last) + routes.distance(u, w)
                                      : routes.distance(v, u) + routes.distance(last, w)) +
                            moved - routes.distance(v, w);
        if (ru == rv) return routes.price_change(ru, 0.0, gain + loss);
        const double load = routes.load_to(last) - routes.load_to(before);
        return routes.pair_change(ru, rv, load, gain, loss, routes.size_of(ru) == Count);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        int node = u;
        int where = v;
        for (int i = 0; i < Count; ++i) {
            const int following = routes.next(node);
            routes.unlink(node);
            routes.put_after(node, where);
            if (!Reversed) where = node;
            node = following;
        }
    }
};

}  // namespace fripn
