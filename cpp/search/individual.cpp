#include "search/individual.h"

#include <algorithm>
#include <utility>

namespace fripn::search {

template <Measure M>
Individual make_individual(const Instance& instance, Plan plan) {
    Individual individual;
    const std::size_t size = static_cast<std::size_t>(instance.num_customers()) + 1;
    individual.next.assign(size, 0);
    individual.previous.assign(size, 0);
    for (const PlanRoute& route : plan.routes) {
        for (std::size_t i = 0; i < route.customers.size(); ++i) {
            const auto c = static_cast<std::size_t>(route.customers[i]);
            if (i > 0) individual.previous[c] = route.customers[i - 1];
            if (i + 1 < route.customers.size()) individual.next[c] = route.customers[i + 1];
        }
        individual.excess +=
            route_measure<M>(instance, route.customers).excess(M::limit(instance.vehicle_type(route.type)));
    }
    sort_by_angle(instance, plan);
    for (const PlanRoute& route : plan.routes)
        individual.tour.insert(individual.tour.end(), route.customers.begin(), route.customers.end());
    individual.plan = std::move(plan);
    return individual;
}

template Individual make_individual<CapacityMeasure>(const Instance& instance, Plan plan);

double broken_pairs(const Individual& a, const Individual& b) {
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
