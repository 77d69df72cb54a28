// What dual values prove: a lower bound, which routes and how many vehicles a better plan can have.
#pragma once

#include <vector>

#include "exact/master.h"
#include "exact/problem.h"

namespace fripn::exact {

// How many vehicles of each type the plans under consideration have.
struct FleetBounds {
    std::vector<double> lower, upper;

    [[nodiscard]] bool is_open(int type) const { return upper[static_cast<std::size_t>(type)] > 0.5; }
};

// Dual values, and per type a number that no reduced cost of its routes is below.
struct Evidence {
    DualPoint point;
    std::vector<double> least;
};

// What a vehicle of each type costs at least: its fixed cost and the shortest trip.
[[nodiscard]] std::vector<double> cheapest_trips(const Problem& problem);

// For any dual values with the right signs, a plan costs at least the value of the rows plus, per type, the number of its
// vehicles times the least reduced cost. Vehicles of negative reduced cost are bounded by the fleet and by what a plan of
// at most `best_cost` can pay for; so the bound holds for plans cheaper than that. The sum of rounding errors is taken off.
[[nodiscard]] double lagrangean_bound(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence,
                                      const std::vector<double>& trips, double best_cost);

// A plan cheaper than `best_cost` has no route whose reduced cost, as pricing counts it, is at or above these limits.
[[nodiscard]] std::vector<double> route_limits(const Problem& problem, const FleetBounds& fleet, const Evidence& evidence,
                                               double best_cost);

// Narrows the numbers of vehicles to those that a plan cheaper than `best_cost` can have.
void tighten(const Problem& problem, const Evidence& evidence, double best_cost, FleetBounds& fleet);

}  // namespace fripn::exact
