#include "policy/state/decision_state.h"

#include <algorithm>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

}  // namespace

DecisionState::DecisionState(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types,
                             bool is_differentiable)
    : weights_(weights),
      kernels_(kernels),
      num_types_(num_types),
      fleet_(weights, kernels, num_types),
      open_(weights, num_nodes),
      pair_(weights, kernels, num_nodes, num_types, is_differentiable),
      packing_(weights, num_nodes, num_types),
      stride_(open_.stride()),
      joint_types_(weights.dims.is_joint, JointAttention::Layout::heads_as_lanes, num_types, weights.dims.lanes_width,
                   weights.dims.lanes_width, weights.dims.types_width),
      joint_nodes_(weights.dims.is_joint, JointAttention::Layout::heads_apart, num_types, weights.dims.num_heads,
                   weights.dims.head_stride, weights.dims.nodes_width),
      terms_(size_of(num_types)),
      rows_(size_of(num_types * weights.dims.row_width)),
      type_weights_(size_of(num_types * num_types * weights.dims.lanes_width)),
      attended_types_(weights.dims.is_joint ? size_of(num_types * weights.dims.types_width) : 0),
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
    if (!acting().contains(type)) return false;
    if (node == 0) return fleet_.is_employed(type);
    return open_.place_of(node) >= 0 && problem_->ranks[size_of(node)] < fleet_.threshold(type);
}

TypeRange DecisionState::acting() const {
    const int on_road = weights_.is_route_by_route ? fleet_.last_on_road() : -1;
    return on_road < 0 ? TypeRange{0, num_types_} : TypeRange{on_road, 1};
}

DecisionState::ColumnRange DecisionState::columns_of(int type) const {
    if (acting().contains(type)) return {0, weights_.dims.row_width};
    // The acting types attend to the others: key and value. In a joint softmax their queries count too.
    const int E = weights_.dims.types_width;
    return weights_.dims.is_joint ? ColumnRange{0, 3 * E} : ColumnRange{E, 2 * E};
}

void DecisionState::encode_types(float* attended, float* residual) {
    const Dims& dims = weights_.dims;
    const TypeRange types = acting();
    packing_.update(fleet_, open_, types);
    if (weights_.has_cover) {
        fleet_.terms_of_shared(shared_terms_);
        combine(shared_terms_, {0, dims.row_width}, shared_row_.data());
    }
    for (int k = 0; k < num_types_; ++k) {
        fleet_.terms_of_type(k, packing_.waste(k), terms_[size_of(k)]);
        combine(terms_[size_of(k)], columns_of(k), rows_.data() + static_cast<std::ptrdiff_t>(k) * dims.row_width);
    }
    float* out = dims.is_joint ? attended_types_.data() : attended;
    kernels_.attend_types(dims, rows_.data(), num_types_, attending(), type_weights_.data(), joint_types_.sums(), out);
    if (dims.is_joint) {
        joint_types_.scale(out, num_types_);
        const auto E = static_cast<std::ptrdiff_t>(dims.types_width);
        std::copy_n(out + types.first * E, types.count * E, attended);
    }
    if (!dims.has_residual) return;
    const float* own = rows_.data() + static_cast<std::ptrdiff_t>(types.first) * dims.row_width + 3 * dims.types_width;
    for (int r = 0; r < types.count; ++r, own += dims.row_width, residual += dims.nodes_width)
        std::copy_n(own, dims.nodes_width, residual);
}

void DecisionState::combine(const std::vector<Term>& terms, ColumnRange columns, float* out) {
    const float* rows[most_terms];
    float coefficients[most_terms];
    int count = 0;
    for (const Term& term : terms) {
        if (term.coefficient == 0.0F) continue;  // often: nothing wasted, nothing to regret
        rows[count] = (term.source == RowSource::shared ? shared_row_.data() : fleet_.row_of(term)) + columns.first;
        coefficients[count++] = term.coefficient;
    }
    kernels_.combine(out + columns.first, columns.count, count, rows, coefficients);
}

void DecisionState::update_mask() {
    for (int k = 0; k < num_types_; ++k) {
        thresholds_[size_of(k)] = fleet_.threshold(k);
        is_employed_[size_of(k)] = fleet_.is_employed(k);
    }
    const TypeRange types = acting();
    open_.mask(kernels_, types.count, thresholds_.data() + types.first, is_employed_.get() + types.first,
               mask_.data() + row_of(types.first));
}

void DecisionState::point(double scale) {
    const TypeRange types = acting();
    const std::ptrdiff_t at = row_of(types.first);
    const float* pairs = pair_.score(rows_.data(), types, open_, packing_.pair_wastes());
    std::fill(maxima_.begin(), maxima_.end(), unavailable);
    kernels_.point(weights_.dims, attended_of(types.first), types.count, open_.pointers.data(), open_.biases.data(),
                   pairs ? pairs + at : nullptr, open_.count(), mask_.data() + at, stride_, static_cast<float>(scale),
                   scores_.data() + at, maxima_.data() + types.first);
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
