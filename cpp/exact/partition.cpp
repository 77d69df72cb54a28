#include "exact/partition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Partition cheapest_partition(const Problem& problem, const LpSolver& lp, const std::vector<const Column*>& routes,
                             const FleetBounds& fleet, const std::vector<FleetCut>& cuts, Cover cover, double cutoff,
                             double seconds, const Watch& watch) {
    const int n = problem.num_customers();
    const int types = problem.num_types();
    const bool is_once = cover == Cover::once || !problem.has_triangle_inequality();
    IntegerProgram program;
    program.cutoff = cutoff;
    program.row_lower.assign(at(n), 1.0);
    program.row_upper.assign(at(n), is_once ? 1.0 : infinity);
    for (int k = 0; k < types; ++k) {
        program.row_lower.push_back(fleet.lower[at(k)]);
        program.row_upper.push_back(fleet.upper[at(k)]);
    }
    for (const FleetCut& cut : cuts) {
        program.row_lower.push_back(cut.least - 1e-9 * std::abs(cut.least));
        program.row_upper.push_back(infinity);
    }
    for (const Column* route : routes) {
        program.costs.push_back(route->cost);
        program.upper.push_back(1.0);
        std::vector<int> customers = route->customers;
        std::sort(customers.begin(), customers.end());
        for (const int i : customers) program.columns.add(i - 1, 1.0);
        program.columns.add(n + route->type, 1.0);
        for (std::size_t c = 0; c < cuts.size(); ++c)
            if (const double weight = cuts[c].weights[at(route->type)]; weight != 0.0)
                program.columns.add(n + types + static_cast<int>(c), weight);
        program.columns.end_item();
    }
    const IntegerOutcome solved = lp.solve(program, std::min(seconds, watch.seconds_left()), watch);
    Partition outcome{solved.is_solved, {}};
    if (solved.values.empty()) return outcome;
    std::vector<char> is_visited(at(n + 1), 0);
    bool is_plan = true;
    for (std::size_t r = 0; r < routes.size(); ++r) {
        if (solved.values[r] < 0.5) continue;
        Column route{routes[r]->type, routes[r]->cost, {}};
        for (const int i : routes[r]->customers)
            if (!std::exchange(is_visited[at(i)], 1)) route.customers.push_back(i);
        if (route.customers.size() < routes[r]->customers.size()) {
            is_plan = is_plan && !is_once;
            if (route.customers.empty()) continue;
            route.cost = problem.route_cost(route.type, route.customers);
        }
        outcome.plan.push_back(std::move(route));
    }
    is_plan = is_plan && std::all_of(is_visited.begin() + 1, is_visited.end(), [](char v) { return v != 0; });
    double cost = 0.0;
    for (const Column& route : outcome.plan) cost += route.cost;
    // The solver does not promise to keep to the cutoff.
    if (!is_plan || cost >= cutoff) outcome.plan.clear();
    return outcome;
}

}  // namespace fripn::exact
