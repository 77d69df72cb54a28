#include "exact/capacity_cuts.h"

#include <algorithm>
#include <cmath>

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Violated {
    double violation;
    int vehicles;
    std::vector<int> members;
};

// What the arcs of a fractional solution carry between customers, in both directions together.
class Flows {
public:
    Flows(const Problem& problem, const std::vector<WeightedRoute>& solution)
        : stops_(at(problem.num_stops())), flow_(stops_ * stops_, 0.0), visits_(stops_, 0.0) {
        for (const WeightedRoute& route : solution) {
            int last = 0;
            for (const int i : route.column->customers) {
                visits_[at(i)] += route.value;
                if (last > 0) {
                    flow_[at(last) * stops_ + at(i)] += route.value;
                    flow_[at(i) * stops_ + at(last)] += route.value;
                }
                last = i;
            }
        }
    }

    [[nodiscard]] const double* from(int i) const { return &flow_[at(i) * stops_]; }
    [[nodiscard]] double visits(int i) const { return visits_[at(i)]; }

private:
    std::size_t stops_;
    std::vector<double> flow_;
    std::vector<double> visits_;
};

// Adds one customer after the other to a set, beginning with `seed`, and notes the most violated set on the way. The next
// one is that with the most flow from the set; with `by_load` its load, as a share of the largest vehicle, counts too.
Violated grow(const Problem& problem, const VehiclesNeeded& needed, const Flows& flows, int seed, bool by_load) {
    Violated best{0.0, 0, {}};
    std::vector<int> members;
    std::vector<char> is_member(at(problem.num_stops()), 0);
    std::vector<double> attached(at(problem.num_stops()), 0.0);
    double leaving = 0.0;
    int load = 0;
    std::size_t best_size = 0;
    for (int next = seed; next > 0;) {
        // Every visit leaves the customer; arcs within the set do not leave the set.
        leaving += flows.visits(next) - attached[at(next)];
        load += problem.demand(next);
        is_member[at(next)] = 1;
        members.push_back(next);
        const int vehicles = std::min(needed(load), static_cast<int>(members.size()));
        if (vehicles - leaving > best.violation) {
            best.violation = vehicles - leaving;
            best.vehicles = vehicles;
            best_size = members.size();
        }
        const double* flow = flows.from(next);
        next = 0;
        double most = -1e9;
        for (int j = 1; j < problem.num_stops(); ++j) {
            attached[at(j)] += flow[j];
            if (is_member[at(j)] || attached[at(j)] < 1e-6) continue;
            double gain = attached[at(j)] - flows.visits(j);
            if (by_load) gain += static_cast<double>(problem.demand(j)) / needed.largest();
            if (gain > most) {
                most = gain;
                next = j;
            }
        }
    }
    members.resize(best_size);
    std::sort(members.begin(), members.end());
    best.members = std::move(members);
    return best;
}

}  // namespace

VehiclesNeeded::VehiclesNeeded(const Problem& problem, const FleetBounds& fleet) {
    for (int k = 0; k < problem.num_types(); ++k)
        if (fleet.is_open(k))
            largest_first_.emplace_back(problem.type(k).capacity, static_cast<int>(std::floor(fleet.upper[at(k)] + 1e-6)));
    std::sort(largest_first_.rbegin(), largest_first_.rend());
}

int VehiclesNeeded::operator()(int demand) const {
    int vehicles = 0;
    for (const auto& [capacity, number] : largest_first_) {
        const int full = (demand + capacity - 1) / capacity;
        if (full <= number) return vehicles + full;
        vehicles += number;
        demand -= number * capacity;
    }
    return vehicles;  // there is no plan; whatever is proven, is true
}

std::vector<CapacityCut> separate_capacity_cuts(const Problem& problem, const FleetBounds& fleet,
                                                const std::vector<WeightedRoute>& solution,
                                                const CapacitySeparation& settings) {
    const VehiclesNeeded needed(problem, fleet);
    if (needed.largest() == 0) return {};
    const Flows flows(problem, solution);
    std::vector<Violated> found;
    for (int seed = 1; seed < problem.num_stops(); ++seed)
        for (const bool by_load : {false, true}) {
            Violated violated = grow(problem, needed, flows, seed, by_load);
            if (violated.violation > settings.min_violation) found.push_back(std::move(violated));
        }
    std::sort(found.begin(), found.end(), [](const Violated& a, const Violated& b) {
        return a.violation != b.violation ? a.violation > b.violation : a.members < b.members;
    });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const Violated& a, const Violated& b) { return a.members == b.members; }),
                found.end());
    std::vector<CapacityCut> cuts;
    std::vector<int> uses(at(problem.num_stops()), 0);
    for (const Violated& violated : found) {
        if (cuts.size() >= at(settings.max_cuts)) break;
        int used = 0;
        for (const int i : violated.members) used = std::max(used, uses[at(i)]);
        if (used >= settings.max_cuts_per_customer) continue;
        for (const int i : violated.members) ++uses[at(i)];
        cuts.push_back(to_capacity_cut(problem, violated.members, violated.vehicles));
    }
    return cuts;
}

}  // namespace fripn::exact
