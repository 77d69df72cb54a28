// 2-opt: the stretch of a route behind u up to v is driven the other way round.
#pragma once

#include "search/linked_routes.h"
#include "search/moves/pair.h"

namespace fripn::search {

struct TwoOpt {
    // Nobody changes places; see `LinkedRoutes::reverse`.
    template <Measure M>
    static Piece reversal(const First<M>& a, const Second<M>& b) {
        return {a.u, b.w};
    }

    template <Measure M>
    static double evaluate(const LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
        if (a.route != b.route || a.position + 1 >= b.position) return infinity;
        if constexpr (M::shortcuts.adds_changes) {
            double change = b.uv + b.xw - a.ux - b.vw;
            if (!routes.is_symmetric())
                change += (routes.reversed_prefix(b.v).distance - routes.reversed_prefix(a.x).distance) -
                          (routes.prefix(b.v).distance - routes.prefix(a.x).distance);
            return routes.inner_change(a.route, change);
        }
        return routes.reversal_change(reversal(a, b));
    }
};

}  // namespace fripn::search
