#include "exact/bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Sums of some hundred terms: far above what their rounding can be.
constexpr double rounding = 1e-9;

// Per type what a vehicle adds to a plan's cost at least, beyond the value of the rows; 0 for types that are closed and for
// those without any route, where nothing is known and infinity times no vehicle would be no number.
std::vector<double> vehicle_prices(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence) {
    std::vector<double> prices(at(problem.num_types()), 0.0);
    for (int k = 0; k < problem.num_types(); ++k)
        if (fleet.is_open(k) && evidence.least[at(k)] < infinity)
            prices[at(k)] = evidence.least[at(k)] + evidence.point.type_excess[at(k)];
    return prices;
}

// The value of the rows and the vehicles that the bounds impose.
double plain_bound(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence,
                   const std::vector<double>& prices) {
    double bound = evidence.point.base;
    for (int k = 0; k < problem.num_types(); ++k)
        if (fleet.is_open(k)) bound += prices[at(k)] * (prices[at(k)] >= 0 ? fleet.lower[at(k)] : fleet.upper[at(k)]);
    return bound;
}

}  // namespace

std::vector<double> cheapest_trips(const Problem& problem) {
    double shortest = infinity;
    for (int i = 1; i < problem.num_stops(); ++i) shortest = std::min(shortest, problem.distance(0, i) + problem.distance(i, 0));
    if (!problem.has_triangle_inequality()) {
        // A longer tour may be shorter: out by one arc, home by another.
        double out = infinity, home = infinity;
        for (int i = 1; i < problem.num_stops(); ++i) {
            out = std::min(out, problem.distance(0, i));
            home = std::min(home, problem.distance(i, 0));
        }
        shortest = out + home;
    }
    std::vector<double> trips;
    for (const Type& type : problem.types()) trips.push_back((type.fixed_cost + type.unit_cost * shortest) * (1.0 - rounding));
    return trips;
}

double lagrangean_bound(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence,
                        const std::vector<double>& trips, double best_cost) {
    const std::vector<double> prices = vehicle_prices(problem, fleet, evidence);
    const double base = evidence.point.base;
    double bound = base;
    double size = std::abs(base);
    double scale = 1.0;
    std::vector<std::pair<double, int>> negative;  // by price per unit of money
    for (int k = 0; k < problem.num_types(); ++k) {
        if (!fleet.is_open(k)) continue;
        if (prices[at(k)] >= 0) {
            bound += prices[at(k)] * fleet.lower[at(k)];
        } else if (trips[at(k)] > 0) {
            negative.emplace_back(prices[at(k)] / trips[at(k)], k);
            scale = std::min(scale, trips[at(k)] / (trips[at(k)] - prices[at(k)]));
        } else {
            negative.emplace_back(-infinity, k);
            scale = 0.0;
        }
    }
    std::sort(negative.begin(), negative.end());
    double money = best_cost;
    for (const auto& [ratio, k] : negative) {
        const double affordable = trips[at(k)] > 0 ? std::max(0.0, money / trips[at(k)]) : infinity;
        const double most = std::min(fleet.upper[at(k)], std::max(affordable, fleet.lower[at(k)]));
        bound += prices[at(k)] * most;
        size += std::abs(prices[at(k)] * most);
        money -= most * trips[at(k)];
    }
    // Scaled until no route has a negative reduced cost, the dual values prove what is left of their value.
    return std::max(bound, scale * base) - rounding * size;
}

std::vector<double> route_limits(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence,
                                 double best_cost) {
    const std::vector<double> prices = vehicle_prices(problem, fleet, evidence);
    const double gap = best_cost - plain_bound(problem, fleet, evidence, prices) + rounding * std::abs(best_cost);
    std::vector<double> limits;
    for (int k = 0; k < problem.num_types(); ++k) {
        // Where the bound counts no vehicle of a type of positive price, a route of it pays that price in full.
        const double counted = prices[at(k)] > 0 && fleet.lower[at(k)] < 0.5 ? 0.0 : prices[at(k)];
        limits.push_back(gap - evidence.point.type_excess[at(k)] + counted);
    }
    return limits;
}

void tighten(const Problem& problem, const Evidence& evidence, double best_cost, FleetBounds& fleet) {
    const std::vector<double> prices = vehicle_prices(problem, fleet, evidence);
    const double gap = best_cost - plain_bound(problem, fleet, evidence, prices) + rounding * std::abs(best_cost);
    for (int k = 0; k < problem.num_types(); ++k) {
        if (!fleet.is_open(k)) continue;
        const double price = prices[at(k)];
        double& lower = fleet.lower[at(k)];
        double& upper = fleet.upper[at(k)];
        if (price > 0) upper = std::min(upper, lower + std::floor(gap / price + 1e-6));
        if (price < 0) lower = std::max(lower, upper - std::floor(gap / -price + 1e-6));
    }
}

}  // namespace fripn::exact
