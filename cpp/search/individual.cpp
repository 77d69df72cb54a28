#include "search/individual.h"

#include <algorithm>
#include <utility>

namespace fripn::search {

void Links::fill(const Instance& instance, Plan& plan) {
    const std::size_t size = static_cast<std::size_t>(instance.num_customers()) + 1;
    next.assign(size, 0);
    previous.assign(size, 0);
    for (const PlanRoute& route : plan.routes)
        for (std::size_t i = 0; i < route.customers.size(); ++i) {
            const auto c = static_cast<std::size_t>(route.customers[i]);
            if (i > 0) previous[c] = route.customers[i - 1];
            if (i + 1 < route.customers.size()) next[c] = route.customers[i + 1];
        }
    sort_by_angle(instance, plan);
    tour.clear();
    for (const PlanRoute& route : plan.routes) tour.insert(tour.end(), route.customers.begin(), route.customers.end());
}

template <Measure M>
Individual make_individual(const Instance& instance, Plan plan) {
    Individual individual;
    for (const PlanRoute& route : plan.routes)
        individual.excess +=
            route_measure<M>(instance, route.customers).excess(M::limit(instance.vehicle_type(route.type)));
    individual.fill(instance, plan);
    individual.plan = std::move(plan);
    return individual;
}

template Individual make_individual<CapacityMeasure>(const Instance& instance, Plan plan);

double broken_pairs(const Links& a, const Links& b) {
    const std::size_t size = a.next.size();
    int broken = 0;
    for (std::size_t c = 1; c < size; ++c) {
        const int next = a.next[c];
        if (next != b.next[c] && next != b.previous[c]) ++broken;
        if (a.previous[c] == 0 && b.previous[c] != 0 && b.next[c] != 0) ++broken;
    }
    return static_cast<double>(broken) / static_cast<double>(size - 1);
}

}  // namespace fripn::search
