#include "exact/fleet_cuts.h"

#include <algorithm>
#include <cmath>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Vehicles in bundles of 1, 2, 4, … of a type, so that bounded numbers become a choice of bundles.
struct Bundle {
    int type;
    int count;
};

}  // namespace

CheapestFleet cheapest_fleet(const std::vector<double>& prices, const std::vector<int>& capacities,
                             const std::vector<int>& most, int demand) {
    std::vector<Bundle> bundles;
    for (int k = 0; k < static_cast<int>(prices.size()); ++k) {
        if (capacities[at(k)] <= 0) continue;
        int left = std::min(most[at(k)], (demand + capacities[at(k)] - 1) / capacities[at(k)]);
        for (int size = 1; left > 0; size *= 2) {
            bundles.push_back({k, std::min(size, left)});
            left -= bundles.back().count;
        }
    }
    std::vector<double> price(at(demand) + 1, infinity);
    price[0] = 0.0;
    std::vector<std::vector<bool>> is_taken(bundles.size(), std::vector<bool>(at(demand) + 1, false));
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        const long long carried = static_cast<long long>(capacities[at(bundles[b].type)]) * bundles[b].count;
        const double cost = prices[at(bundles[b].type)] * bundles[b].count;
        for (int q = demand; q > 0; --q) {
            const double with = price[at(static_cast<int>(std::max(0LL, q - carried)))] + cost;
            if (with < price[at(q)]) {
                price[at(q)] = with;
                is_taken[b][at(q)] = true;
            }
        }
    }
    CheapestFleet fleet{price[at(demand)], std::vector<int>(prices.size(), 0)};
    if (!(fleet.price < infinity)) return fleet;
    int q = demand;
    for (std::size_t b = bundles.size(); b-- > 0;) {
        if (!is_taken[b][at(q)]) continue;
        fleet.vehicles[at(bundles[b].type)] += bundles[b].count;
        q = static_cast<int>(
            std::max(0LL, q - static_cast<long long>(capacities[at(bundles[b].type)]) * bundles[b].count));
    }
    return fleet;
}

std::optional<FleetCut> separate_fleet_cut(const Problem& problem, const LpSolver& solver, const FleetBounds& bounds,
                                           const std::vector<double>& fleet, double tolerance, const Watch& watch) {
    constexpr int max_rounds = 200;
    constexpr double largest_weight = 1e4;
    const int types = problem.num_types();
    // Vehicles that the bounds impose are there: what is left of the demand falls to the others.
    std::vector<int> capacities, most;
    std::vector<double> beyond;
    long long demand = problem.total_demand();
    for (int k = 0; k < types; ++k) {
        const auto imposed = static_cast<int>(std::lround(bounds.lower[at(k)]));
        capacities.push_back(problem.type(k).capacity);
        most.push_back(std::max(0, static_cast<int>(std::lround(bounds.upper[at(k)])) - imposed));
        beyond.push_back(std::max(0.0, fleet[at(k)] - imposed));
        demand -= static_cast<long long>(imposed) * capacities.back();
    }
    if (demand <= 0) return std::nullopt;
    const int left = static_cast<int>(demand);
    const std::unique_ptr<LinearProgram> program = solver.linear_program();
    Entries no_entries;
    std::vector<double> costs;
    for (int k = 0; k < types; ++k) {
        // A small price keeps weights from growing where the fleet has none of a type.
        costs.push_back(beyond[at(k)] + 1e-7);
        no_entries.end_item();
    }
    program->add_columns(costs, std::vector<double>(at(types), 0.0), std::vector<double>(at(types), largest_weight), no_entries);
    std::vector<double> weights(at(types), 0.0);
    for (int round = 0; round < max_rounds; ++round) {
        const CheapestFleet cheapest = cheapest_fleet(weights, capacities, most, left);
        if (!(cheapest.price < infinity)) return std::nullopt;
        if (cheapest.price >= 1.0 - 1e-9) {
            // Rounded weights are as valid: the right-hand side is what the cheapest fleet gives with them.
            for (double& weight : weights) weight = std::round(weight * 1e9) * 1e-9;
            double least = cheapest_fleet(weights, capacities, most, left).price * (1.0 - 1e-10);
            double value = 0.0;
            for (int k = 0; k < types; ++k) value += weights[at(k)] * beyond[at(k)];
            if (value >= least * (1.0 - tolerance)) return std::nullopt;
            for (int k = 0; k < types; ++k) least += weights[at(k)] * std::round(bounds.lower[at(k)]);
            return FleetCut{weights, least * (1.0 - 1e-12)};
        }
        Entries row;
        for (int k = 0; k < types; ++k)
            if (cheapest.vehicles[at(k)] > 0) row.add(k, cheapest.vehicles[at(k)]);
        row.end_item();
        program->add_rows({1.0}, {infinity}, row);
        if (program->solve(true, watch) != LpStatus::optimal) return std::nullopt;
        for (int k = 0; k < types; ++k) weights[at(k)] = std::max(0.0, program->values()[at(k)]);
    }
    return std::nullopt;
}

}  // namespace fripn::exact
