#include "search/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fripn::search {

double mean_arc_cost(const Instance& instance, const Plan& plan) {
    double travel = 0.0;
    for (const PlanRoute& route : plan.routes)
        travel += route_measure<CapacityMeasure>(instance, route.customers)
                      .cost(instance.vehicle_type(route.type).tariff().hired());
    const double arcs = static_cast<double>(instance.num_customers()) + static_cast<double>(plan.routes.size());
    return std::max(travel / arcs, 1e-3 * plan.cost / arcs);
}

void sort_by_angle(const Instance& instance, Plan& plan) {
    if (!instance.has_coordinates()) return;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t r = 0; r < plan.routes.size(); ++r) {
        double x = 0.0;
        double y = 0.0;
        for (const int c : plan.routes[r].customers) {
            x += instance.x(c) - instance.x(0);
            y += instance.y(c) - instance.y(0);
        }
        order.emplace_back(std::atan2(y, x), r);
    }
    std::sort(order.begin(), order.end());
    std::vector<PlanRoute> routes;
    for (const auto& entry : order) routes.push_back(std::move(plan.routes[entry.second]));
    plan.routes = std::move(routes);
}

std::vector<int> giant_tour(const Instance& instance, const Plan& plan) {
    Plan sorted = plan;
    sort_by_angle(instance, sorted);
    std::vector<int> tour;
    for (const PlanRoute& route : sorted.routes) tour.insert(tour.end(), route.customers.begin(), route.customers.end());
    return tour;
}

}  // namespace fripn::search
