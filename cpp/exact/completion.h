// Lower bounds on completing a partial route, for a whole range of loads; what arc fixing and enumeration rest on.
#pragma once

#include <memory>
#include <vector>

#include "exact/labelling.h"
#include "exact/ng_sets.h"
#include "exact/pricing.h"
#include "exact/problem.h"
#include "exact/watch.h"

namespace fripn::exact {

// Per group: labels of full length in both directions at given prices.
class Completion {
public:
    Completion(const Problem& problem, const NgSets& ng_sets, const ArcSet& arcs, const Prices& prices, int group,
               const std::vector<char>& is_open, const Watch& watch);

    [[nodiscard]] int capacity() const { return capacity_; }
    [[nodiscard]] double arc(int i, int j) const {
        return into_[static_cast<std::size_t>(j) * stops_ + static_cast<std::size_t>(i)];
    }
    // Least cost from the depot to i, i included, with at most this load.
    [[nodiscard]] double from_depot(int i, int load) const { return forward_->least(i, load); }
    // Least cost from i, i not included, to the depot with at most this load: i's own cost and load are not part of it.
    [[nodiscard]] double to_depot(int i, int load) const {
        return to_depot_[static_cast<std::size_t>(i) * static_cast<std::size_t>(capacity_ + 1) + static_cast<std::size_t>(load)];
    }
    [[nodiscard]] const Labelling& backward() const { return backward_ ? *backward_ : *forward_; }

private:
    std::size_t stops_;
    int capacity_ = 0;
    std::vector<double> into_;
    std::unique_ptr<Labelling> forward_, backward_;
    std::vector<double> to_depot_;
};

// Removes the arcs of a group on which no route of a reduced cost below the limit of its type runs; says how many.
int fix_arcs(const Problem& problem, const Completion& completion, int group, const Prices& prices,
             const std::vector<double>& limits, ArcSet& arcs);

}  // namespace fripn::exact
