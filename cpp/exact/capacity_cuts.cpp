#include "exact/capacity_cuts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Weighting {
    std::vector<double> weights;    // per group, the largest is 1
    std::vector<double> needed;     // per demand: least weight of vehicles that carry it
};

// Adds weights per type, unless they are known: types of a group get the largest weight among them.
void add_weights(const Problem& problem, const std::vector<double>& per_type, std::vector<Weighting>& all) {
    Weighting made{std::vector<double>(problem.groups().size(), 0.0), {}};
    for (int k = 0; k < problem.num_types(); ++k) {
        double& weight = made.weights[at(problem.group_of(k))];
        weight = std::max(weight, per_type[at(k)]);
    }
    const double largest = *std::max_element(made.weights.begin(), made.weights.end());
    if (!(largest > 0)) return;
    for (double& weight : made.weights) weight /= largest;
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Weighting& other) {
        double difference = 0.0;
        for (std::size_t g = 0; g < made.weights.size(); ++g)
            difference = std::max(difference, std::abs(made.weights[g] - other.weights[g]));
        return difference < 1e-6;
    });
    if (!is_known) all.push_back(std::move(made));
}

// The covering knapsack for all demands up to the total, over the vehicles that a better plan may hire.
void fill_needed(const Problem& problem, const FleetBounds& fleet, Weighting& weighting) {
    std::vector<double>& needed = weighting.needed;
    needed.assign(at(problem.total_demand()) + 1, infinity);
    needed[0] = 0.0;
    for (int k = 0; k < problem.num_types(); ++k) {
        const double weight = weighting.weights[at(problem.group_of(k))];
        int left = static_cast<int>(std::floor(fleet.upper[at(k)] + 1e-6));
        left = std::min(left, problem.total_demand() / std::max(1, problem.type(k).capacity) + 1);
        // Bundles of 1, 2, 4, … vehicles make every number up to the limit.
        for (int size = 1; left > 0; size *= 2) {
            const int count = std::min(size, left);
            left -= count;
            const int carried = static_cast<int>(
                std::min<long long>(problem.total_demand(), static_cast<long long>(count) * problem.type(k).capacity));
            for (int q = problem.total_demand(); q > 0; --q)
                needed[at(q)] = std::min(needed[at(q)], needed[at(std::max(0, q - carried))] + weight * count);
        }
    }
}

std::vector<Weighting> weightings(const Problem& problem, const FleetBounds& fleet, const std::vector<WeightedRoute>& solution,
                                  const std::vector<FleetCut>& fleet_cuts) {
    constexpr std::size_t most_fleet_cuts = 12;
    std::vector<Weighting> all;
    const int types = problem.num_types();
    add_weights(problem, std::vector<double>(at(types), 1.0), all);
    double length = 0.0, routes = 0.0;
    for (const WeightedRoute& route : solution) {
        length += route.value * problem.route_length(route.column->customers);
        routes += route.value;
    }
    std::vector<double> fixed, whole;
    for (const Type& type : problem.types()) {
        fixed.push_back(type.fixed_cost);
        whole.push_back(type.fixed_cost + (routes > 0 ? type.unit_cost * length / routes : 0.0));
    }
    add_weights(problem, fixed, all);
    add_weights(problem, whole, all);
    for (int j = 0; j < types; ++j)
        for (const int factor : {1, 2}) {
            std::vector<double> rounded;
            for (const Type& type : problem.types())
                rounded.push_back((factor * type.capacity + problem.type(j).capacity - 1) / problem.type(j).capacity);
            add_weights(problem, rounded, all);
        }
    for (std::size_t c = fleet_cuts.size() - std::min(fleet_cuts.size(), most_fleet_cuts); c < fleet_cuts.size(); ++c)
        add_weights(problem, fleet_cuts[c].weights, all);
    for (Weighting& weighting : all) fill_needed(problem, fleet, weighting);
    return all;
}

struct Violated {
    double violation;
    std::size_t weighting;
    double least;
    std::vector<int> members;
};

// What the arcs of a fractional solution carry between customers, in both directions together.
class Flows {
public:
    struct Arc {
        int to;
        int group;
        double flow;
    };

    Flows(const Problem& problem, const std::vector<WeightedRoute>& solution)
        : arcs_(at(problem.num_stops())), visits_(at(problem.num_stops()), std::vector<double>(problem.groups().size(), 0.0)),
          total_(at(problem.num_stops()), 0.0) {
        for (const WeightedRoute& route : solution) {
            const int group = problem.group_of(route.column->type);
            int last = 0;
            for (const int i : route.column->customers) {
                visits_[at(i)][at(group)] += route.value;
                total_[at(i)] += route.value;
                if (last > 0) {
                    arcs_[at(last)].push_back({i, group, route.value});
                    arcs_[at(i)].push_back({last, group, route.value});
                }
                last = i;
            }
        }
    }

    [[nodiscard]] const std::vector<Arc>& arcs(int i) const { return arcs_[at(i)]; }
    [[nodiscard]] const std::vector<double>& visits(int i) const { return visits_[at(i)]; }
    [[nodiscard]] double total(int i) const { return total_[at(i)]; }

private:
    std::vector<std::vector<Arc>> arcs_;
    std::vector<std::vector<double>> visits_;    // per group
    std::vector<double> total_;
};

// Adds one customer after the other to a set, beginning with `seed`, and notes the most violated set on the way. The next
// one is that with the most flow from the set; with `by_load` its load, as a share of a mean vehicle, counts too.
Violated grow(const Problem& problem, const std::vector<Weighting>& all, const Flows& flows, int seed, double mean_load,
              bool by_load) {
    Violated best{0.0, 0, 0.0, {}};
    std::vector<int> members;
    std::vector<char> is_member(at(problem.num_stops()), 0);
    std::vector<double> attached(at(problem.num_stops()), 0.0);
    std::vector<double> leaving(problem.groups().size(), 0.0);    // how often routes of each group leave the set
    double times = 0.0;
    int load = 0;
    std::size_t best_size = 0;
    for (int next = seed; next > 0;) {
        // Every visit leaves the customer; arcs within the set do not leave the set.
        for (std::size_t g = 0; g < leaving.size(); ++g) leaving[g] += flows.visits(next)[g];
        times += flows.total(next) - attached[at(next)];
        for (const Flows::Arc& arc : flows.arcs(next)) {
            if (is_member[at(arc.to)]) leaving[at(arc.group)] -= arc.flow;
            attached[at(arc.to)] += arc.flow;
        }
        load += problem.demand(next);
        is_member[at(next)] = 1;
        members.push_back(next);
        for (std::size_t w = 0; w < all.size(); ++w) {
            double weight = 0.0;
            for (std::size_t g = 0; g < leaving.size(); ++g) weight += all[w].weights[g] * leaving[g];
            const double least = all[w].needed[at(load)];
            if (!(least > weight) || !(least < infinity)) continue;
            const double violation = weight > 0 ? (least - weight) * times / weight : 1.0;
            if (violation > best.violation) {
                best.violation = violation;
                best.weighting = w;
                best.least = least;
                best_size = members.size();
            }
        }
        next = 0;
        double most = -infinity;
        for (int j = 1; j < problem.num_stops(); ++j) {
            if (is_member[at(j)] || attached[at(j)] < 1e-6) continue;
            double gain = attached[at(j)] - flows.total(j);
            if (by_load) gain += problem.demand(j) / mean_load;
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

std::vector<CapacityCut> separate_capacity_cuts(const Problem& problem, const FleetBounds& fleet,
                                                const std::vector<WeightedRoute>& solution,
                                                const std::vector<FleetCut>& fleet_cuts, const CapacitySeparation& settings,
                                                const Watch& watch) {
    const std::vector<Weighting> all = weightings(problem, fleet, solution, fleet_cuts);
    const Flows flows(problem, solution);
    double routes = 0.0;
    for (const WeightedRoute& route : solution) routes += route.value;
    const double mean_load = std::max(1.0, problem.total_demand() / std::max(1.0, routes));
    std::vector<Violated> found;
    for (int seed = 1; seed < problem.num_stops(); ++seed)
        for (const bool by_load : {false, true}) {
            watch.look();
            Violated violated = grow(problem, all, flows, seed, mean_load, by_load);
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
        // Sums of some weights: their rounding is far below what is taken off.
        cuts.push_back(
            to_capacity_cut(problem, violated.members, all[violated.weighting].weights, violated.least * (1.0 - 1e-11)));
    }
    return cuts;
}

}  // namespace fripn::exact
