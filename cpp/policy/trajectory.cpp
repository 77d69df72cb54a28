#include "policy/trajectory.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

int round_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

}  // namespace

Trajectory::Trajectory(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types)
    : weights_(weights),
      kernels_(kernels),
      num_types_(num_types),
      fleet_(weights, num_types),
      open_(weights, num_nodes),
      pair_(weights, kernels, num_nodes, num_types),
      packing_(weights, num_nodes, num_types),
      stride_(open_.stride()),
      thresholds_(size_of(num_types)),
      is_employed_(std::make_unique<bool[]>(size_of(num_types))),
      rows_(size_of(num_types * weights.dims.row_width)),
      shared_row_(size_of(weights.dims.row_width)),
      type_weights_(size_of(num_types * num_types * weights.dims.lanes_width)),
      mask_(size_of(num_types) * size_of(stride_)),
      head_scratch_(mask_.size()),
      attended_(size_of(num_types * weights.dims.nodes_width)),
      scores_(mask_.size()),
      shares_(mask_.size()),
      maxima_(size_of(num_types)),
      type_sums_(size_of(num_types)) {
    terms_.reserve(16);
    term_rows_.reserve(16);
    coefficients_.reserve(16);
    best_scores_.reserve(mask_.size());
}

void Trajectory::start(const Problem& problem, const NodeTable& table, std::uint64_t seed, std::uint64_t stream) {
    problem_ = &problem;
    table_ = &table;
    rng_ = Rng(seed, stream);
    fleet_.start(problem, table);
    open_.start(problem, table);
    pair_.start(problem, table);
    packing_.start(problem);
}

bool Trajectory::is_available(int type, int node) const {
    if (node == 0) return fleet_.is_employed(type);
    return open_.place_of(node) >= 0 && problem_->ranks[size_of(node)] < fleet_.threshold(type);
}

void Trajectory::combine(const std::vector<Term>& terms, float* out) {
    term_rows_.clear();
    coefficients_.clear();
    for (const Term& term : terms) {
        term_rows_.push_back(term.kind == RowKind::shared ? shared_row_.data() : fleet_.row_of(term));
        coefficients_.push_back(term.coefficient);
    }
    kernels_.combine(out, weights_.dims.row_width, static_cast<int>(terms.size()), term_rows_.data(),
                     coefficients_.data());
}

void Trajectory::encode_types(float* attended) {
    packing_.update(fleet_, open_);
    if (weights_.has_cover) {
        fleet_.terms_of_shared(terms_);
        combine(terms_, shared_row_.data());
    }
    for (int k = 0; k < num_types_; ++k) {
        fleet_.terms_of_type(k, packing_.waste(k), terms_);
        combine(terms_, rows_.data() + static_cast<std::ptrdiff_t>(k) * weights_.dims.row_width);
    }
    kernels_.attend_types(weights_.dims, rows_.data(), num_types_, type_weights_.data(), attended);
}

void Trajectory::score(const float* queries, const DecodeSettings& settings) {
    for (int k = 0; k < num_types_; ++k) {
        thresholds_[size_of(k)] = fleet_.threshold(k);
        is_employed_[size_of(k)] = fleet_.is_employed(k);
    }
    open_.mask(kernels_, num_types_, thresholds_.data(), is_employed_.get(), mask_.data());
    kernels_.attend_nodes(weights_.dims, queries, num_types_, open_.keys.data(), table_->values.data(),
                          open_.nodes(), open_.count(), mask_.data(), stride_, head_scratch_.data(),
                          attended_.data());
    const float factor =
        static_cast<float>(static_cast<double>(weights_.clip) * std::numbers::log2e / settings.temperature);
    const float* pairs = pair_.score(rows_.data(), open_, packing_.pair_wastes(), mask_.data());
    kernels_.point(weights_.dims, attended_.data(), num_types_, open_.pointers.data(), open_.biases.data(), pairs,
                   open_.count(), mask_.data(), stride_, factor, scores_.data(), maxima_.data());
}

void Trajectory::open_with(const Opening& opening) {
    std::copy(opening.scores.begin(), opening.scores.end(), scores_.begin());
    std::copy(opening.maxima.begin(), opening.maxima.end(), maxima_.begin());
}

void Trajectory::restrict_to(int type) {
    for (int k = 0; k < num_types_; ++k) {
        if (k == type) continue;
        std::fill_n(scores_of(k), round_up(open_.count(), block_lanes), unavailable);
        maxima_[size_of(k)] = unavailable;
    }
}

void Trajectory::keep_best(int count) {
    best_scores_.clear();
    for (int k = 0; k < num_types_; ++k)
        std::copy_if(scores_of(k), scores_of(k) + open_.count(), std::back_inserter(best_scores_),
                     [](float score) { return score > unavailable; });
    if (best_scores_.size() <= size_of(count)) return;
    const auto last = best_scores_.begin() + count - 1;
    std::nth_element(best_scores_.begin(), last, best_scores_.end(), std::greater<>());
    for (int k = 0; k < num_types_; ++k)
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
                                      shares_.data() + static_cast<std::ptrdiff_t>(k) * stride_);
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
    // Rounding may carry the draw past the end; then the last action of the last type is meant.
    for (int k = 0; k < num_types_; ++k) {
        const auto sum = static_cast<double>(type_sums_[size_of(k)]);
        if (sum <= 0.0) continue;
        choice.type = k;
        if (rest < sum) break;
        rest -= sum;
    }
    const float* shares = shares_.data() + static_cast<std::ptrdiff_t>(choice.type) * stride_;
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
    pair_.move(type, node, open_);
    fleet_.move(type, node, open_.nodes(), open_.count());
}

}  // namespace fripn::policy
