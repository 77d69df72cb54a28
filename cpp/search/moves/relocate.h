// Relocate: a customer moves behind another node.
#pragma once

#include "../linked_routes.h"
#include "pair.h"

namespace fripn {

struct Relocate {
    // Change of the total price when u moves behind v; infinity when it cannot, or surely does not pay.
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (b.v == a.p) return infinity;
        const double loss = b.vu + b.uw - b.vw;
        if (a.route == b.route) return routes.inner_change(a.route, a.without_u + loss);
        return routes.arrival_change(b.route, a.load_u, loss, a.change_u);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        routes.unlink(u);
        routes.put_after(u, v);
    }
};

}  // namespace fripn
