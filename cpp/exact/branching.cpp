#include "exact/branching.h"

#include <algorithm>
#include <cmath>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double least_distance = 1e-4;

std::vector<BranchCandidate> fractional_types(const Problem& problem, const Master& master) {
    std::vector<BranchCandidate> found;
    for (int k = 0; k < problem.num_types(); ++k) {
        const double value = master.fleet_value(k);
        const double distance = std::abs(value - std::round(value));
        if (distance > least_distance) found.push_back({k, {}, value, distance});
    }
    return found;
}

// How often two stops follow each other, in both directions where distances are symmetric.
std::vector<BranchCandidate> fractional_edges(const Problem& problem, const Master& master) {
    const int stops = problem.num_stops();
    std::vector<double> use(at(stops) * at(stops), 0.0);
    master.for_each_used([&](const Column& column, double value) {
        int last = 0;
        const auto drive = [&](int to) {
            const bool turn = problem.is_symmetric() && last > to;
            use[at(turn ? to : last) * at(stops) + at(turn ? last : to)] += value;
            last = to;
        };
        for (const int i : column.customers) drive(i);
        drive(0);
    });
    std::vector<BranchCandidate> found;
    for (int i = 0; i < stops; ++i)
        for (int j = 0; j < stops; ++j) {
            const double value = use[at(i) * at(stops) + at(j)];
            // More than 1: from the depot and back, which the other edges of the customer decide.
            const double distance = std::min(value, 1.0 - value);
            if (distance <= least_distance) continue;
            BranchCandidate candidate{-1, {{{i, j}}, 0.0, 0.0}, value, distance};
            if (problem.is_symmetric()) candidate.edge.arcs.emplace_back(j, i);
            found.push_back(candidate);
        }
    return found;
}

}  // namespace

std::vector<BranchCandidate> branch_candidates(const Problem& problem, const Master& master, std::size_t most) {
    std::vector<BranchCandidate> found = fractional_types(problem, master);
    if (found.empty()) found = fractional_edges(problem, master);
    std::stable_sort(found.begin(), found.end(),
                     [](const BranchCandidate& a, const BranchCandidate& b) { return a.distance > b.distance; });
    if (found.size() > most) found.resize(most);
    return found;
}

void restrict_to_side(const BranchCandidate& candidate, bool is_above, FleetBounds& fleet, std::vector<ArcRow>& rows) {
    if (candidate.type >= 0) {
        if (is_above) fleet.lower[at(candidate.type)] = std::ceil(candidate.value);
        else fleet.upper[at(candidate.type)] = std::floor(candidate.value);
        return;
    }
    ArcRow row = candidate.edge;
    row.lower = is_above ? 1.0 : 0.0;
    row.upper = is_above ? infinity : 0.0;
    rows.push_back(row);
}

}  // namespace fripn::exact
