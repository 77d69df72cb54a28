// Destroy and repair operators of adaptive large neighbourhood search, on the engine's search state.
//
// Reference: S. Ropke and D. Pisinger, "An adaptive large neighborhood search heuristic for the pickup
// and delivery problem with time windows", Transportation Science 40 (2006), doi 10.1287/trsc.1050.0135.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "baselines/engine_parts.h"
#include "cost.h"
#include "instance.h"
#include "rng.h"
#include "stop_flag.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/search_state.h"

namespace fripn::baselines {

enum class Destroy { random, worst, related, route, string };

// How many alternatives a repair compares: the customer inserted next is the one that would lose
// most if its best route were taken (1: the cheapest insertion first).
enum class Repair { greedy = 1, regret2 = 2, regret3 = 3 };

// A plan between two operators; customers may be left out when the limited fleet has no room.
struct LnsPlan {
    Plan plan;
    std::vector<int> absent;
    double objective = infinity;  // cost, plus a price for every customer left out
};

class LargeNeighbourhood {
public:
    LargeNeighbourhood(const Instance& instance, std::uint64_t seed);

    // A plan as a starting point; customers it does not visit are absent.
    [[nodiscard]] LnsPlan evaluate(const Plan& plan);

    // Destroy some of the plan, about `num_removed` customers, and repair it. Once `stop` is set, customers that
    // are not back yet stay out.
    [[nodiscard]] LnsPlan rebuild(const LnsPlan& current, Destroy destroy, Repair repair, int num_removed,
                                  const std::atomic<bool>& stop = flag_of(nullptr));

    // What a customer without a vehicle costs: more than any customer can cost with one.
    [[nodiscard]] double absent_cost() const { return absent_cost_; }

private:
    // Where a customer could go: change of cost and position for one route.
    struct Place {
        double change = infinity;
        int position = 1;
    };

    void destroy_random(int num_removed);
    void destroy_worst(int num_removed);
    void destroy_related(int num_removed);
    void destroy_routes(int num_removed);
    void destroy_strings(int num_removed);
    void remove(int customer);
    void repair(Repair repair, const std::atomic<bool>& stop);
    [[nodiscard]] Place best_place(int customer, int slot) const;
    void hire();
    [[nodiscard]] int random_served();
    [[nodiscard]] LnsPlan unload() const;

    const Instance& instance_;
    const FleetCost fleet_;
    const Neighbours neighbours_;
    SearchState<CapacityMeasure> state_;
    Rng rng_;
    double absent_cost_ = 0.0;
    bool keeps_types_ = false;          // insertions into a route see its present vehicle only
    std::vector<int> hired_;            // vehicles hired in advance for this repair
    std::vector<int> absent_;
    std::vector<std::vector<Place>> places_;  // per absent customer and route
};

}  // namespace fripn::baselines
