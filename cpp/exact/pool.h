// The cheapest plan that a list of routes makes: linear programs with cuts, branching, integer programs at the leaves.
#pragma once

#include <functional>
#include <vector>

#include "exact/bounds.h"
#include "exact/lp.h"
#include "exact/master.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

struct PoolStatistics {
    int nodes = 0;
    int subset_cuts = 0;
    int fleet_cuts = 0;
    int integer_programs = 0;
};

// The plan that an integral solution of a master problem is; empty when it is none.
[[nodiscard]] std::vector<Column> plan_of(const Problem& problem, const Master& master);

class PoolSearch {
public:
    struct Events {
        std::function<void(double bound)> on_bound;                      // for the plans of this pool
        std::function<void(const std::vector<Column>& plan)> on_plan;    // cheaper than the best one before
        std::function<double()> best_cost;
    };

    PoolSearch(const Problem& problem, const LpSolver& lp, bool use_subset_cuts, bool use_fleet_cuts,
               bool use_strong_branching, const Watch& watch, Events events);

    // No plan of these routes within the fleet costs less than the result or than `target()`, whichever is lower: when it
    // returns, everything below the target has been ruled out. False when HiGHS gave up.
    bool run(std::vector<Column> pool, const FleetBounds& fleet, const std::vector<FleetCut>& cuts,
             const std::vector<CapacityCut>& capacity_cuts, double bound, const std::function<double()>& target);

    [[nodiscard]] const PoolStatistics& statistics() const { return statistics_; }

private:
    struct Node {
        double bound;
        int depth;
        FleetBounds fleet;
        std::vector<int> routes;               // of the pool
        std::vector<FleetCut> fleet_cuts;
        std::vector<SubsetCut> subset_cuts;
    };
    enum class Step { closed, open, failed };

    Step process(Node& node);
    // Solves the linear program over the routes of the node, by adding routes of negative reduced cost.
    bool solve_relaxation(const Node& node, Master& master, Evidence& evidence, std::vector<double>& reduced) const;
    bool separate_fleet(Node& node, Master& master);
    bool separate_subsets(Master& master);
    // An integer program over some routes. Whether it was solved within the time.
    bool solve_integer_program(const Node& node, const std::vector<int>& routes, double seconds);
    void look_for_plan(const Node& node, const std::vector<double>& reduced);
    void branch(const Node& node, Master& master);
    // A number of vehicles, or whether two customers share a route.
    struct Choice {
        int type;              // -1 for two customers
        int i, j;
        double value;          // in the solution of the linear program
        double distance;       // of the value from an integer

        // Whether a route is not on one side of a choice between two customers; above, they share a route.
        [[nodiscard]] bool excludes(bool is_above, const Column& route) const;
    };
    [[nodiscard]] std::vector<Choice> choices(const Master& master) const;
    [[nodiscard]] Choice choose(const Node& node, Master& master, const std::vector<Choice>& all) const;
    [[nodiscard]] double best_cost() const { return events_.best_cost(); }
    void tell(double bound) const;

    const Problem& problem_;
    const LpSolver& lp_;
    const bool use_subset_cuts_, use_fleet_cuts_, use_strong_branching_;
    const Watch& watch_;
    const Events events_;
    const std::vector<double> trips_;
    std::vector<Column> pool_;
    std::vector<CapacityCut> capacity_cuts_;
    std::vector<Node> waiting_;
    std::function<double()> target_;
    PoolStatistics statistics_;
    bool has_looked_ = false;
};

}  // namespace fripn::exact
