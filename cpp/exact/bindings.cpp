// Bindings of the exact method: conversions, the GIL and signals, no logic.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost.h"
#include "exact/highs.h"
#include "exact/partition.h"
#include "exact/problem.h"
#include "exact/solver.h"
#include "stop_flag.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

using exact::Column;
using Routes = std::vector<std::pair<int, std::vector<int>>>;

// Types of an instance as the exact method numbers them; -1 for those it leaves out.
int type_number(const exact::Problem& problem, int index) {
    for (int k = 0; k < problem.num_types(); ++k)
        if (problem.type(k).index == index) return k;
    return -1;
}

Routes to_routes(const exact::Problem& problem, const std::vector<Column>& columns) {
    Routes routes;
    for (const Column& column : columns) routes.emplace_back(problem.type(column.type).index, column.customers);
    return routes;
}

// How the exact method ended, as Python sees it.
struct ExactOutcome {
    double lower_bound;
    double cost;          // of the plan found here
    double known_cost;    // of the cheapest plan that was known at the end
    Routes routes;
    bool is_optimal, is_infeasible, is_stopped, has_exact_loads;
    std::string proof;
    std::string failure;
    exact::Statistics statistics;
};

ExactOutcome solve_exact(const Instance& instance, const exact::LpSolver& lp, const exact::Settings& settings, double load_tolerance,
                         int max_capacity, double plan_cost, const Routes& first, double seconds, const nb::object& on_bound,
                         const nb::object& on_plan, const nb::object& poll) {
    const exact::Problem problem(instance, load_tolerance, max_capacity);
    std::vector<Column> columns;
    for (const auto& [index, customers] : first) {
        const int k = type_number(problem, index);
        if (k >= 0) columns.push_back({k, problem.route_cost(k, customers), customers});
    }
    // Costs inside are scaled; those of Python are not.
    const double scale = problem.cost_scale();
    double known_cost = plan_cost * scale;
    std::exception_ptr raised;
    // Exceptions of Python end the run and are raised once it is over.
    const auto guarded = [&](const auto& call) {
        const nb::gil_scoped_acquire acquire;
        try {
            call();
        } catch (...) {
            if (!raised) raised = std::current_exception();
        }
    };
    const auto is_over = [&] {
        bool is_stopped = false;
        guarded([&] {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!poll.is_none()) {
                // A cost that somebody else has reached, or None to stop.
                const nb::object known = poll();
                if (known.is_none()) is_stopped = true;
                else known_cost = nb::cast<double>(known) * scale;
            }
        });
        return is_stopped || raised != nullptr;
    };
    ExactOutcome result{};
    {
        const nb::gil_scoped_release release;
        const exact::Watch watch(seconds, is_over);
        exact::Solver::Events events;
        events.on_bound = [&](double bound) {
            if (!on_bound.is_none()) guarded([&] { on_bound(bound / scale); });
        };
        events.on_plan = [&](double cost, const std::vector<Column>& plan) {
            if (!on_plan.is_none()) guarded([&] { on_plan(cost / scale, to_routes(problem, plan)); });
        };
        events.known_cost = [&] { return known_cost; };
        exact::Solver solver(problem, lp, settings, watch, std::move(events));
        const exact::Outcome outcome = solver.run(known_cost, columns);
        result.lower_bound = outcome.lower_bound / scale;
        result.cost = outcome.plan_cost / scale;
        result.known_cost = outcome.known_cost / scale;
        result.routes = to_routes(problem, outcome.plan);
        result.is_optimal = outcome.is_optimal;
        result.is_infeasible = outcome.is_infeasible;
        result.is_stopped = outcome.is_stopped;
        result.has_exact_loads = problem.has_exact_loads();
        const char* const names[] = {"", "root", "enumeration", "branching", "customer sets"};
        result.proof = names[static_cast<int>(outcome.proof)];
        const char* const failures[] = {"", "linear program", "memory"};
        result.failure = failures[static_cast<int>(outcome.failure)];
        result.statistics = outcome.statistics;
        result.statistics.root_bound /= scale;
    }
    if (raised) std::rethrow_exception(raised);
    return result;
}

// The cheapest plan that chooses among routes; none when no plan costs less than the cutoff, or none was found in time.
std::optional<Routes> partition_routes(const Instance& instance, const exact::LpSolver& lp, const Routes& routes,
                                       double load_tolerance, double cutoff, double seconds, const StopFlag* stop) {
    const exact::Problem problem(instance, load_tolerance, 1000);  // real loads decide
    std::vector<Column> columns;
    for (const auto& [index, customers] : routes) {
        const int k = type_number(problem, index);
        if (k >= 0 && problem.fits(k, customers)) columns.push_back({k, problem.route_cost(k, customers), customers});
    }
    std::vector<const Column*> chosen;
    for (const Column& column : columns) chosen.push_back(&column);
    exact::FleetBounds fleet;
    for (const exact::Type& type : problem.types()) {
        fleet.lower.push_back(0.0);
        fleet.upper.push_back(type.available);
    }
    std::exception_ptr raised;
    const auto is_interrupted = [&] {
        if (stop && stop->is_set()) return true;
        const nb::gil_scoped_acquire acquire;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        } catch (...) {
            raised = std::current_exception();
        }
        return raised != nullptr;
    };
    exact::Partition found;
    {
        const nb::gil_scoped_release release;
        const exact::Watch watch(seconds, is_interrupted);
        try {
            found = exact::cheapest_partition(problem, lp, chosen, fleet, {}, exact::Cover::at_least_once,
                                              cutoff * problem.cost_scale(), seconds, watch);
        } catch (const exact::Stopped&) {
        } catch (const exact::LpFailed&) {
        }
    }
    if (raised) std::rethrow_exception(raised);
    if (found.plan.empty()) return std::nullopt;
    return to_routes(problem, found.plan);
}

}  // namespace

void bind_exact(nb::module_& module) {
    module.attr("EXACT_TOLERANCE") = exact::relative_tolerance;
    module.def("open_highs", &exact::open_highs, "path"_a, "Open the HiGHS library at a path.");

    nb::class_<exact::Settings>(module, "ExactSettings", "Settings of the exact method.")
        .def(nb::init<>())
        .def_rw("ng_size", &exact::Settings::ng_size)
        .def_rw("fleet_cuts", &exact::Settings::fleet_cuts)
        .def_rw("capacity_cuts", &exact::Settings::capacity_cuts)
        .def_rw("subset_cuts", &exact::Settings::subset_cuts)
        .def_rw("smoothing", &exact::Settings::smoothing)
        .def_rw("dual_ascent", &exact::Settings::dual_ascent)
        .def_rw("dual_ascent_from", &exact::Settings::dual_ascent_from)
        .def_rw("fixing", &exact::Settings::fixing)
        .def_rw("enumeration", &exact::Settings::enumeration)
        .def_rw("branching", &exact::Settings::branching)
        .def_rw("strong_branching", &exact::Settings::strong_branching)
        .def_rw("customer_sets", &exact::Settings::customer_sets)
        .def_rw("num_threads", &exact::Settings::num_threads)
        .def_rw("gap", &exact::Settings::gap)
        .def_rw("max_labels", &exact::Settings::max_labels)
        .def_rw("max_routes", &exact::Settings::max_routes)
        .def_rw("max_nodes", &exact::Settings::max_nodes);

    nb::class_<ExactOutcome>(module, "ExactOutcome", "How the exact method ended.")
        .def_ro("lower_bound", &ExactOutcome::lower_bound)
        .def_ro("cost", &ExactOutcome::cost)
        .def_ro("known_cost", &ExactOutcome::known_cost)
        .def_ro("routes", &ExactOutcome::routes)
        .def_ro("is_optimal", &ExactOutcome::is_optimal)
        .def_ro("is_infeasible", &ExactOutcome::is_infeasible)
        .def_ro("is_stopped", &ExactOutcome::is_stopped)
        .def_ro("failure", &ExactOutcome::failure, "What ended it early: \"linear program\", \"memory\" or \"\".")
        .def_ro("has_exact_loads", &ExactOutcome::has_exact_loads)
        .def_ro("proof", &ExactOutcome::proof)
        .def_prop_ro("nodes", [](const ExactOutcome& o) { return o.statistics.nodes; })
        .def_prop_ro("columns", [](const ExactOutcome& o) { return o.statistics.columns; })
        .def_prop_ro("fleet_cuts", [](const ExactOutcome& o) { return o.statistics.fleet_cuts; })
        .def_prop_ro("capacity_cuts", [](const ExactOutcome& o) { return o.statistics.capacity_cuts; })
        .def_prop_ro("subset_cuts", [](const ExactOutcome& o) { return o.statistics.subset_cuts; })
        .def_prop_ro("rounds", [](const ExactOutcome& o) { return o.statistics.rounds; })
        .def_prop_ro("exact_rounds", [](const ExactOutcome& o) { return o.statistics.exact_rounds; })
        .def_prop_ro("enumerated", [](const ExactOutcome& o) { return o.statistics.enumerated; })
        .def_prop_ro("integer_programs", [](const ExactOutcome& o) { return o.statistics.integer_programs; })
        .def_prop_ro("pool_nodes", [](const ExactOutcome& o) { return o.statistics.pool_nodes; })
        .def_prop_ro("root_bound", [](const ExactOutcome& o) { return o.statistics.root_bound; });

    module.def("solve_exact", &solve_exact, "instance"_a, "lp"_a, "settings"_a, "load_tolerance"_a, "max_capacity"_a,
               "plan_cost"_a, "routes"_a, "seconds"_a, "on_bound"_a.none(), "on_plan"_a.none(), "poll"_a.none(),
               "Bound the cost of all plans and look for a cheapest one, given the cost of a known plan and first routes. "
               "`poll` is called now and then; it returns the cost of the best plan known elsewhere, or None to stop.");

    module.def("partition_routes", &partition_routes, "instance"_a, "lp"_a, "routes"_a, "load_tolerance"_a, "cutoff"_a,
               "seconds"_a, "stop"_a.none() = nb::none(),
               "Choose among routes (vehicle type and customers) the cheapest plan, by an integer program; None when no plan "
               "costs less than the cutoff or none was found in time. Routes that break a limit are left out.");
}

}  // namespace fripn
