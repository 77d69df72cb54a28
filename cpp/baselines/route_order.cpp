#include "baselines/route_order.h"

#include <cmath>

#include "search/genetic.h"
#include "search/moves/all.h"

namespace fripn::baselines {

namespace {

constexpr double least_gain = 1e-9;

using Routes = LinkedRoutes<CapacityMeasure>;

template <class Move>
bool attempt(Routes& routes, const First<CapacityMeasure>& a, const Second<CapacityMeasure>& b, long now) {
    if (Move::evaluate(routes, a, b) >= -least_gain * std::abs(routes.price_of(a.route))) return false;
    apply_move<Move>(routes, a, b);
    routes.update(a.route, now);
    return true;
}

// The first improving move of a route, made; false when there is none.
bool improve(Routes& routes, int route, long now) {
    for (int u = routes.next(routes.start_of(route)); u != routes.end_of(route); u = routes.next(u)) {
        const First<CapacityMeasure> a(routes, u);
        for (int v = routes.start_of(route); v != routes.end_of(route); v = routes.next(v)) {
            if (v == u) continue;
            const Second<CapacityMeasure> b(routes, a, v);
            if (attempt<Relocate>(routes, a, b, now) || attempt<TwoOpt>(routes, a, b, now)) return true;
        }
    }
    return false;
}

}  // namespace

Plan order_routes(const Instance& instance, const Plan& plan) {
    const RoutePrice<CapacityMeasure> price(instance, prohibitive_penalty(instance));
    Routes routes(instance, price);
    long now = 0;
    routes.load(plan, now);
    for (int route = 0; route < routes.num_routes(); ++route)
        while (improve(routes, route, ++now)) {
        }
    return routes.unload();
}

}  // namespace fripn::baselines
