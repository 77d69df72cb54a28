// 2-opt: the stretch of a route behind u up to v is driven the other way round.
#pragma once

#include "../linked_routes.h"
#include "pair.h"

namespace fripn {

struct TwoOpt {
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (a.route != b.route || a.position + 1 >= b.position) return infinity;
        double change = b.uv + b.xw - a.ux - b.vw;
        if (!routes.is_symmetric())
            change += (routes.reversed_to(b.v) - routes.reversed_to(a.x)) - (routes.distance_to(b.v) - routes.distance_to(a.x));
        return routes.inner_change(a.route, change);
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
