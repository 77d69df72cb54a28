// Or-opt: two customers in a row move behind another node, as they are or reversed.
#pragma once

#include "search/linked_routes.h"
#include "search/moves/pair.h"

namespace fripn::search {

template <bool Reversed>
struct OrOpt {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>&, const First<M>& a, const Second<M>& b) {
        return {{a.p, a.y}, {b.v, b.w}, Reversed};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (!a.has_x || b.v == a.p || b.v == a.x) return infinity;
        if constexpr (M::shortcuts.adds_changes) {
            const double loss = Reversed ? b.vx + a.xu + b.uw - b.vw : b.vu + a.ux + b.xw - b.vw;
            if (a.route == b.route) return routes.inner_change(a.route, a.without_ux + loss);
            return routes.arrival_change(b.route, a.load_ux, loss, a.change_ux);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

}  // namespace fripn::search
