#include "policy/decision_state.h"

#include <algorithm>

namespace fripn::policy {

namespace {

// More than a row is ever made of.
constexpr std::size_t most_terms = 16;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

}  // namespace

DecisionState::DecisionState(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types,
                             bool is_differentiable)
    : weights_(weights),
      kernels_(kernels),
      num_types_(num_types),
      fleet_(weights, num_types),
      open_(weights, num_nodes),
      pair_(weights, kernels, num_nodes, num_types, is_differentiable),
      packing_(weights, num_nodes, num_types),
      stride_(open_.stride()),
      terms_(size_of(num_types)),
      rows_(size_of(num_types * weights.dims.row_width)),
      type_weights_(size_of(num_types * num_types * weights.dims.lanes_width)),
      mask_(size_of(num_types) * size_of(stride_)),
      attended_(size_of(num_types * weights.dims.nodes_width)),
      scores_(mask_.size()),
      shares_(mask_.size()),
      maxima_(size_of(num_types)),
      thresholds_(size_of(num_types)),
      is_employed_(std::make_unique<bool[]>(size_of(num_types))),
      shared_row_(size_of(weights.dims.row_width)) {
    shared_terms_.reserve(most_terms);
    for (std::vector<Term>& terms : terms_) terms.reserve(most_terms);
    term_rows_.reserve(most_terms);
    coefficients_.reserve(most_terms);
}

void DecisionState::start(const Problem& problem, const NodeTable& table) {
    problem_ = &problem;
    table_ = &table;
    fleet_.start(problem, table);
    open_.start(problem, table);
    pair_.start(problem, table);
    packing_.start(problem);
}

bool DecisionState::is_available(int type, int node) const {
    if (node == 0) return fleet_.is_employed(type);
    return open_.place_of(node) >= 0 && problem_->ranks[size_of(node)] < fleet_.threshold(type);
}

void DecisionState::encode_types(float* attended) {
    packing_.update(fleet_, open_);
    if (weights_.has_cover) {
        fleet_.terms_of_shared(shared_terms_);
        combine(shared_terms_, shared_row_.data());
    }
    for (int k = 0; k < num_types_; ++k) {
        fleet_.terms_of_type(k, packing_.waste(k), terms_[size_of(k)]);
        combine(terms_[size_of(k)], rows_.data() + static_cast<std::ptrdiff_t>(k) * weights_.dims.row_width);
    }
    kernels_.attend_types(weights_.dims, rows_.data(), num_types_, type_weights_.data(), attended);
}

void DecisionState::combine(const std::vector<Term>& terms, float* out) {
    term_rows_.clear();
    coefficients_.clear();
    for (const Term& term : terms) {
        if (term.coefficient == 0.0F) continue;  // often: nothing wasted, nothing to regret
        term_rows_.push_back(term.kind == RowKind::shared ? shared_row_.data() : fleet_.row_of(term));
        coefficients_.push_back(term.coefficient);
    }
    kernels_.combine(out, weights_.dims.row_width, static_cast<int>(term_rows_.size()), term_rows_.data(),
                     coefficients_.data());
}

void DecisionState::update_mask() {
    for (int k = 0; k < num_types_; ++k) {
        thresholds_[size_of(k)] = fleet_.threshold(k);
        is_employed_[size_of(k)] = fleet_.is_employed(k);
    }
    open_.mask(kernels_, num_types_, thresholds_.data(), is_employed_.get(), mask_.data());
}

void DecisionState::point(double scale) {
    const float* pairs = pair_.score(rows_.data(), open_, packing_.pair_wastes());
    kernels_.point(weights_.dims, attended_.data(), num_types_, open_.pointers.data(), open_.biases.data(), pairs,
                   open_.count(), mask_.data(), stride_, static_cast<float>(scale), scores_.data(), maxima_.data());
}

void DecisionState::restrict_to(int type) {
    for (int k = 0; k < num_types_; ++k) {
        if (k == type) continue;
        std::fill_n(scores_.data() + row_of(k), stride_, unavailable);
        maxima_[size_of(k)] = unavailable;
    }
}

void DecisionState::move(int type, int node) {
    if (node != 0) packing_.remove(node);
    pair_.move(type, node, open_);
    fleet_.move(type, node, open_.nodes(), open_.count());
}

}  // namespace fripn::policy
