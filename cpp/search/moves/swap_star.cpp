#include "search/moves/swap_star.h"

#include "search/insertion.h"

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

template <Measure M>
SwapStar<M>::SwapStar(const LinkedRoutes<M>& routes)
    : places_(uses_detours ? (at(routes.num_customers()) + 1) * places_per_customer : 0) {}

template <Measure M>
const typename SwapStar<M>::Places& SwapStar<M>::places(const LinkedRoutes<M>& routes, int customer, int route) {
    Places& found = places_[at(customer) * places_per_customer + at(route) % places_per_customer];
    if (found.route == route && found.valid_at == routes.changed_at(route)) return found;
    found = Places{};
    found.route = route;
    found.valid_at = routes.changed_at(route);
    for (int node = routes.start_of(route); node != routes.end_of(route); node = routes.next(node)) {
        const int after = routes.next(node);
        const double detour = routes.distance(node, customer) + routes.distance(customer, after) - routes.distance(node, after);
        if (detour >= found.detour[2]) continue;
        std::size_t rank = 2;
        for (; rank > 0 && detour < found.detour[rank - 1]; --rank) {
            found.detour[rank] = found.detour[rank - 1];
            found.behind[rank] = found.behind[rank - 1];
        }
        found.detour[rank] = detour;
        found.behind[rank] = node;
    }
    return found;
}

template <Measure M>
typename SwapStar<M>::Place SwapStar<M>::without(const LinkedRoutes<M>& routes, int u, int v) {
    const int before = routes.previous(v);
    const int after = routes.next(v);
    Place best{routes.distance(before, u) + routes.distance(u, after) - routes.distance(before, after), before};
    const Places& found = places(routes, u, routes.route_of(v));
    for (std::size_t i = 0; i < 3; ++i) {
        if (found.detour[i] >= best.detour) break;
        if (found.behind[i] == v || found.behind[i] == before) continue;
        best = {found.detour[i], found.behind[i]};
        break;
    }
    return best;
}

template <Measure M>
typename SwapStar<M>::Move SwapStar<M>::best(const LinkedRoutes<M>& routes, int first, int second) {
    if constexpr (uses_detours)
        return best_by_detour(routes, first, second);
    else
        return best_by_joining(routes, first, second);
}

template <Measure M>
typename SwapStar<M>::Replacement SwapStar<M>::replacement(const LinkedRoutes<M>& routes, int leaving, int entering) {
    const int route = routes.route_of(leaving);
    std::vector<int> nodes;
    std::vector<int> stops;
    for (int node = routes.start_of(route);; node = routes.next(node)) {
        if (node == leaving) continue;
        nodes.push_back(node);
        stops.push_back(routes.stop(node));
        if (node == routes.end_of(route)) break;
    }
    Replacement best;
    for_each_insertion<M>(routes.instance(), stops, entering, [&](int position, const M& measure) {
        const double price = routes.price()(routes.type_of(route), measure);
        if (price < best.price) best = {price, nodes[at(position) - 1]};
    });
    return best;
}

template <Measure M>
typename SwapStar<M>::Move SwapStar<M>::best_by_joining(const LinkedRoutes<M>& routes, int first, int second) const {
    Move best;
    best.change = 0.0;
    for (int u = routes.next(routes.start_of(first)); u != routes.end_of(first); u = routes.next(u))
        for (int v = routes.next(routes.start_of(second)); v != routes.end_of(second); v = routes.next(v)) {
            const Replacement in_first = replacement(routes, u, v);
            const Replacement in_second = replacement(routes, v, u);
            const double change = (in_first.price - routes.price_of(first)) + (in_second.price - routes.price_of(second));
            if (change < best.change) best = {change, u, v, in_second.behind, in_first.behind};
        }
    return best;
}

template <Measure M>
typename SwapStar<M>::Move SwapStar<M>::best_by_detour(const LinkedRoutes<M>& routes, int first, int second)
    requires(uses_detours)
{
    Move best;
    best.change = 0.0;
    for (int u = routes.next(routes.start_of(first)); u != routes.end_of(first); u = routes.next(u)) {
        const double leaves_u = removal(routes, u);
        for (int v = routes.next(routes.start_of(second)); v != routes.end_of(second); v = routes.next(v)) {
            const double shift = routes.demand(v) - routes.demand(u);
            const double leaves_v = removal(routes, v);
            // Getting in costs something wherever the triangle inequality holds: no gain without it, none with it.
            if constexpr (M::shortcuts.bounds_by_distance)
                if (routes.price_change(first, shift, leaves_u) + routes.price_change(second, -shift, leaves_v) >= best.change)
                    continue;
            const Place place_u = without(routes, u, v);
            const Place place_v = without(routes, v, u);
            const double change = routes.price_change(first, shift, leaves_u + place_v.detour) +
                                  routes.price_change(second, -shift, leaves_v + place_u.detour);
            if (change < best.change) best = {change, u, v, place_u.behind, place_v.behind};
        }
    }
    return best;
}

template <Measure M>
void SwapStar<M>::apply(LinkedRoutes<M>& routes, const Move& move) {
    // Both places are nodes that stay, so the order of the two moves does not matter.
    routes.unlink(move.u);
    routes.unlink(move.v);
    routes.put_after(move.u, move.behind_u);
    routes.put_after(move.v, move.behind_v);
}

template class SwapStar<CapacityMeasure>;
template class SwapStar<UnprunedMeasure>;
template class SwapStar<JoinedMeasure>;

}  // namespace fripn::search
