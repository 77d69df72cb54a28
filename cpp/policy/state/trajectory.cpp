#include "policy/state/trajectory.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

}  // namespace

Trajectory::Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types)
    : DecisionState(weights, kernels, num_nodes, num_types, false),
      head_scratch_(size_of(std::max(num_types, 8)) * size_of(stride_)),  // a single type has its heads there
      type_sums_(size_of(num_types)) {
    best_scores_.reserve(mask_.size());
}

void Trajectory::start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream) {
    DecisionState::start(problem, table);
    rng_ = Rng(seed, stream);
}

void Trajectory::score(const float* queries, const DecodeSettings& settings) {
    update_mask();
    const TypeRange types = acting();
    kernels_.attend_nodes(weights_.dims, queries, types.count, open_.keys.data(), table_->values.data(),
                          open_.nodes(), open_.count(), mask_.data() + row_of(types.first), stride_,
                          head_scratch_.data(), joint_nodes_.sums(), attended_of(types.first));
    joint_nodes_.scale(attended_of(types.first), types.count);
    point(static_cast<double>(weights_.clip) * std::numbers::log2e / settings.temperature);
}

void Trajectory::open_with(const Opening& opening) {
    std::copy(opening.scores.begin(), opening.scores.end(), scores_.begin());
    std::copy(opening.maxima.begin(), opening.maxima.end(), maxima_.begin());
}

void Trajectory::keep_best(int count) {
    best_scores_.clear();
    const TypeRange types = acting();
    for (int k = types.first; k < types.end(); ++k)
        std::copy_if(scores_of(k), scores_of(k) + open_.count(), std::back_inserter(best_scores_),
                     [](float score) { return score > unavailable; });
    if (best_scores_.size() <= size_of(count)) return;
    const auto last = best_scores_.begin() + count - 1;
    std::nth_element(best_scores_.begin(), last, best_scores_.end(), std::greater<>());
    for (int k = types.first; k < types.end(); ++k)
        std::replace_if(
            scores_of(k), scores_of(k) + open_.count(), [limit = *last](float score) { return score < limit; },
            unavailable);
}

void Trajectory::normalise() {
    maximum_ = *std::max_element(maxima_.begin(), maxima_.end());
    total_ = 0.0;
    for (int k = 0; k < num_types_; ++k) {
        type_sums_[size_of(k)] = 0.0F;
        if (maxima_[size_of(k)] > unavailable)
            type_sums_[size_of(k)] =
                kernels_.exponentiate(scores_of(k), open_.count(), maximum_,
                                      shares_.data() + row_of(k));
        total_ += static_cast<double>(type_sums_[size_of(k)]);
    }
}

bool Trajectory::choose(const DecodeSettings& settings, Choice& choice) {
    if (*std::max_element(maxima_.begin(), maxima_.end()) <= unavailable) return false;
    if (settings.is_first_type_drawn && num_steps() == 0) {
        const auto usable = std::count_if(maxima_.begin(), maxima_.end(), [](float m) { return m > unavailable; });
        std::size_t place = rng_.below(static_cast<std::size_t>(usable));
        int type = 0;
        while (maxima_[size_of(type)] <= unavailable || place-- > 0) ++type;
        restrict_to(type);
    }
    if (settings.top_k > 0) keep_best(settings.top_k);
    normalise();
    if (settings.is_greedy)
        choose_best(choice);
    else
        choose_at_random(choice);
    choice.log_probability = log_probability_of(choice.type, choice.node);
    return true;
}

double Trajectory::log_probability_of_forced(const DecodeSettings& settings, int type, int node) {
    if (!is_available(type, node)) return -std::numeric_limits<double>::infinity();
    if (settings.is_first_type_drawn && num_steps() == 0) restrict_to(type);
    normalise();
    return log_probability_of(type, node);
}

void Trajectory::choose_best(Choice& choice) const {
    const auto type = std::max_element(maxima_.begin(), maxima_.end()) - maxima_.begin();
    const float* row = scores_of(static_cast<int>(type));
    const auto place = std::max_element(row, row + open_.count()) - row;
    choice.type = static_cast<int>(type);
    choice.node = open_.node_at(static_cast<int>(place));
}

void Trajectory::choose_at_random(Choice& choice) {
    double rest = rng_.uniform() * total_;
    // Rounding may carry the draw past the end; then the last action of the last type is taken.
    for (int k = 0; k < num_types_; ++k) {
        const auto sum = static_cast<double>(type_sums_[size_of(k)]);
        if (sum <= 0.0) continue;
        choice.type = k;
        if (rest < sum) break;
        rest -= sum;
    }
    const float* shares = shares_.data() + row_of(choice.type);
    for (int j = 0; j < open_.count(); ++j) {
        if (shares[j] <= 0.0F) continue;
        choice.node = open_.node_at(j);
        rest -= static_cast<double>(shares[j]);
        if (rest < 0.0) break;
    }
}

double Trajectory::log_probability_of(int type, int node) const {
    const float score = scores_of(type)[open_.place_of(node)];
    return static_cast<double>(score - maximum_) * std::numbers::ln2 - std::log(total_);
}

void Trajectory::apply(int type, int node) {
    if (node != 0) pair_.remove(open_.remove(node));
    move(type, node);
}

}  // namespace fripn::policy
