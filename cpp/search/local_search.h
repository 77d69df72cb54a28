// Local search: every move that helps, until none does.
#pragma once

#include <vector>

#include "rng.h"
#include "search/limits.h"
#include "search/linked_routes.h"
#include "search/moves/pair.h"
#include "search/moves/swap_star.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/route_price.h"

namespace fripn::search {

struct LocalSearchSettings {
    int num_neighbours = 8;
};

template <Measure M>
class LocalSearch {
public:
    LocalSearch(const Instance& instance, const Neighbours& neighbours, const LocalSearchSettings& settings);

    // A local optimum near `plan` for the given penalty per unit of overload.
    // Ends early, with what it has, when the deadline comes.
    Plan operator()(const Plan& plan, double penalty, Rng& rng, const Deadline& deadline);

private:
    template <class Move>
    bool attempt(const First<M>& first, const Second<M>& second);
    template <class Move>
    void apply(const First<M>& first, const Second<M>& second, double change);
    bool attempt_all(const First<M>& first, int v);
    bool improve_customer(int u, long tested_at, bool tries_empty);
    bool improve_route_pairs(const Deadline& deadline);
    void find_close(int route);

    const Instance& instance_;
    const Neighbours& neighbours_;
    const LocalSearchSettings settings_;
    RoutePrice<M> price_;
    LinkedRoutes<M> routes_;
    SwapStar<M> swap_star_;
    double min_gain_ = 0.0;
    long now_ = 0;                   // counts loads and applied moves; never goes back, so no stamp is met twice
    std::vector<int> order_;
    std::vector<long> tested_;       // per customer: `now_` at its last test
    std::vector<long> pairs_tested_; // per route: `now_` when its pairs were last tested
    std::vector<int> close_;
    std::vector<char> is_close_;     // per route, all 0 between calls
};

}  // namespace fripn::search
