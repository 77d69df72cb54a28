#include "exact/completion.h"

#include <algorithm>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Completion::Completion(const Problem& problem, const NgSets& ng_sets, const ArcSet& arcs, const Prices& prices, int group,
                       const std::vector<char>& is_open, const Watch& watch)
    : stops_(at(problem.num_stops())) {
    for (const int k : problem.groups()[at(group)].types)
        if (is_open[at(k)]) capacity_ = std::max(capacity_, problem.type(k).capacity);
    into_ = priced_arcs(problem, arcs, prices, group);
    forward_ = std::make_unique<Labelling>(problem, ng_sets, prices.cuts);
    forward_->run(into_, capacity_, capacity_, true, watch);
    if (!problem.is_symmetric()) {
        backward_ = std::make_unique<Labelling>(problem, ng_sets, prices.cuts);
        backward_->run(reversed(problem, into_), capacity_, capacity_, true, watch);
    }
    to_depot_.assign(stops_ * at(capacity_ + 1), infinity);
    for (int i = 1; i < problem.num_stops(); ++i) {
        double* bound = &to_depot_[at(i) * at(capacity_ + 1)];
        for (int q = 0; q <= capacity_; ++q) bound[q] = arc(i, 0);
        for (int j = 1; j < problem.num_stops(); ++j) {
            const double cost = arc(i, j);
            if (j == i || !(cost < infinity)) continue;
            for (int q = problem.demand(j); q <= capacity_; ++q) bound[q] = std::min(bound[q], cost + backward().least(j, q));
        }
    }
}

int fix_arcs(const Problem& problem, const Completion& completion, int group, const Prices& prices,
             const std::vector<double>& limits, ArcSet& arcs) {
    int removed = 0;
    const int stops = problem.num_stops();
    for (int i = 0; i < stops; ++i)
        for (int j = 0; j < stops; ++j) {
            if (!arcs.has(group, i, j)) continue;
            bool is_used = false;
            for (const int k : problem.groups()[at(group)].types) {
                const int capacity = std::min(problem.type(k).capacity, completion.capacity());
                const double allowed = limits[at(k)] - prices.types[at(k)] - completion.arc(i, j);
                if (i == 0) {
                    // The route starts at j: the rest of it is what goes on from there, in whatever direction.
                    is_used = completion.to_depot(j, capacity - problem.demand(j)) < allowed;
                } else if (j == 0) {
                    is_used = completion.from_depot(i, capacity) < allowed;
                } else {
                    for (int q = problem.demand(i); q + problem.demand(j) <= capacity && !is_used; ++q)
                        is_used = completion.from_depot(i, q) + completion.backward().least(j, capacity - q) < allowed;
                }
                if (is_used) break;
            }
            if (!is_used) {
                arcs.remove(group, i, j);
                ++removed;
            }
        }
    return removed;
}

}  // namespace fripn::exact
