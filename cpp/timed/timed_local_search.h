// Local search over timed routes that may break limits at a price: every move that helps, until none does.
//
// All moves but SWAP* bring a customer behind one of its good predecessors: pieces of one or two customers move or change
// places, tails change places (which merges and divides routes), and parts of routes turn round.
#pragma once

#include <vector>

#include "rng.h"
#include "search/limits.h"
#include "search/plan.h"
#include "timed/predecessors.h"
#include "timed/timed_routes.h"

namespace fripn::timed {

class TimedLocalSearch {
public:
    TimedLocalSearch(const Model& model, const search::Neighbours& nearest, int num_neighbours);

    struct Outcome {
        Plan plan;         // cost without penalties
        Amounts excess;
        bool is_complete;  // every customer has a vehicle that may serve it
    };

    // A local optimum near `plan`. Customers that the plan leaves out are inserted first. Ends early, with what it has,
    // when the deadline comes.
    Outcome operator()(const Plan& plan, const Amounts& penalties, Rng& rng, const search::Deadline& deadline);

private:
    struct SwapMove {
        double change = 0.0;
        int first = 0;
        int first_before = 0;
        int second = 0;
        int second_before = 0;
    };
    // The best places of a customer in another route.
    struct Places {
        static constexpr int num = 3;
        double price[num];
        int before[num];
    };

    bool insert_absent(Rng& rng, const search::Deadline& deadline);
    bool improve_customer(int u, long tested_at, bool tries_empty);
    // All moves that bring u directly behind v.
    bool attempt_all(int u, int v);
    bool attempt(const Exchange& move);
    template <class Apply>
    bool apply_if(double change, Apply apply);
    bool improve_route_pairs(const search::Deadline& deadline);
    void find_close(int route);
    void find_places(int from, int to, std::vector<Places>& places);
    [[nodiscard]] SwapMove best_swap(int first, int second);

    const Model& model_;
    const search::Neighbours& nearest_;
    const Predecessors predecessors_;
    const int num_close_;
    const bool has_windows_;
    TimedPrice price_;
    TimedRoutes routes_;
    double min_gain_ = 0.0;
    long now_ = 0;                   // counts loads and applied moves; never goes back, so no stamp is met twice
    std::vector<int> order_;
    std::vector<long> tested_;       // per customer: `now_` at its last test
    std::vector<long> pairs_tested_; // per route: `now_` when its pairs were last tested
    std::vector<int> close_;
    std::vector<char> is_close_;     // per route, all 0 between calls
    std::vector<Places> first_places_;
    std::vector<Places> second_places_;
    std::vector<double> first_without_;
    std::vector<double> second_without_;
};

}  // namespace fripn::timed
