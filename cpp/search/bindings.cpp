// Bindings of the search engine: conversions, the GIL and signals, no logic.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "cost.h"
#include "stop_flag.h"
#include "search/annealing.h"
#include "search/engine.h"
#include "search/exact.h"
#include "search/genetic.h"
#include "search/linked_routes.h"
#include "search/local_search.h"
#include "search/moves/all.h"
#include "search/moves/swap_star.h"
#include "search/neighbours.h"
#include "search/plan.h"
#include "search/route_crossover.h"
#include "search/route_pool.h"
#include "search/savings.h"
#include "search/set_partition.h"
#include "search/sisr.h"
#include "search/split.h"
#include "timed/model.h"
#include "timed/timed_routes.h"
#include "timed/timed_savings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

using namespace search;

namespace {

// How plans cross into Python: (vehicle type, customers) per route.
using Routes = std::vector<std::pair<int, std::vector<int>>>;

constexpr int savings_neighbours = 100;
constexpr int local_search_neighbours = 20;

Routes to_routes(const Plan& plan) {
    Routes routes;
    for (const PlanRoute& route : plan.routes)
        if (!route.customers.empty()) routes.emplace_back(route.type, route.customers);
    return routes;
}

Plan to_plan(const Instance& instance, const Routes& routes) {
    Plan plan;
    for (const auto& [type, customers] : routes) plan.routes.push_back({type, customers});
    plan.cost = instance.has_day() ? timed::Model(instance).cost(plan) : plan_cost(instance, plan);
    return plan;
}

bool keeps_all_limits(const Instance& instance, const Plan& plan) {
    return instance.has_day() ? timed::Model(instance).keeps_limits(plan) : keeps_limits(instance, plan);
}

Limits to_limits(std::optional<double> seconds, std::optional<std::uint64_t> iterations,
                 std::optional<std::uint64_t> stall, std::optional<double> target) {
    Limits limits;
    limits.seconds = seconds.value_or(infinity);
    limits.iterations = iterations.value_or(Limits::none);
    limits.stall = stall.value_or(Limits::none);
    limits.target = target.value_or(-infinity);
    return limits;
}

// What `search` returns: routes, iterations, whether a signal or `stop` ended it, and the curve.
using Found = std::tuple<Routes, std::uint64_t, bool, std::vector<std::pair<double, double>>>;

Found run_search(const Instance& instance, const EngineSettings& settings, const std::vector<Routes>& initial,
             std::optional<double> seconds, std::optional<std::uint64_t> iterations, std::optional<std::uint64_t> stall,
             std::optional<double> target, std::uint64_t seed, int threads, bool with_savings,
             const nb::object& on_improvement, const StopFlag* stop) {
    std::vector<Plan> plans;
    for (const Routes& routes : initial) {
        Plan plan = to_plan(instance, routes);
        if (keeps_all_limits(instance, plan)) plans.push_back(std::move(plan));
    }
    bool interrupted = false;
    std::exception_ptr raised;
    // Exceptions must not cross the engine: they end the search and are raised once its threads are done.
    const auto poll = [&](double found, const Plan* improved) {
        if (stop != nullptr && stop->is_set()) interrupted = true;
        const nb::gil_scoped_acquire acquire;
        try {
            if (PyErr_CheckSignals() != 0) {
                if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
                PyErr_Clear();
                interrupted = true;
            }
            if (improved != nullptr && !on_improvement.is_none())
                on_improvement(found, improved->cost, to_routes(*improved));
        } catch (const nb::python_error& error) {
            // A signal that arrives while the callback runs is raised there.
            if (error.matches(PyExc_KeyboardInterrupt)) interrupted = true;
            else raised = std::current_exception();
        } catch (...) {
            raised = std::current_exception();
        }
        return interrupted || raised != nullptr;
    };
    EngineOutcome outcome;
    {
        nb::gil_scoped_release release;
        Engine engine(instance, settings);
        outcome = engine.run(std::move(plans), with_savings, to_limits(seconds, iterations, stall, target), seed,
                             threads, poll);
    }
    if (raised != nullptr) std::rethrow_exception(raised);
    std::vector<std::pair<double, double>> curve;
    for (const Improvement& point : outcome.curve) curve.emplace_back(point.seconds, point.cost);
    return {to_routes(outcome.plan), outcome.iterations, interrupted, curve};
}

// The present plan, the best one and the iterations of a stretch of annealing.
std::tuple<Routes, Routes, std::uint64_t> anneal_stretch(const Instance& instance, const EngineSettings& settings,
                                                         const Routes& start, double first, double last,
                                                         std::optional<double> seconds,
                                                         std::optional<std::uint64_t> iterations, std::uint64_t seed,
                                                         const StopFlag* stop) {
    const Plan plan = to_plan(instance, start);
    bool is_interrupted = false;
    const auto is_stopped = [&] {
        if (stop != nullptr && stop->is_set()) return true;
        const nb::gil_scoped_acquire acquire;
        is_interrupted = PyErr_CheckSignals() != 0;   // only the main thread has signals
        return is_interrupted;
    };
    Annealed outcome;
    {
        nb::gil_scoped_release release;
        outcome = anneal(instance, plan, settings.sisr, {first, last}, to_limits(seconds, iterations, {}, {}), seed,
                         is_stopped);
    }
    if (is_interrupted) throw nb::python_error();
    return {to_routes(outcome.present), to_routes(outcome.best), outcome.iterations};
}

std::vector<Routes> search_many(const std::vector<const Instance*>& instances, const EngineSettings& settings,
                                std::optional<double> seconds, std::optional<std::uint64_t> iterations,
                                std::uint64_t seed, int threads, const StopFlag* stop) {
    std::vector<Plan> plans(instances.size());
    {
        nb::gil_scoped_release release;
        const std::atomic<bool>& is_stopped = flag_of(stop);
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < instances.size() && !is_stopped; i = next++) {
                Engine engine(*instances[i], settings);
                plans[i] = engine.run_here(to_limits(seconds, iterations, {}, {}), seed + i, is_stopped).plan;
            }
        };
        std::vector<std::jthread> pool;
        for (int t = 1; t < threads; ++t) pool.emplace_back(work);
        work();
    }
    std::vector<Routes> found;
    for (const Plan& plan : plans) found.push_back(to_routes(plan));
    return found;
}

// Call `work(M{})` with the measure of that name: the engine's, or the one without shortcuts, for the tests.
template <class Work>
auto with_measure(const std::string& name, Work&& work) {
    if (name == "capacity") return work(CapacityMeasure{});
    if (name == "joined") return work(JoinedMeasure{});
    throw std::invalid_argument("unknown measure: " + name);
}

// The same as below for timed routes: all moves bring customer u behind v (a customer, or -r - 1 for the start of route r,
// the last of which is empty).
std::pair<double, double> timed_move_change(const Instance& instance, const Routes& routes, const std::string& move, int u, int v,
                                            double penalty) {
    const timed::Model model(instance);
    timed::TimedPrice price(model);
    timed::Amounts penalties;
    penalties.of.fill(penalty);
    price.set_penalties(penalties);
    timed::TimedRoutes plan(model, price);
    plan.load(to_plan(instance, routes), 1);
    const auto none = std::pair(std::nan(""), std::nan(""));
    if (!plan.absent().empty()) return none;
    if (v < 0) v = plan.start_of(std::min(-v, plan.num_routes()) - 1);
    const double before = plan.recomputed_price();
    const auto outcome = [&](double change, auto apply) {
        if (change == infinity) return none;
        apply();
        return std::pair(change, plan.recomputed_price() - before);
    };
    const bool is_same = plan.route_of(u) == plan.route_of(v);
    const int before_u = plan.previous(u);
    if (before_u == v) return none;
    if (move == "2-opt") {
        if (!is_same || plan.position(v) >= plan.position(u)) return none;
        return outcome(plan.reversal_change(v, u), [&] { plan.reverse(v, u, 2); });
    }
    if (move == "2-opt*") {
        if (is_same) return none;
        return outcome(plan.tails_change(v, u), [&] { plan.exchange_tails(v, u, 2); });
    }
    if (move == "2-opt* reversed") {
        if (is_same) return none;
        return outcome(plan.reversed_heads_change(v, u), [&] { plan.exchange_reversed_heads(v, u, 2); });
    }
    if (move == "swap*") {
        const int w = plan.next(v);
        if (is_same || plan.is_depot(w)) return none;
        // Customer u goes to the front of the other route, w to the front of this one.
        const int front = plan.start_of(plan.route_of(v));
        const int own = plan.start_of(plan.route_of(u));
        const double old = plan.price_of(plan.route_of(u)) + plan.price_of(plan.route_of(v));
        return outcome(plan.price_instead(u, front, w) + plan.price_instead(w, own, u) - old,
                       [&] { plan.swap_to(u, front, w, own, 2); });
    }
    // Pieces that begin with u, and those that follow v: "exchange 2 1", "exchange 1 0", "exchange reversed 2 0" …
    const bool is_reversed = move.find("reversed") != std::string::npos;
    const int own_length = move[move.size() - 3] - '0';
    const int other_length = move.back() - '0';
    timed::Exchange exchange{{before_u, u}, {v, plan.next(v)}, is_reversed};
    for (int i = 0; i < own_length; ++i) {
        if (exchange.first.after == v || plan.is_depot(exchange.first.after)) return none;
        exchange.first.after = plan.next(exchange.first.after);
    }
    for (int i = 0; i < other_length; ++i) {
        if (exchange.second.after == u || plan.is_depot(exchange.second.after)) return none;
        exchange.second.after = plan.next(exchange.second.after);
    }
    return outcome(plan.exchange_change(exchange), [&] { plan.exchange(exchange, 2); });
}

// Predicted and recomputed change of a move between two nodes, for the tests; NaN twice when it does not apply.
template <class Move, Measure M>
std::pair<double, double> try_move(LinkedRoutes<M>& routes, int u, int v) {
    if (v < 0) v = routes.start_of(-v - 1);
    const First<M> first_node(routes, u);
    const Second<M> second_node(routes, first_node, v);
    const double predicted = Move::evaluate(routes, first_node, second_node);
    if (predicted == infinity) {
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        return {nothing, nothing};
    }
    const double before = routes.total_price();
    apply_move<Move>(routes, first_node, second_node);
    routes.update(first_node.route, 1);
    routes.update(second_node.route, 1);
    return {predicted, routes.total_price() - before};
}

template <Measure M>
std::pair<double, double> try_swap_star(LinkedRoutes<M>& routes, int first, int second) {
    SwapStar<M> swap_star(routes);
    const typename SwapStar<M>::Move move = swap_star.best(routes, first, second);
    if (move.u == 0) return {0.0, 0.0};
    const double before = routes.total_price();
    SwapStar<M>::apply(routes, move);
    routes.update(first, 1);
    routes.update(second, 1);
    return {move.change, routes.total_price() - before};
}

template <Measure M>
std::pair<double, double> move_change_with(const Instance& instance, const Plan& plan, const std::string& move, int u, int v,
                                           double penalty) {
    const RoutePrice<M> price(instance, penalty);
    LinkedRoutes<M> routes(instance, price);
    routes.load(plan);
    if (move == "relocate") return try_move<Relocate>(routes, u, v);
    if (move == "or-opt") return try_move<OrOpt<false>>(routes, u, v);
    if (move == "or-opt reversed") return try_move<OrOpt<true>>(routes, u, v);
    if (move == "swap") return try_move<Swap>(routes, u, v);
    if (move == "swap 2-1") return try_move<SwapTwoForOne>(routes, u, v);
    if (move == "2-opt") return try_move<TwoOpt>(routes, u, v);
    if (move == "2-opt*") return try_move<TwoOptStar>(routes, u, v);
    if (move == "2-opt* reversed") return try_move<TwoOptStarReversed>(routes, u, v);
    if (move == "swap*") return try_swap_star(routes, u, v);
    throw std::invalid_argument("unknown move: " + move);
}

std::pair<double, double> move_change(const Instance& instance, const Routes& routes, const std::string& move, int u, int v,
                                      double penalty, const std::string& measure) {
    const Plan plan = to_plan(instance, routes);
    if (measure == "unpruned") return move_change_with<UnprunedMeasure>(instance, plan, move, u, v, penalty);
    return with_measure(measure, [&]<Measure M>(M) { return move_change_with<M>(instance, plan, move, u, v, penalty); });
}

// The plan, and how often the search looked whether it must end.
std::pair<Routes, std::uint64_t> improve(const Instance& instance, const Routes& routes, std::uint64_t seed,
                                         const StopFlag* stop, const std::string& measure) {
    Plan plan = to_plan(instance, routes);
    const Clock clock;
    const Deadline deadline(clock, infinity, flag_of(stop));
    {
        nb::gil_scoped_release release;
        const Neighbours neighbours(instance, local_search_neighbours);
        Rng rng(seed);
        // A penalty that no gain outweighs keeps a feasible plan feasible.
        Plan improved = with_measure(measure, [&]<Measure M>(M) {
            LocalSearch<M> local_search(instance, neighbours, {local_search_neighbours});
            return local_search(plan, prohibitive_penalty(instance), rng, deadline);
        });
        if (keeps_limits(instance, improved) && improved.cost < plan.cost) plan = std::move(improved);
    }
    return {to_routes(plan), deadline.num_looks()};
}

// The best plan after some steps of ruin and recreate from a complete plan.
Routes ruin_and_recreate(const Instance& instance, const Routes& routes, int steps, std::uint64_t seed,
                         const std::string& measure) {
    const Plan plan = to_plan(instance, routes);
    const FleetCost fleet(instance);
    const Neighbours neighbours(instance, local_search_neighbours);
    Rng rng(seed);
    return with_measure(measure, [&]<Measure M>(M) {
        Sisr<M> sisr(instance, fleet, neighbours, {});
        sisr.load(plan);
        for (int i = 0; i < steps; ++i) sisr.iterate(0.0, rng);
        return to_routes(sisr.best());
    });
}

Routes cross(const Instance& instance, const Routes& first, const Routes& second, double penalty, std::uint64_t seed,
             const std::string& measure) {
    Plan parents[] = {to_plan(instance, first), to_plan(instance, second)};
    for (Plan& parent : parents) sort_by_angle(instance, parent);
    Rng rng(seed);
    return with_measure(measure, [&]<Measure M>(M) {
        return to_routes(RouteCrossover<M>(instance)(parents[0], parents[1], penalty, rng));
    });
}

// The cheapest plan out of the routes of several plans, the first of which is complete and feasible.
std::pair<Routes, std::uint64_t> partition(const Instance& instance, const std::vector<Routes>& plans) {
    RoutePool pool(instance, Limits::none);
    for (const Routes& routes : plans) pool.add(to_plan(instance, routes));
    Plan best = to_plan(instance, plans.front());
    const Clock clock;
    const Deadline deadline(clock, infinity, flag_of(nullptr));
    Plan found = SetPartition(instance, {})(pool, best, deadline);
    return {to_routes(found.cost < best.cost ? found : best), deadline.num_looks()};
}

}  // namespace

void bind_search(nb::module_& module) {
    nb::module_ testing = testing_module(module);
    module.attr("MAX_LOADS") = timed::max_loads;
    module.attr("MAX_ACCESS_GROUPS") = timed::max_access_groups;
    module.def(
        "split",
        [](const Instance& instance, const std::vector<int>& tour, const std::string& measure) {
            Plan plan;
            {
                nb::gil_scoped_release release;
                const FleetCost fleet(instance);
                plan = with_measure(measure, [&]<Measure M>(M) { return Split<M>(instance, fleet)(tour); });
            }
            return to_routes(plan);
        },
        "instance"_a, "tour"_a, "measure"_a = "capacity",
        "Optimal cuts and types of a giant tour as (type, customers) pairs; empty when the limited fleet offers none.");
    module.def(
        "savings",
        [](const Instance& instance, const StopFlag* stop, std::optional<double> seconds) {
            Plan plan;
            {
                nb::gil_scoped_release release;
                const Clock clock;
                const Neighbours neighbours(instance, savings_neighbours);
                const Deadline deadline(clock, seconds.value_or(infinity), flag_of(stop));
                if (instance.has_day())
                    plan = timed::first_plan(timed::Model(instance), neighbours, {}, deadline);
                else
                    plan = savings(instance, FleetCost(instance), neighbours, deadline);
            }
            return to_routes(plan);
        },
        "instance"_a, "stop"_a.none() = nb::none(), "seconds"_a.none() = nb::none(),
        "Savings finished by the optimal split; empty when no plan within the fleet's limits was found.");

    module.attr("MAX_EXACT_CUSTOMERS") = max_exact_customers;
    module.def(
        "cheapest_plan",
        [](const Instance& instance) {
            if (instance.num_customers() > max_exact_customers)
                throw std::invalid_argument("cheapest_plan takes at most 14 customers");
            Plan plan;
            {
                nb::gil_scoped_release release;
                plan = cheapest_plan(instance, FleetCost(instance));
            }
            return to_routes(plan);
        },
        "instance"_a, "The optimum of a small instance, limits of the fleet left aside, as (type, customers) pairs.");

    nb::class_<EngineSettings>(module, "EngineSettings", "Settings of the search; see fripn.search.Hgs.")
        .def(nb::init<>())
        .def_prop_rw(
            "genetic_share", [](const EngineSettings& s) { return s.genetic_share; },
            [](EngineSettings& s, double value) { s.genetic_share = value; })
        .def_prop_rw(
            "decomposition_share", [](const EngineSettings& s) { return s.decomposition_share; },
            [](EngineSettings& s, double value) { s.decomposition_share = value; })
        .def_prop_rw(
            "decomposition_customers", [](const EngineSettings& s) { return s.decomposition_customers; },
            [](EngineSettings& s, int value) { s.decomposition_customers = value; })
        .def_prop_rw(
            "decomposition_children", [](const EngineSettings& s) { return s.decomposition_children; },
            [](EngineSettings& s, int value) { s.decomposition_children = value; })
        .def_prop_rw(
            "min_population", [](const EngineSettings& s) { return s.genetic.population.min_size; },
            [](EngineSettings& s, int value) { s.genetic.population.min_size = value; })
        .def_prop_rw(
            "generation", [](const EngineSettings& s) { return s.genetic.population.generation; },
            [](EngineSettings& s, int value) { s.genetic.population.generation = value; })
        .def_prop_rw(
            "num_initial", [](const EngineSettings& s) { return s.genetic.num_initial; },
            [](EngineSettings& s, int value) { s.genetic.num_initial = value; })
        .def_prop_rw(
            "num_neighbours", [](const EngineSettings& s) { return s.genetic.local_search.num_neighbours; },
            [](EngineSettings& s, int value) { s.genetic.local_search.num_neighbours = value; })
        .def_prop_rw(
            "route_crossover_rate", [](const EngineSettings& s) { return s.genetic.route_crossover_rate; },
            [](EngineSettings& s, double value) { s.genetic.route_crossover_rate = value; })
        .def_prop_rw(
            "target_feasible", [](const EngineSettings& s) { return s.genetic.target_feasible; },
            [](EngineSettings& s, double value) { s.genetic.target_feasible = value; })
        .def_prop_rw(
            "restart_after", [](const EngineSettings& s) { return s.genetic.restart_after; },
            [](EngineSettings& s, int value) { s.genetic.restart_after = value; })
        .def_prop_rw(
            "partition_period", [](const EngineSettings& s) { return s.genetic.partition_period; },
            [](EngineSettings& s, int value) { s.genetic.partition_period = value; })
        .def_prop_rw(
            "burst_rate", [](const EngineSettings& s) { return s.genetic.burst_rate; },
            [](EngineSettings& s, double value) { s.genetic.burst_rate = value; })
        .def_prop_rw(
            "burst_length", [](const EngineSettings& s) { return s.genetic.burst_iterations; },
            [](EngineSettings& s, double value) { s.genetic.burst_iterations = value; })
        .def_prop_rw(
            "start_temperature", [](const EngineSettings& s) { return s.start_temperature; },
            [](EngineSettings& s, double value) { s.start_temperature = value; })
        .def_prop_rw(
            "end_temperature", [](const EngineSettings& s) { return s.end_temperature; },
            [](EngineSettings& s, double value) { s.end_temperature = value; })
        .def_prop_rw(
            "mean_removed", [](const EngineSettings& s) { return s.sisr.ruin.mean_removed; },
            [](EngineSettings& s, double value) { s.sisr.ruin.mean_removed = value; })
        .def_prop_rw(
            "max_string", [](const EngineSettings& s) { return s.sisr.ruin.max_string; },
            [](EngineSettings& s, int value) { s.sisr.ruin.max_string = value; })
        .def_prop_rw(
            "whole_route_rate", [](const EngineSettings& s) { return s.sisr.ruin.whole_route_rate; },
            [](EngineSettings& s, double value) { s.sisr.ruin.whole_route_rate = value; })
        .def_prop_rw(
            "keep_types_rate", [](const EngineSettings& s) { return s.sisr.keep_types_rate; },
            [](EngineSettings& s, double value) { s.sisr.keep_types_rate = value; })
        .def_prop_rw(
            "hire_rate", [](const EngineSettings& s) { return s.sisr.hire_rate; },
            [](EngineSettings& s, double value) { s.sisr.hire_rate = value; })
        .def_prop_rw(
            "blink_rate", [](const EngineSettings& s) { return s.sisr.recreate.blink_rate; },
            [](EngineSettings& s, double value) { s.sisr.recreate.blink_rate = value; });

    testing.def("ruin_and_recreate", &ruin_and_recreate, "instance"_a, "routes"_a, "steps"_a, "seed"_a,
               "measure"_a = "capacity", "The best plan after steps of ruin and recreate from a complete plan (for tests).");
    module.def("local_search", &improve, "instance"_a, "routes"_a, "seed"_a, "stop"_a.none() = nb::none(),
               "measure"_a = "capacity",
               "A local optimum near a feasible plan, never worse than it, and how often it looked at the clock.");
    testing.def("set_partition", &partition, "instance"_a, "plans"_a,
               "The cheapest plan found that the routes of the given plans make, and how often it looked at the clock (for "
               "tests); the first plan must be complete.");
    testing.def("route_crossover", &cross, "instance"_a, "first"_a, "second"_a, "penalty"_a, "seed"_a,
               "measure"_a = "capacity",
               "A child of two complete plans that inherits routes of both (for tests).");
    testing.def("timed_move_change", &timed_move_change, "instance"_a, "routes"_a, "move"_a, "u"_a, "v"_a, "penalty"_a,
                "Predicted and recomputed change of a move of timed routes that brings customer u behind v (for tests); NaN "
                "twice where it does not apply or its distances rule a gain out.");
    testing.def("move_change", &move_change, "instance"_a, "routes"_a, "move"_a, "u"_a, "v"_a, "penalty"_a,
               "measure"_a = "capacity",
               "Predicted and recomputed change of a move (for tests); v = -r - 1 stands for the start of route r. The "
               "measure is capacity, unpruned or joined (see measure.h).");
    module.def("search", &run_search, "instance"_a, "settings"_a, "initial"_a, "seconds"_a.none(), "iterations"_a.none(),
               "stall"_a.none(), "target"_a.none(), "seed"_a, "threads"_a, "with_savings"_a, "on_improvement"_a.none(),
               "stop"_a.none() = nb::none(),
               "Search within the limits; returns (routes, iterations, interrupted, curve of (seconds, cost)).");
    module.def("anneal", &anneal_stretch, "instance"_a, "settings"_a, "start"_a, "first"_a, "last"_a, "seconds"_a.none(),
               "iterations"_a.none(), "seed"_a, "stop"_a.none() = nb::none(),
               "Anneal from a complete plan, from one temperature to another; returns (present routes, best routes, "
               "iterations).");
    module.def("search_many", &search_many, "instances"_a, "settings"_a, "seconds"_a.none(), "iterations"_a.none(),
               "seed"_a, "threads"_a, "stop"_a.none() = nb::none(),
               "Search many instances, each within the same limits on one thread; returns the routes of each, none of "
               "those that a stop came before.");
}

}  // namespace fripn
