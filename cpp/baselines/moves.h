// The neighbourhood of tabu search and of the genetic algorithm's local search: the engine's moves, each with its change.
#pragma once

#include <type_traits>
#include <vector>

#include "baselines/engine_parts.h"
#include "rng.h"
#include "search/moves/all.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "baselines/penalised_routes.h"

namespace fripn::baselines {

template <class Kind>
Move described(const PenalisedRoutes::Routes& routes, const First<UnprunedMeasure>& a, const Second<UnprunedMeasure>& b,
               double change) {
    if constexpr (std::is_same_v<Kind, TwoOpt>)
        return {Move::Kind::reversal, change, true, {TwoOpt::reversal(a, b), {}}};
    else
        return {Move::Kind::exchange, change, a.route == b.route, Kind::exchange(routes, a, b)};
}

// Whether all customers of the first route would move into an empty one: the same plan, but for the vehicle.
template <class Kind>
bool only_changes_vehicles(const PenalisedRoutes::Routes& routes, const First<UnprunedMeasure>& a,
                           const Second<UnprunedMeasure>& b) {
    if constexpr (std::is_same_v<Kind, TwoOpt>) return false;
    else {
        const Piece piece = Kind::exchange(routes, a, b).first;
        return piece.before == routes.start_of(a.route) && piece.after == routes.end_of(a.route);
    }
}

// Call `visit(change, is_inner, describe)` for every move around a customer: those that bring it, or the routes' ends,
// beside its neighbours, and those into an empty route, one per type where the fleet is limited. `describe()` returns
// the `Move`; an inner one stays within a route.
template <class Visit>
void for_each_move(const PenalisedRoutes::Routes& routes, const Neighbours& neighbours, int customer, Visit&& visit) {
    const First<UnprunedMeasure> a(routes, customer);
    const auto try_behind = [&](int node) {
        const Second<UnprunedMeasure> b(routes, a, node);
        any_move(a, b, [&](auto move) {
            using Kind = decltype(move);
            const double change = Kind::evaluate(routes, a, b);
            if (change == infinity) return false;
            if (routes.is_empty(b.route) && only_changes_vehicles<Kind>(routes, a, b)) return false;
            visit(change, a.route == b.route, [&] { return described<Kind>(routes, a, b, change); });
            return false;
        });
    };
    for (const int* v = neighbours.begin(customer); v != neighbours.end(customer); ++v) {
        try_behind(*v);
        if (routes.previous(*v) != customer) try_behind(routes.previous(*v));
    }
    std::vector<char> is_tried(static_cast<std::size_t>(routes.instance().num_types()), 0);
    for (int r = 0; r < routes.num_routes(); ++r) {
        if (!routes.is_empty(r)) continue;
        char& is_done = is_tried[static_cast<std::size_t>(routes.type_of(r))];
        if (!is_done) try_behind(routes.start_of(r));
        is_done = 1;
        if (!routes.price().is_limited()) return;
    }
}

// Make random moves from a plan on, and throw std::logic_error at the first whose predicted change is not what the
// routes then cost more. Returns the number of moves made.
int audit_moves(const Instance& instance, const Plan& plan, double penalty, int rounds, Rng& rng);

}  // namespace fripn::baselines
