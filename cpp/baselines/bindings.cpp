// Bindings of the baselines' operators: conversions and the GIL, no logic.
#include "bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "search/plan.h"
#include "stop_flag.h"
#include "baselines/alns.h"
#include "baselines/genetic.h"
#include "baselines/large_neighbourhood.h"
#include "baselines/moves.h"
#include "baselines/route_order.h"
#include "baselines/tabu.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

using namespace baselines;
using namespace search;

namespace {

// How plans cross into Python: (vehicle type, customers) per route.
using Routes = std::vector<std::pair<int, std::vector<int>>>;

Routes to_routes(const Plan& plan) {
    Routes routes;
    for (const PlanRoute& route : plan.routes)
        if (!route.customers.empty()) routes.emplace_back(route.type, route.customers);
    return routes;
}

Plan to_plan(const Instance& instance, const Routes& routes) {
    Plan plan;
    for (const auto& [type, customers] : routes) plan.routes.push_back({type, customers});
    plan.cost = plan_cost(instance, plan);
    return plan;
}

template <class Search, class Settings>
nb::class_<Search> bind_stepwise_search(nb::module_& module, const char* name, const char* doc) {
    return nb::class_<Search>(module, name, doc)
        .def(
            "__init__",
            [](Search* self, const Instance& instance, const Settings& settings, const Routes& start,
               std::uint64_t seed) { new (self) Search(instance, settings, to_plan(instance, start), seed); },
            "instance"_a, "settings"_a, "start"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def(
            "run",
            [](Search& self, std::uint64_t iterations, const StopFlag* stop) {
                return self.run(iterations, flag_of(stop));
            },
            "iterations"_a, "stop"_a.none() = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
            "Go on for so many iterations, fewer once `stop` is set; true when the best plan improved.")
        .def("best", [](const Search& self) { return to_routes(self.best()); },
             "Routes of the best plan as (type, customers) pairs.")
        .def_prop_ro("best_cost", [](const Search& self) { return self.best().cost; });
}

}  // namespace

void bind_baselines(nb::module_& module) {
    nb::enum_<Destroy>(module, "Destroy", "Which customers leave a plan.")
        .value("RANDOM", Destroy::random)
        .value("WORST", Destroy::worst)
        .value("RELATED", Destroy::related)
        .value("ROUTE", Destroy::route)
        .value("STRING", Destroy::string);
    nb::enum_<Repair>(module, "Repair", "Which customer returns next.")
        .value("GREEDY", Repair::greedy)
        .value("REGRET2", Repair::regret2)
        .value("REGRET3", Repair::regret3);
    nb::class_<LnsPlan>(module, "LnsPlan", "A plan between two operators; never changes.")
        .def_ro("cost", &LnsPlan::objective, "Cost, plus a price for every customer left out.")
        .def_prop_ro("num_absent", [](const LnsPlan& self) { return self.absent.size(); })
        .def_prop_ro("is_complete", [](const LnsPlan& self) { return self.absent.empty(); })
        .def("routes", [](const LnsPlan& self) { return to_routes(self.plan); });
    nb::class_<LargeNeighbourhood>(module, "LargeNeighbourhood", "Destroy and repair operators for one instance.")
        .def(nb::init<const Instance&, std::uint64_t>(), "instance"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def(
            "evaluate",
            [](LargeNeighbourhood& self, const Instance& instance, const Routes& routes) {
                return self.evaluate(to_plan(instance, routes));
            },
            "instance"_a, "routes"_a)
        .def(
            "rebuild",
            [](LargeNeighbourhood& self, const LnsPlan& current, Destroy destroy, Repair repair, int num_removed,
               const StopFlag* stop) { return self.rebuild(current, destroy, repair, num_removed, flag_of(stop)); },
            "current"_a, "destroy"_a, "repair"_a, "num_removed"_a, "stop"_a.none() = nb::none(),
            nb::call_guard<nb::gil_scoped_release>());

    nb::class_<AlnsSettings>(module, "AlnsSettings", "Settings of the search; see fripn.baselines.alns.")
        .def(nb::init<>())
        .def_rw("min_removed", &AlnsSettings::min_removed)
        .def_rw("max_removed", &AlnsSettings::max_removed)
        .def_rw("max_share", &AlnsSettings::max_share)
        .def_rw("start_temperature", &AlnsSettings::start_temperature)
        .def_rw("end_temperature", &AlnsSettings::end_temperature)
        .def_rw("decay", &AlnsSettings::decay)
        .def_rw("cycle", &AlnsSettings::cycle);
    bind_stepwise_search<AlnsSearch, AlnsSettings>(module, "AlnsSearch", "An adaptive large neighbourhood search under way.")
        .def("set_clock", &AlnsSearch::set_clock, "used"_a, "left"_a, "Seconds used and left.");

    module.def(
        "order_routes",
        [](const Instance& instance, const Routes& routes) {
            return to_routes(order_routes(instance, to_plan(instance, routes)));
        },
        "instance"_a, "routes"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Improve the order within each route by relocate and 2-opt.");
    testing_module(module).def(
        "audit_moves",
        [](const Instance& instance, const Routes& routes, double penalty, int rounds, std::uint64_t seed) {
            Rng rng(seed);
            return audit_moves(instance, to_plan(instance, routes), penalty, rounds, rng);
        },
        "instance"_a, "routes"_a, "penalty"_a, "rounds"_a, "seed"_a,
        "Make random moves and compare promised with real changes of cost; gives the number of moves made.");
    nb::class_<TabuSettings>(module, "TabuSettings", "Settings of the tabu search; see fripn.baselines.tabu.")
        .def(nb::init<>())
        .def_rw("num_neighbours", &TabuSettings::num_neighbours)
        .def_rw("min_tenure", &TabuSettings::min_tenure)
        .def_rw("max_tenure", &TabuSettings::max_tenure)
        .def_rw("max_customers", &TabuSettings::max_customers)
        .def_rw("shake_after", &TabuSettings::shake_after);
    bind_stepwise_search<TabuSearch, TabuSettings>(module, "TabuSearch", "A tabu search under way.")
        .def("set_clock", &TabuSearch::set_clock, "used"_a, "left"_a, "Seconds used and left.");

    nb::class_<GeneticSettings>(module, "GeneticSettings", "Settings of the genetic algorithm; see fripn.baselines.genetic.")
        .def(nb::init<>())
        .def_rw("population", &GeneticSettings::population)
        .def_rw("mutation_rate", &GeneticSettings::mutation_rate)
        .def_rw("num_neighbours", &GeneticSettings::num_neighbours)
        .def_rw("renew_after", &GeneticSettings::renew_after);
    bind_stepwise_search<Genetic, GeneticSettings>(module, "Genetic", "A genetic algorithm under way.")
        .def("set_clock", &Genetic::set_clock, "used"_a, "left"_a, "Seconds used and left.");
}

}  // namespace fripn
