// What the moves need to know about a pair of nodes, looked up once for all of them.
#pragma once

#include "../linked_routes.h"

namespace fripn {

// The customer u whose surroundings change, with the legs around it.
struct First {
    First(const LinkedRoutes& routes, int node)
        : u(node),
          p(routes.previous(node)),
          x(routes.next(node)),
          y(routes.is_depot(x) ? 0 : routes.next(x)),
          route(routes.route_of(node)),
          position(routes.position(node)),
          has_x(!routes.is_depot(x)),
          pu(routes.distance(p, u)),
          ux(routes.distance(u, x)),
          xy(has_x ? routes.distance(x, y) : 0.0),
          without_u(routes.distance(p, x) - pu - ux),
          without_ux(has_x ? routes.distance(p, y) - pu - ux - xy : 0.0),
          load_u(routes.demand(u)),
          load_ux(load_u + routes.demand(x)) {}

    int u;
    int p;  // before u
    int x;  // after u
    int y;  // after x, when x is a customer
    int route;
    int position;
    bool has_x;          // x is a customer
    double pu, ux, xy;   // legs
    double without_u;    // change of the distance when u leaves
    double without_ux;   // when u and x leave
    double load_u;
    double load_ux;
};

// The node v: a customer, or the start of a route.
struct Second {
    Second(const LinkedRoutes& routes, int node)
        : v(node),
          w(routes.next(node)),
          route(routes.route_of(node)),
          position(routes.position(node)),
          is_start(routes.is_depot(node)),
          vw(routes.distance(v, w)) {}

    int v;
    int w;  // after v
    int route;
    int position;
    bool is_start;
    double vw;
};

}  // namespace fripn
