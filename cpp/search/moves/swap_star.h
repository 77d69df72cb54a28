// SWAP*: a customer of one route and a customer of another change routes, each to its best place there.
//
// Reference: T. Vidal, "Hybrid genetic search for the CVRP: open-source implementation and SWAP*
// neighborhood", Computers & Operations Research 140 (2022), doi 10.1016/j.cor.2021.105643.
#pragma once

#include <array>
#include <vector>

#include "search/linked_routes.h"

namespace fripn::search {

template <Measure M>
class SwapStar {
public:
    struct Move {
        double change = infinity;
        int u = 0;        // 0: nothing found
        int v = 0;
        int behind_u = 0; // u goes behind this node of v's route
        int behind_v = 0;
    };

    explicit SwapStar(const LinkedRoutes<M>& routes);

    // The best such move between two routes. Places remembered from earlier calls are used as long as
    // the route has not changed, which needs times of change that are never used twice.
    Move best(const LinkedRoutes<M>& routes, int first, int second);
    static void apply(LinkedRoutes<M>& routes, const Move& move);

private:
    static constexpr bool uses_detours = M::shortcuts.adds_changes && M::shortcuts.places_by_detour;

    // The three best places of a customer in a route, by detour.
    struct Places {
        int route = -1;
        long valid_at = -1;
        std::array<double, 3> detour{infinity, infinity, infinity};
        std::array<int, 3> behind{0, 0, 0};
    };
    struct Place {
        double detour;
        int behind;
    };

    // What a route's price becomes when one customer leaves and another enters at its best place, from joined segments.
    struct Replacement {
        double price = infinity;
        int behind = 0;
    };

    Move best_by_detour(const LinkedRoutes<M>& routes, int first, int second) requires(uses_detours);
    [[nodiscard]] Move best_by_joining(const LinkedRoutes<M>& routes, int first, int second) const;
    [[nodiscard]] static Replacement replacement(const LinkedRoutes<M>& routes, int leaving, int entering);
    const Places& places(const LinkedRoutes<M>& routes, int customer, int route);
    // Best place of u in v's route once v has left it.
    Place without(const LinkedRoutes<M>& routes, int u, int v);
    static double removal(const LinkedRoutes<M>& routes, int u) {
        const int p = routes.previous(u);
        const int x = routes.next(u);
        return routes.distance(p, x) - routes.distance(p, u) - routes.distance(u, x);
    }

    // So many routes per customer are remembered; few more are ever near it.
    static constexpr std::size_t places_per_customer = 16;
    std::vector<Places> places_;
};

}  // namespace fripn::search
