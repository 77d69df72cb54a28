// The exact method: column generation, cuts, enumeration, branching.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "exact/bounds.h"
#include "exact/branching.h"
#include "exact/completion.h"
#include "exact/enumeration.h"
#include "exact/lp.h"
#include "exact/master.h"
#include "exact/ng_sets.h"
#include "exact/pool.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

struct Settings {
    int ng_size = 8;
    bool fleet_cuts = true;
    bool capacity_cuts = true;
    bool subset_cuts = true;
    bool smoothing = true;
    bool dual_ascent = true;
    int dual_ascent_from = 150;             // customers: below, column generation is soon done
    bool fixing = true;
    bool enumeration = true;
    bool branching = true;
    bool strong_branching = true;           // try several ways to branch and take the one that raises the bound most
    bool customer_sets = true;              // a dynamic program over them where there are few customers
    int num_threads = 1;
    double gap = 0.0;                       // stop when the bound is within this fraction of the plan's cost
    std::size_t max_labels = 2'000'000;     // of one enumeration
    std::size_t max_routes = 400'000;       // of all enumerations at a node
    int max_nodes = 1'000'000;
};

struct Statistics {
    int nodes = 0;
    int columns = 0;
    int fleet_cuts = 0;
    int capacity_cuts = 0;
    int subset_cuts = 0;
    int rounds = 0;                         // of pricing
    int exact_rounds = 0;
    std::size_t enumerated = 0;             // routes
    int integer_programs = 0;
    int pool_nodes = 0;                     // of the search among enumerated routes
    double root_bound = 0.0;                // before subset cuts
};

enum class Proof { none, root, enumeration, branching, customer_sets };

// What ended a run before its time: what was proven until then stands.
enum class Failure { none, linear_program, memory };

struct Outcome {
    double lower_bound;
    std::vector<Column> plan;               // the best one found by this method; empty when the given one stands
    double plan_cost;
    double known_cost;                      // of the cheapest plan that was known at the end, by whomever
    bool is_optimal = false;                // no plan costs less by more than `relative_tolerance`
    bool is_infeasible = false;             // there is no plan at all
    bool is_stopped = false;
    Failure failure = Failure::none;
    Proof proof = Proof::none;
    Statistics statistics;
};

// A plan counts as optimal when none costs less by more than this fraction, and bounds are lowered by it.
inline constexpr double relative_tolerance = 1e-7;

class Solver {
public:
    struct Events {
        std::function<void(double bound)> on_bound;
        std::function<void(double cost, const std::vector<Column>& plan)> on_plan;
        // A cost at which a plan is known by others; infinity when there is none.
        std::function<double()> known_cost;
    };

    Solver(const Problem& problem, const LpSolver& lp, const Settings& settings, const Watch& watch, Events events);

    // `plan_cost` is the cost of a known plan (infinity when there is none); `routes` are first columns, its routes among
    // them.
    Outcome run(double plan_cost, const std::vector<Column>& routes);

private:
    struct Node {
        double bound;
        int depth;
        FleetBounds fleet;
        std::vector<ArcRow> rows;
    };
    struct Bounded {
        double bound;
        Evidence evidence;                  // of the exact pricing that gave the bound
    };

    void process(Node& node);
    Bounded generate(const Node& node, const ArcSet& arcs);
    bool separate_fleet();
    // Adds capacity cuts, and subset cuts, which make pricing harder, where asked to or where there are none of these.
    bool separate(bool with_subset_cuts);
    bool enumerate(const Node& node, ArcSet& arcs, const Evidence& evidence, std::vector<Column>& pool);
    void search_pool(Node& node, std::vector<Column> pool);
    void branch(Node& node);
    // The candidate whose two sides promise the highest bounds.
    BranchCandidate choose_branch(const Node& node, std::vector<BranchCandidate> candidates);
    // The value of the linear program of a node after some rounds of quick pricing: an estimate, not a bound.
    double estimate(const Node& node, int rounds);
    void load(const Node& node);
    // An integer program over the best columns of the master problem, for a while.
    void look_for_plan(const DualPoint& point);
    // Whether a dynamic program over all sets of customers is quick, and overlooks no limit of the fleet.
    [[nodiscard]] bool can_divide_sets() const;
    void divide_sets(Node& root);
    // A first bound by dual ascent, from penalties that fit the given routes.
    void ascend(const std::vector<Column>& routes);
    void offer_plan_of_master();
    void offer(const std::vector<Column>& plan);
    void set_bound(double bound);
    void read_known_cost();

    [[nodiscard]] std::vector<char> open_types(const Node& node) const;
    [[nodiscard]] ArcSet arcs_of(const Node& node) const;
    [[nodiscard]] bool is_closed(double bound) const { return bound >= target(); }
    [[nodiscard]] double target() const;
    // Routes whose reduced cost is above minus this are not worth a column.
    [[nodiscard]] double pricing_tolerance() const;

    const Problem& problem_;
    const LpSolver& lp_;
    const Settings settings_;
    const Watch& watch_;
    const Events events_;
    const NgSets ng_sets_;
    const std::vector<double> trips_;       // what a vehicle of each type costs at least
    ArcSet arcs_;                           // that a better plan may use, anywhere in the tree
    FleetBounds fleet_;                     // the same for vehicles
    double upper_ = 0.0;
    double lower_ = 0.0;
    double open_bound_ = 0.0;               // least bound of the other nodes
    std::unique_ptr<Master> master_;
    std::vector<Node> waiting_;
    Outcome outcome_;
};

}  // namespace fripn::exact
