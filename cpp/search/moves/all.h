// Every move between two nodes, in the order in which local search tries them.
#pragma once

#include <type_traits>

#include "search/linked_routes.h"
#include "search/moves/or_opt.h"
#include "search/moves/pair.h"
#include "search/moves/relocate.h"
#include "search/moves/swap.h"
#include "search/moves/two_opt.h"
#include "search/moves/two_opt_star.h"

namespace fripn::search {

// Call `visit(move)` for every move that applies to the pair until it returns true; the same is returned.
template <Measure M, class Visit>
inline bool any_move(const First<M>& a, const Second<M>& b, Visit&& visit) {
    if (visit(Relocate{}) || visit(OrOpt<false>{}) || visit(OrOpt<true>{}) || visit(TwoOptStar{})) return true;
    if (b.is_start) return false;
    // The symmetric swap meets each pair twice; one test is enough.
    if (a.u < b.v && visit(Swap{})) return true;
    return visit(SwapTwoForOne{}) || visit(TwoOpt{}) || visit(TwoOptStarReversed{});
}

template <class Move, Measure M>
void apply_move(LinkedRoutes<M>& routes, const First<M>& a, const Second<M>& b) {
    if constexpr (std::is_same_v<Move, TwoOpt>)
        routes.reverse(TwoOpt::reversal(a, b));
    else
        routes.exchange(Move::exchange(routes, a, b));
}

}  // namespace fripn::search
