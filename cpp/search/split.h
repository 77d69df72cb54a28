// Split: the optimal cuts and vehicle types of a giant tour, in one dynamic program.
//
// With an unlimited fleet, cost[j] = min over i < j of cost[i] + c(i + 1 … j), where c is the cost of
// the cheapest vehicle for those customers in that order: O(n B) for at most B customers a route.
// Reference: C. Prins, "A simple and effective evolutionary algorithm for the vehicle routing
// problem", Computers & Operations Research 31 (2004), doi 10.1016/S0305-0548(03)00158-8.
//
// With a limited fleet each position keeps several labels (cost, vehicles used), the cheapest
// `beam_width` that no other label beats: exact while fewer are needed, a good heuristic beyond.
#pragma once

#include <vector>

#include "cost.h"
#include "instance.h"
#include "search/limits.h"
#include "search/plan.h"

namespace fripn::search {

// A workspace for one thread: reused over many tours without allocating.
template <Measure M = CapacityMeasure>
class Split {
public:
    // `beam_width` 0 ignores the limits of the fleet.
    Split(const Instance& instance, const FleetCost& fleet, int beam_width);
    // With a beam that suits the size.
    Split(const Instance& instance, const FleetCost& fleet);

    // Cost of the best cut of `tour` (all its stops are customers, each at most once; not
    // necessarily every customer). Infinity when the limited fleet offers none that was found, or none before
    // `deadline` was due: with many limited types one split takes long.
    double cost(const int* tour, int length, const Deadline* deadline = nullptr);

    // The routes behind the last call of `cost` (which must have been finite), given the same tour.
    [[nodiscard]] Plan plan(const int* tour) const;

    // Both in one; a plan with infinite cost and no routes when there is none.
    Plan operator()(const std::vector<int>& tour, const Deadline* deadline = nullptr) {
        if (cost(tour.data(), static_cast<int>(tour.size()), deadline) == infinity) return {};
        return plan(tour.data());
    }

private:
    struct Label {
        double cost;
        int previous;         // position of the cut before
        int previous_label;   // label at that position
        int type;
    };

    double cost_unlimited(const int* tour, int length);
    double cost_limited(const int* tour, int length, const Deadline* deadline);
    void prepare(const int* tour, int length);
    // The stretch from the depot to the first stop of a route, and on to the next; see `closed` for the way back.
    [[nodiscard]] M first_stretch(const int* tour, int i) const {
        return M::of(M::visit(instance_, 0)).extended(out_[static_cast<std::size_t>(i)], M::visit(instance_, tour[i]));
    }
    [[nodiscard]] M next_stretch(const M& stretch, const int* tour, int j) const {
        return stretch.extended(leg_[static_cast<std::size_t>(j)], M::visit(instance_, tour[j]));
    }
    void add_label(int position, const Label& label, const int* used);
    [[nodiscard]] double free_capacity(const int* used) const;

    const Instance& instance_;
    const FleetCost& fleet_;
    const int beam_width_;
    const int num_types_;
    const bool is_limited_;
    int length_ = 0;
    std::vector<typename M::Arc> leg_;    // leg_[i]: from tour[i - 1] to tour[i]
    std::vector<typename M::Arc> out_;    // depot to tour[i]
    std::vector<typename M::Arc> back_;   // tour[i] to depot
    std::vector<double> best_;      // unlimited: cost of the first i customers
    std::vector<int> cut_;          // unlimited: where the last route of the first i starts
    std::vector<int> type_;         // unlimited: its type
    std::vector<double> remaining_; // demand from position i on
    std::vector<Label> labels_;     // limited: beam_width labels per position
    std::vector<int> used_;         // limited: vehicles per label and type; a tour never needs more than it has customers
    std::vector<int> num_labels_;
    std::vector<double> too_much_;  // limited: what costs more finds no place among the labels of a position
    std::vector<int> scratch_;
};

}  // namespace fripn::search
