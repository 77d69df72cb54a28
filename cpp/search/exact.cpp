#include "search/exact.h"

#include "customer_sets.h"

namespace fripn::search {

Plan cheapest_plan(const Instance& instance, const FleetCost& fleet) {
    using customer_sets::Set;
    const auto go_on = [] {};
    const customer_sets::Tours tours(instance, fleet.largest_limit(), go_on);
    // Of the shortest tour: with capacities alone no other can be cheaper.
    const auto measure = [&](Set set) { return CapacityMeasure{tours.load(set), tours.length(set)}; };
    std::vector<double> route_costs(tours.num_sets(), infinity);
    for (Set set = 1; set < tours.num_sets(); ++set)
        if (tours.load(set) <= fleet.largest_limit()) route_costs[set] = fleet.cost(measure(set));
    Plan plan;
    for (const Set route : customer_sets::cheapest_division(route_costs, go_on))
        plan.routes.push_back({fleet.choose(measure(route)).type, tours.customers(route)});
    if (plan.routes.empty()) return plan;
    plan.cost = plan_cost(instance, plan);
    return plan;
}

}  // namespace fripn::search
