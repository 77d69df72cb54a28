// Swap: u, or u and the customer after it, change places with v.
#pragma once

#include "../linked_routes.h"
#include "pair.h"

namespace fripn {

struct Swap {
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (b.v == a.p || b.v == a.x) return infinity;  // neighbours: relocate does the same
        const double first = routes.distance(a.p, b.v) + b.vx - a.pu - a.ux;
        const double second = routes.distance(b.q, a.u) + b.uw - routes.distance(b.q, b.v) - b.vw;
        if (a.route == b.route) return routes.inner_change(a.route, first + second);
        return routes.pair_change(a.route, b.route, a.load_u - routes.demand(b.v), first, second);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int p = routes.previous(u);
        const int q = routes.previous(v);
        routes.unlink(u);
        routes.put_after(u, q);
        routes.unlink(v);
        routes.put_after(v, p);
    }
};

struct SwapTwoForOne {
    static double evaluate(const LinkedRoutes& routes, const First& a, const Second& b) {
        if (!a.has_x || b.v == a.p || b.v == a.x || b.v == a.y) return infinity;
        const double first = routes.distance(a.p, b.v) + routes.distance(b.v, a.y) - a.pu - a.ux - a.xy;
        const double second = routes.distance(b.q, a.u) + a.ux + b.xw - routes.distance(b.q, b.v) - b.vw;
        if (a.route == b.route) return routes.inner_change(a.route, first + second);
        return routes.pair_change(a.route, b.route, a.load_ux - routes.demand(b.v), first, second);
    }

    static void apply(LinkedRoutes& routes, int u, int v) {
        const int x = routes.next(u);
        const int p = routes.previous(u);
        const int q = routes.previous(v);
        routes.unlink(u);
        routes.unlink(x);
        routes.put_after(u, q);
        routes.put_after(x, u);
        routes.unlink(v);
        routes.put_after(v, p);
    }
};

}  // namespace fripn
