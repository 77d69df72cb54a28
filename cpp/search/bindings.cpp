// Bindings of the search engine.
#include "../bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "../cost.h"
#include "neighbours.h"
#include "plan.h"
#include "savings.h"
#include "split.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

// How plans cross into Python: (vehicle type, customers) per route.
using Routes = std::vector<std::pair<int, std::vector<int>>>;

constexpr int savings_neighbours = 100;

Routes to_routes(const Plan& plan) {
    Routes routes;
    for (const PlanRoute& route : plan.routes)
        if (!route.customers.empty()) routes.emplace_back(route.type, route.customers);
    return routes;
}

}  // namespace

void bind_search(nb::module_& module) {
    module.def(
        "split",
        [](const Instance& instance, const std::vector<int>& tour) {
            Plan plan;
            {
                nb::gil_scoped_release release;
                const FleetCost fleet(instance);
                plan = Split(instance, fleet)(tour);
            }
            return to_routes(plan);
        },
        "instance"_a, "tour"_a,
        "Optimal cuts and types of a giant tour as (type, customers) pairs; empty when the limited fleet offers none.");
    module.def(
        "savings",
        [](const Instance& instance) {
            Plan plan;
            {
                nb::gil_scoped_release release;
                const FleetCost fleet(instance);
                const Neighbours neighbours(instance, savings_neighbours);
                plan = savings(instance, fleet, neighbours);
            }
            return to_routes(plan);
        },
        "instance"_a, "Savings finished by the optimal split; empty when no plan within the fleet's limits was found.");
}

}  // namespace fripn
