// Relocate: a customer moves behind another node.
#pragma once

#include "search/linked_routes.h"
#include "search/moves/pair.h"

namespace fripn::search {

struct Relocate {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>&, const First<M>& a, const Second<M>& b) {
        return {{a.p, a.x}, {b.v, b.w}};
    }

    // Change of the total price when u moves behind v; infinity when it cannot, or surely does not pay.
    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (b.v == a.p) return infinity;
        if constexpr (M::shortcuts.adds_changes) {
            const double loss = b.vu + b.uw - b.vw;
            if (a.route == b.route) return routes.inner_change(a.route, a.without_u + loss);
            return routes.arrival_change(b.route, a.load_u, loss, a.change_u);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

}  // namespace fripn::search
