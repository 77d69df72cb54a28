// Tabu search for the fleet mix: relocate, swap and 2-opt* between routes, with overload at a price.
//
// A customer that left a route may not return to it for a while, unless that gives a new best plan.
// Reference: M. Gendreau, G. Laporte, C. Musaraganyi, É. D. Taillard, "A tabu search heuristic for the
// heterogeneous fleet vehicle routing problem", Computers & Operations Research 26 (1999),
// doi 10.1016/S0305-0548(98)00100-2.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "baselines/engine_parts.h"
#include "cost.h"
#include "instance.h"
#include "rng.h"
#include "search/limits.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/split.h"
#include "baselines/large_neighbourhood.h"
#include "baselines/moves.h"
#include "baselines/penalised_routes.h"

namespace fripn::baselines {

struct TabuSettings {
    int num_neighbours = 24;
    int min_tenure = 5;
    int max_tenure = 20;
    int max_customers = 250;          // customers whose moves one iteration looks at
    std::uint64_t shake_after = 400;  // iterations without a better plan since the last shake
};

class TabuSearch {
public:
    // `start` must be complete and keep all limits.
    TabuSearch(const Instance& instance, const TabuSettings& settings, const Plan& start, std::uint64_t seed);

    // Seconds used and left; a recut of a plan with many limited types ends with them.
    void set_clock(double /*used*/, double left) { seconds_left_ = left, clock_ = Clock(); }

    // Up to that many iterations; fewer once `stop` is set; true when the best plan improved.
    bool run(std::uint64_t iterations, const std::atomic<bool>& stop);

    [[nodiscard]] const Plan& best() const { return best_; }

private:
    void iterate(const Deadline& deadline);
    [[nodiscard]] bool is_tabu(const Move& move) const;
    void forbid_return(const Move& move);
    void keep_if_better();
    void shake(const Deadline& deadline);
    void adapt_penalty();
    std::uint64_t& expiry(int customer, int route);
    [[nodiscard]] std::uint64_t expiry(int customer, int route) const;

    const Instance& instance_;
    const TabuSettings settings_;
    const FleetCost fleet_;
    const Neighbours neighbours_;
    PenalisedRoutes state_;
    LargeNeighbourhood shaker_;
    Split<> split_;
    Rng rng_;
    double seconds_left_ = infinity;
    Clock clock_;
    Plan best_;
    Plan local_best_;                  // since the last shake
    std::vector<int> order_;
    std::vector<std::uint64_t> expiry_;
    std::uint64_t iteration_ = 0;
    std::uint64_t last_improvement_ = 0;
    double penalty_ = 1.0;
    double base_penalty_ = 1.0;
    int num_feasible_ = 0;             // since the penalty was last adapted
};

}  // namespace fripn::baselines
