#include "timed/predecessors.h"

#include <algorithm>
#include <utility>

namespace fripn::timed {

namespace {

// Of the reference: a unit of waiting counts a fifth of a unit of lateness.
constexpr double weight_of_waiting = 0.2;
constexpr double weight_of_lateness = 1.0;

// Between the windows that suit best.
double proximity(const Model& model, double factor, int from, int to) {
    const double time = model.service(from) + factor * model.base_time(from, to);
    double least = infinity;
    for (int a = 0; a < model.num_windows(from); ++a)
        for (int b = 0; b < model.num_windows(to); ++b) {
            const double waiting = std::max(0.0, model.window(to, b).open - time - model.window(from, a).close);
            const double lateness = std::max(0.0, model.window(from, a).open + time - model.window(to, b).close);
            least = std::min(least, weight_of_waiting * waiting + weight_of_lateness * lateness);
        }
    return model.distance(from, to) + least;
}

}  // namespace

Predecessors::Predecessors(const Model& model, const search::Neighbours& nearest, int max_per_customer)
    : per_customer_(std::min(max_per_customer, nearest.per_customer())) {
    double factor = infinity;
    for (const Frame& frame : model.frames()) factor = std::min(factor, frame.factor);
    std::vector<std::pair<double, int>> candidates;
    for (int c = 1; c <= model.num_customers(); ++c) {
        candidates.clear();
        for (const int* v = nearest.begin(c); v != nearest.end(c); ++v) candidates.emplace_back(proximity(model, factor, *v, c), *v);
        std::sort(candidates.begin(), candidates.end());
        for (int i = 0; i < per_customer_; ++i) lists_.push_back(candidates[static_cast<std::size_t>(i)].second);
    }
}

}  // namespace fripn::timed
