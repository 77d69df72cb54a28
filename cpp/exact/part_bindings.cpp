// Bindings of the parts of the exact method, for tests: each can be compared with brute force.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "cost.h"
#include "exact/bounds.h"
#include "exact/capacity_cuts.h"
#include "exact/completion.h"
#include "exact/enumeration.h"
#include "exact/fleet_cuts.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/subset_cuts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

using namespace exact;

using RouteList = std::vector<std::tuple<int, double, std::vector<int>>>;
// Members, memory and price of a cut.
using CutList = std::vector<std::tuple<std::vector<int>, std::vector<int>, double>>;

// Members, weights of the groups and price of a capacity cut.
using CapacityList = std::vector<std::tuple<std::vector<int>, std::vector<double>, double>>;

Prices to_prices(const Problem& problem, const std::vector<double>& customers, const std::vector<double>& types,
                 const CutList& cuts, const CapacityList& capacity_cuts) {
    Prices prices{customers, types, {}, {}};
    for (const auto& [members, weights, price] : capacity_cuts)
        charge(to_capacity_cut(problem, members, weights, 0.0), price, prices.arcs);
    prices.cuts.words = static_cast<int>((cuts.size() + 63) / 64);
    const auto words = static_cast<std::size_t>(prices.cuts.words);
    const auto stops = static_cast<std::size_t>(problem.num_stops());
    prices.cuts.member.assign(stops * words, 0);
    prices.cuts.memory.assign(stops * words, 0);
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        const auto& [members, memory, price] = cuts[c];
        prices.cuts.price.push_back(price);
        const std::uint64_t bit = std::uint64_t{1} << (c % 64);
        for (const int i : members) prices.cuts.member[static_cast<std::size_t>(i) * words + c / 64] |= bit;
        for (const int i : memory) prices.cuts.memory[static_cast<std::size_t>(i) * words + c / 64] |= bit;
    }
    return prices;
}

std::vector<WeightedRoute> to_solution(const std::vector<Column>& columns, const std::vector<double>& values) {
    std::vector<WeightedRoute> solution;
    for (std::size_t r = 0; r < columns.size(); ++r) solution.push_back({&columns[r], values[r]});
    return solution;
}

RouteList to_list(const std::vector<Column>& columns) {
    RouteList list;
    for (const Column& column : columns) list.emplace_back(column.type, column.cost, column.customers);
    return list;
}

Watch patient_watch() { return Watch(infinity, {}); }

}  // namespace

void bind_exact_parts(nb::module_& module) {
    nb::module_ testing = testing_module(module);
    nb::class_<Problem>(testing, "ExactProblem", "What the exact method sees of an instance (for tests).")
        .def(nb::init<const Instance&, double, int>(), "instance"_a, "load_tolerance"_a, "max_capacity"_a)
        .def_prop_ro("demands",
                     [](const Problem& p) {
                         std::vector<int> demands;
                         for (int i = 0; i < p.num_stops(); ++i) demands.push_back(p.demand(i));
                         return demands;
                     })
        .def_prop_ro("types",
                     [](const Problem& p) {
                         std::vector<std::pair<int, int>> types;
                         for (const Type& type : p.types()) types.emplace_back(type.index, type.capacity);
                         return types;
                     },
                     "Index in the instance and scaled capacity of each type that can matter.")
        .def_prop_ro("cost_scale", &Problem::cost_scale, "What costs are multiplied by; prices and costs are in this scale.")
        .def_prop_ro("has_exact_loads", &Problem::has_exact_loads)
        .def_prop_ro("has_triangle_inequality", &Problem::has_triangle_inequality);

    testing.def(
        "exact_neighbours",
        [](const Problem& problem, int ng_size) { return NgSets(problem, ng_size).neighbours(); }, "problem"_a, "ng_size"_a,
        "Neighbourhoods of ng-routes (for tests).");
    testing.def(
        "exact_price",
        [](const Problem& problem, int ng_size, const std::vector<double>& customers, const std::vector<double>& types,
           const CutList& cuts, const CapacityList& capacity_cuts, bool is_exact, double tolerance, int threads) {
            const Watch watch = patient_watch();
            PricingSettings settings;
            settings.num_threads = threads;
            const PricingOutcome outcome =
                price(problem, NgSets(problem, ng_size), ArcSet(problem),
                      to_prices(problem, customers, types, cuts, capacity_cuts),
                      std::vector<char>(types.size(), 1), is_exact ? Effort::exact : Effort::relaxed_dominance, tolerance,
                      settings, watch);
            return std::make_pair(to_list(outcome.columns), outcome.least);
        },
        "problem"_a, "ng_size"_a, "customers"_a, "types"_a, "cuts"_a, "capacity_cuts"_a = CapacityList(),
        "is_exact"_a = true, "tolerance"_a = 1e-9, "threads"_a = 1,
        "Routes (type, cost, customers) of negative reduced cost, and the least reduced cost per type (for tests).");
    testing.def(
        "exact_reduced_cost",
        [](const Problem& problem, const std::vector<double>& customers, const std::vector<double>& types, const CutList& cuts,
           int type, const std::vector<int>& route, const CapacityList& capacity_cuts) {
            return reduced_cost(problem, to_prices(problem, customers, types, cuts, capacity_cuts), type, route);
        },
        "problem"_a, "customers"_a, "types"_a, "cuts"_a, "type"_a, "route"_a, "capacity_cuts"_a = CapacityList(),
        "Reduced cost of a route (for tests).");
    testing.def(
        "exact_routes",
        [](const Problem& problem, int ng_size, const std::vector<double>& customers, const std::vector<double>& types,
           const CutList& cuts, const std::vector<double>& limits, bool fix_first, std::size_t max_labels,
           const CapacityList& capacity_cuts) {
            const Watch watch = patient_watch();
            const Prices prices = to_prices(problem, customers, types, cuts, capacity_cuts);
            const NgSets ng_sets(problem, ng_size);
            const std::vector<char> is_open(types.size(), 1);
            ArcSet arcs(problem);
            RouteList found;
            for (int g = 0; g < static_cast<int>(problem.groups().size()); ++g) {
                if (fix_first)
                    fix_arcs(problem, Completion(problem, ng_sets, arcs, prices, g, is_open, watch), g, prices, limits, arcs);
                const Enumeration routes =
                    enumerate_routes(problem, Completion(problem, ng_sets, arcs, prices, g, is_open, watch), g, prices, is_open,
                                     limits, {max_labels, max_labels}, watch);
                if (!routes.is_complete) return std::optional<RouteList>();
                const RouteList list = to_list(routes.routes);
                found.insert(found.end(), list.begin(), list.end());
            }
            return std::optional<RouteList>(found);
        },
        "problem"_a, "ng_size"_a, "customers"_a, "types"_a, "cuts"_a, "limits"_a, "fix_first"_a, "max_labels"_a = 1'000'000,
        "capacity_cuts"_a = CapacityList(),
        "The cheapest route of every set of customers whose reduced cost is below the limit of its type, or None when there "
        "are too many (for tests).");
    testing.def(
        "exact_fleet_cut",
        [](const Problem& problem, const LpSolver& lp, const std::vector<double>& lower, const std::vector<double>& upper,
           const std::vector<double>& fleet) {
            const Watch watch = patient_watch();
            const FleetBounds bounds{lower, upper};
            const auto cut = separate_fleet_cut(problem, lp, bounds, fleet, 1e-6, watch);
            return cut ? std::make_optional(std::make_pair(cut->weights, cut->least)) : std::nullopt;
        },
        "problem"_a, "lp"_a, "lower"_a, "upper"_a, "fleet"_a,
        "Weights and right-hand side of a cut on the fleet that these numbers of vehicles violate, if any (for tests).");
    testing.def(
        "exact_bounds",
        [](const Problem& problem, const std::vector<double>& upper, double base, const std::vector<double>& least,
           double best_cost) {
            const FleetBounds fleet{std::vector<double>(upper.size(), 0.0), upper};
            Evidence evidence;
            evidence.point.base = base;
            evidence.point.type_excess.assign(upper.size(), 0.0);
            evidence.least = least;
            return std::make_pair(lagrangean_bound(problem, fleet, evidence, cheapest_trips(problem), best_cost),
                                  route_limits(problem, fleet, evidence, best_cost));
        },
        "problem"_a, "upper"_a, "base"_a, "least"_a, "best_cost"_a,
        "The bound that a value of the rows and the least reduced cost of each type prove, and the limit of each type for the "
        "reduced costs of a better plan's routes (for tests).");
    testing.def(
        "exact_capacity_cuts",
        [](const Problem& problem, const std::vector<double>& upper,
           const std::vector<std::pair<int, std::vector<int>>>& routes, const std::vector<double>& values) {
            std::vector<Column> columns;
            for (const auto& [type, route] : routes) columns.push_back({type, 0.0, route});
            const FleetBounds fleet{std::vector<double>(upper.size(), 0.0), upper};
            const Watch watch = patient_watch();
            std::vector<std::tuple<std::vector<int>, std::vector<double>, double, std::vector<int>>> cuts;
            for (const CapacityCut& cut :
                 separate_capacity_cuts(problem, fleet, to_solution(columns, values), {}, {}, watch)) {
                std::vector<int> counts;
                std::vector<double> weights;
                for (const auto& [type, route] : routes) counts.push_back(cut.times_leaving(route));
                for (int k = 0; k < problem.num_types(); ++k)
                    weights.push_back(cut.weights[static_cast<std::size_t>(problem.group_of(k))]);
                cuts.emplace_back(cut.members, weights, cut.least, counts);
            }
            return cuts;
        },
        "problem"_a, "upper"_a, "routes"_a, "values"_a,
        "Members, weights per type and right-hand side of violated capacity cuts, and how often each route leaves the set "
        "(for tests).");
    testing.def(
        "exact_subset_cuts",
        [](const Problem& problem, const std::vector<std::vector<int>>& routes, const std::vector<double>& values,
           bool has_full_memory) {
            std::vector<Column> columns;
            for (const std::vector<int>& route : routes) columns.push_back({0, 0.0, route});
            const std::vector<WeightedRoute> solution = to_solution(columns, values);
            SubsetSeparation settings;
            settings.has_full_memory = has_full_memory;
            // Per cut its members, and how often each route counts in it.
            std::vector<std::pair<std::vector<int>, std::vector<int>>> cuts;
            for (const SubsetCut& cut : separate_subset_cuts(problem, solution, settings)) {
                std::vector<int> counts;
                for (const std::vector<int>& route : routes) counts.push_back(cut_coefficient(cut.is_member, cut.is_memory, route));
                cuts.emplace_back(cut.members, counts);
            }
            return cuts;
        },
        "problem"_a, "routes"_a, "values"_a, "has_full_memory"_a,
        "Members of violated cuts over subsets of rows, and the coefficient of each route (for tests).");
}

}  // namespace fripn
