// Or-opt: two customers in a row move behind another node, as they are or reversed.
#pragma once

#include "../linked_routes.h"
#include "pair.h"

namespace fripn {

template <bool Reversed>
struct OrOpt {
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (!a.has_x || b.v == a.p || b.v == a.x) return infinity;
        const double loss = Reversed ? b.vx + a.xu + b.uw - b.vw : b.vu + a.ux + b.xw - b.vw;
        if (a.route == b.route) return routes.inner_change(a.route, a.without_ux + loss);
        return routes.arrival_change(b.route, a.load_ux, loss, a.change_ux);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int x = routes.next(u);
        routes.unlink(u);
        routes.unlink(x);
        routes.put_after(Reversed ? x : u, v);
        routes.put_after(Reversed ? u : x, Reversed ? x : u);
    }
};

}  // namespace fripn
