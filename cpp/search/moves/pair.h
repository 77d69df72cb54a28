// What the moves need to know about a pair of nodes, looked up once for all of them.
#pragma once

#include "search/linked_routes.h"

namespace fripn::search {

// The customer u whose surroundings change, with the arcs around it.
template <Measure M>
struct First {
    First(const LinkedRoutes<M>& routes, int node)
        : u(node),
          p(routes.previous(node)),
          x(routes.next(node)),
          y(routes.is_depot(x) ? 0 : routes.next(x)),
          route(routes.route_of(node)),
          position(routes.position(node)),
          has_x(!routes.is_depot(x)),
          pu(routes.distance(p, u)),
          ux(routes.distance(u, x)),
          xu(routes.is_symmetric() ? ux : routes.distance(x, u)),
          xy(has_x ? routes.distance(x, y) : 0.0),
          without_u(routes.distance(p, x) - pu - ux),
          without_ux(has_x ? routes.distance(p, y) - pu - ux - xy : 0.0),
          load_u(routes.demand(u)),
          load_ux(load_u + routes.demand(x)),
          change_u(departure(routes, load_u, without_u, 1)),
          change_ux(has_x ? departure(routes, load_ux, without_ux, 2) : 0.0) {}

    int u;
    int p;  // before u
    int x;  // after u
    int y;  // after x, when x is a customer
    int route;
    int position;
    bool has_x;              // x is a customer
    double pu, ux, xu, xy;   // arcs
    double without_u;        // change of the distance when u leaves
    double without_ux;       // when u and x leave
    double load_u;
    double load_ux;
    double change_u;         // change of the route's price when u leaves
    double change_ux;        // when u and x leave

private:
    // Where changes do not add up the moves join segments and do not ask for this.
    [[nodiscard]] double departure(const LinkedRoutes<M>& routes, double load, double distance_change, int count) const {
        if constexpr (M::shortcuts.adds_changes)
            return routes.price_change(route, -load, distance_change, routes.size_of(route) == count);
        return 0.0;
    }
};

// The node v (a customer, or the start of a route) beside u, with every arc that a move between them may add
// or remove: looked up once, used by all moves.
template <Measure M>
struct Second {
    Second(const LinkedRoutes<M>& routes, const First<M>& a, int node)
        : v(node),
          w(routes.next(node)),
          q(routes.previous(node)),
          route(routes.route_of(node)),
          position(routes.position(node)),
          is_start(routes.is_depot(node)),
          vw(routes.distance(v, w)),
          vu(routes.distance(v, a.u)),
          uv(routes.is_symmetric() ? vu : routes.distance(a.u, v)),
          uw(routes.distance(a.u, w)),
          vx(routes.distance(v, a.x)),
          xw(routes.distance(a.x, w)) {}

    int v;
    int w;  // after v
    int q;  // before v, when v is a customer
    int route;
    int position;
    bool is_start;
    double vw, vu, uv, uw, vx, xw;
};

}  // namespace fripn::search
