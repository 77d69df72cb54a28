// 2-opt: the stretch of a route behind u up to v is driven the other way round.
#pragma once

#include "../linked_routes.h"

namespace fripn {

struct TwoOpt {
    static constexpr bool needs_customer_v = true;

    static double evaluate(const LinkedRoutes& routes, int u, int v) {
        const int route = routes.route_of(u);
        if (route != routes.route_of(v) || routes.position(u) + 1 >= routes.position(v)) return infinity;
        const int x = routes.next(u);
        const int y = routes.next(v);
        const double turned = (routes.reversed_to(v) - routes.reversed_to(x)) - (routes.distance_to(v) - routes.distance_to(x));
        return routes.price_change(route, 0.0,
                                   routes.distance(u, v) + routes.distance(x, y) - routes.distance(u, x) -
                                       routes.distance(v, y) + turned);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int x = routes.next(u);
        const int y = routes.next(v);
        int last = u;
        for (int node = v; node != u;) {
            const int preceding = routes.previous(node);
            routes.link(last, node);
            last = node;
            node = preceding;
        }
        routes.link(x, y);
    }
};

}  // namespace fripn
