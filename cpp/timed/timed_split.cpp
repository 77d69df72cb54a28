#include "timed/timed_split.h"

#include <algorithm>

namespace fripn::timed {

namespace {

// Routes with more than this multiple of the largest load are not tried.
constexpr double most_overload = 1.5;
// Nor those later than this multiple of what a route of one customer costs.
constexpr double most_warp_price = 4.0;

}  // namespace

TimedSplit::TimedSplit(const Model& model) : model_(model), price_(model) {}

Plan TimedSplit::operator()(const std::vector<int>& tour, const Amounts& penalties) {
    price_.set_penalties(penalties);
    const std::size_t n = tour.size();
    best_.assign(n + 1, infinity);
    cut_.assign(n + 1, 0);
    type_.assign(n + 1, -1);
    best_[0] = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        for (const Frame& frame : model_.frames()) {
            if (frame.types.empty()) continue;
            Outline route{frame.start, Cargo{}};
            double alone = 0.0;
            for (std::size_t j = i; j < n; ++j) {
                const int c = tour[j];
                const Arc arc = j == i ? model_.arc_from_depot(frame, c) : model_.arc(frame, tour[j - 1], c);
                Stretch next = route.time.joined(arc, model_.stop(c, 0));
                for (int w = 1; w < model_.num_windows(c); ++w) {
                    const Stretch other = route.time.joined(arc, model_.stop(c, w));
                    if (other.warp < next.warp || (other.warp == next.warp && other.duration < next.duration)) next = other;
                }
                route.time = next;
                route.cargo.add(model_.cargo(c));
                const Outline whole{route.time.joined(model_.arc_to_end(frame, c), frame.end), route.cargo};
                const TypeChoice choice = price_.cheapest(frame, whole);
                if (j == i) alone = choice.cost;
                if (best_[i] + choice.cost < best_[j + 1]) {
                    best_[j + 1] = best_[i] + choice.cost;
                    cut_[j + 1] = static_cast<int>(i);
                    type_[j + 1] = choice.type;
                }
                if (route.cargo.load[0] > most_overload * frame.largest[0] ||
                    penalties[warp_violation] * whole.time.warp > most_warp_price * alone)
                    break;
            }
        }
    Plan plan;
    plan.cost = best_[n];
    for (auto j = static_cast<int>(n); j > 0; j = cut_[static_cast<std::size_t>(j)])
        plan.routes.push_back({type_[static_cast<std::size_t>(j)],
                               {tour.begin() + cut_[static_cast<std::size_t>(j)], tour.begin() + j}});
    std::reverse(plan.routes.begin(), plan.routes.end());
    return plan;
}

}  // namespace fripn::timed
