// Swap: u, or u and the customer after it, change places with v.
#pragma once

#include "search/linked_routes.h"
#include "search/moves/pair.h"

namespace fripn::search {

struct Swap {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>&, const First<M>& a, const Second<M>& b) {
        return {{a.p, a.x}, {b.q, b.w}};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (b.v == a.p || b.v == a.x) return infinity;  // neighbours: relocate does the same
        if constexpr (M::shortcuts.adds_changes) {
            const double first = routes.distance(a.p, b.v) + b.vx - a.pu - a.ux;
            const double second = routes.distance(b.q, a.u) + b.uw - routes.distance(b.q, b.v) - b.vw;
            if (a.route == b.route) return routes.inner_change(a.route, first + second);
            return routes.pair_change(a.route, b.route, a.load_u - routes.demand(b.v), first, second);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

struct SwapTwoForOne {
    template <Measure M>
    static Exchange exchange(const LinkedRoutes<M>&, const First<M>& a, const Second<M>& b) {
        return {{a.p, a.y}, {b.q, b.w}};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (!a.has_x || b.v == a.p || b.v == a.x || b.v == a.y) return infinity;
        if constexpr (M::shortcuts.adds_changes) {
            const double first = routes.distance(a.p, b.v) + routes.distance(b.v, a.y) - a.pu - a.ux - a.xy;
            const double second = routes.distance(b.q, a.u) + a.ux + b.xw - routes.distance(b.q, b.v) - b.vw;
            if (a.route == b.route) return routes.inner_change(a.route, first + second);
            return routes.pair_change(a.route, b.route, a.load_ux - routes.demand(b.v), first, second);
        }
        return routes.exchange_change(exchange(routes, a, b));
    }
};

}  // namespace fripn::search
