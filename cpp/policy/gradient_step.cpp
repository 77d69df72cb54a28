#include "policy/gradient_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

void clear(AlignedFloats& values) { std::fill(values.begin(), values.end(), 0.0F); }

// Places of the rows that come once per trajectory.
constexpr int load_place = 0, regret_place = 1, net_regret_place = 2, value_place = 3, num_single_rows = 4;

}  // namespace

WeightGradient::WeightGradient(const FoldedWeights& weights)
    : scalars(weights.scalars.size()),
      bias(weights.bias.size()),
      query(weights.query.size()),
      query_bias(weights.query_bias.size()),
      pairs(weights.pairs.size()) {}

GradientStep::GradientStep(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types)
    : DecisionState(weights, kernels, num_nodes, num_types, true),
      node_weights_(mask_.size() * size_of(weights.dims.num_heads)),
      targets_(mask_.size()),
      d_sums_(mask_.size()),
      d_attended_(attended_.size()),
      d_attended_types_(attended_types_.size()),
      d_rows_(rows_.size()),
      d_shared_(size_of(weights.dims.row_width)),
      scratch_(mask_.size()),
      values_(open_.keys.size()),
      d_keys_(open_.keys.size()),
      d_pointers_(open_.keys.size()),
      d_biases_(size_of(stride_)),
      d_candidate_(rows_.size()),
      d_employed_(rows_.size()),
      d_graph_(rows_.size()),
      d_single_(d_shared_.size() * num_single_rows),
      d_scalars_(d_shared_.size() * size_of(weights.num_scalars())) {}

void GradientStep::start(const Problem& problem, const NodeTable& table, float* d_table) {
    DecisionState::start(problem, table);
    d_table_ = d_table;
    if (!d_table) return;
    std::copy(table.value_blocks.begin(), table.value_blocks.end(), values_.begin());
    for (AlignedFloats* sum : {&d_keys_, &d_pointers_, &d_biases_, &d_candidate_, &d_employed_, &d_graph_,
                               &d_single_, &d_scalars_})
        clear(*sum);
}

double GradientStep::score(const float* queries, const Target& target) {
    update_mask();
    const TypeRange types = acting();
    kernels_.attend_nodes_kept(weights_.dims, queries, types.count, open_.keys.data(), table_->values.data(),
                               open_.nodes(), open_.count(), mask_.data() + row_of(types.first), stride_,
                               node_weights_.data(), joint_nodes_.sums(), attended_of(types.first));
    joint_nodes_.scale(attended_of(types.first), types.count);
    point(score_scale());
    if (target.is_type_given) restrict_to(target.type);
    const float maximum = *std::max_element(maxima_.begin(), maxima_.end());
    total_ = 0.0;
    for (int k = types.first; k < types.end(); ++k) {
        const std::ptrdiff_t at = row_of(k);
        total_ += static_cast<double>(
            kernels_.exponentiate(scores_.data() + at, open_.count(), maximum, shares_.data() + at));
    }
    hit_ = mark_targets(target);
    return std::log(hit_ / total_);
}

void GradientStep::differentiate(const float* queries, float weight, float* d_queries) {
    const Dims& dims = weights_.dims;
    const int columns = weights_.num_columns();
    // d(score before tanh): the pointer keys carry 2 log2(e).
    const auto factor =
        static_cast<float>(static_cast<double>(weight * weights_.clip) / (2.0 * std::numbers::log2e));
    const TypeRange types = acting();
    for (int k = types.first; k < types.end(); ++k) {
        const std::ptrdiff_t at = row_of(k);
        kernels_.scores_back(scores_.data() + at, shares_.data() + at, targets_.data() + at, open_.count(),
                             static_cast<float>(score_scale()), static_cast<float>(1.0 / total_),
                             static_cast<float>(1.0 / hit_), factor, d_sums_.data() + at);
    }
    const float* table_row = table_->location(0);
    kernels_.point_back(dims, {attended_of(types.first), types.count, d_sums_.data() + row_of(types.first),
                               table_row + weights_.pointer_column(), open_.nodes(), open_.count(), stride_, columns,
                               d_attended_.data(), d_pointers_.data(), d_biases_.data()});
    pair_.differentiate(rows_.data(), types, open_, packing_.pair_wastes(), d_sums_.data(), d_rows_.data());
    const float* means = joint_nodes_.scale_back(attended_of(types.first), d_attended_.data(), types.count);
    kernels_.attend_nodes_back(
        dims, {queries, types.count, node_weights_.data(), attended_of(types.first), d_attended_.data(), means,
               table_row + weights_.key_column(), values_.data(), open_.nodes(), open_.count(), stride_, columns,
               scratch_.data(), d_queries, d_keys_.data(), d_table_ + weights_.value_column()});
}

// Scores are clip * tanh, in units of log2.
double GradientStep::score_scale() const { return static_cast<double>(weights_.clip) * std::numbers::log2e; }

// Marks the target actions and returns the sum of their shares.
double GradientStep::mark_targets(const Target& target) {
    clear(targets_);
    double hit = 0.0;
    const auto mark = [&](int type, int place) {
        const std::size_t at = size_of(type) * size_of(stride_) + size_of(place);
        if (mask_[at] < 0.0F) return;
        targets_[at] = 1.0F;
        hit += static_cast<double>(shares_[at]);
    };
    if (target.ends && fleet_.is_all_at_depot()) {
        for (int k = 0; k < num_types_; ++k)
            for (int j = 1; j < open_.count(); ++j)
                if (target.ends[static_cast<std::ptrdiff_t>(k) * problem_->num_nodes + open_.node_at(j)]) mark(k, j);
    } else {
        mark(target.type, open_.place_of(target.node));
    }
    return hit;
}

void GradientStep::add_types(const float* d_attended, const float* d_queries) {
    const Dims& dims = weights_.dims;
    const TypeRange types = acting();
    const float* means = nullptr;
    if (dims.is_joint) {
        clear(d_attended_types_);
        std::copy_n(d_attended, types.count * dims.types_width,
                    d_attended_types_.data() + static_cast<std::ptrdiff_t>(types.first) * dims.types_width);
        d_attended = d_attended_types_.data();
        means = joint_types_.scale_back(attended_types_.data(), d_attended_types_.data(), num_types_);
    }
    kernels_.attend_types_back(dims, rows_.data(), num_types_, attending(), type_weights_.data(), d_attended, means,
                               d_rows_.data());
    if (dims.has_residual)
        for (int r = 0; r < types.count; ++r)
            std::copy_n(d_queries + static_cast<std::ptrdiff_t>(r) * dims.nodes_width, dims.nodes_width,
                        d_rows_.data() + static_cast<std::ptrdiff_t>(types.first + r) * dims.row_width +
                            3 * dims.types_width);
    if (weights_.has_cover) clear(d_shared_);
    for (int k = 0; k < num_types_; ++k)
        add_terms(terms_[size_of(k)], columns_of(k), d_rows_.data() + static_cast<std::ptrdiff_t>(k) * dims.row_width);
    if (weights_.has_cover) add_terms(shared_terms_, {0, dims.row_width}, d_shared_.data());
}

void GradientStep::add_terms(const std::vector<Term>& terms, ColumnRange columns, const float* d_row) {
    for (const Term& term : terms)
        if (term.coefficient != 0.0F)
            kernels_.add_scaled(d_row + columns.first, columns.count, term.coefficient,
                                gradient_of(term) + columns.first);
}

float* GradientStep::gradient_of(const Term& term) {
    const std::ptrdiff_t width = weights_.dims.row_width;
    switch (term.source) {
        case RowSource::candidate: return d_candidate_.data() + term.index * width;
        case RowSource::employed: return d_employed_.data() + term.index * width;
        case RowSource::graph: return d_graph_.data() + term.index * width;
        case RowSource::location: return d_table_ + static_cast<std::ptrdiff_t>(term.index) * weights_.num_columns();
        case RowSource::shared: return d_shared_.data();
        case RowSource::load: return d_single_.data() + load_place * width;
        case RowSource::regret: return d_single_.data() + regret_place * width;
        case RowSource::net_regret: return d_single_.data() + net_regret_place * width;
        case RowSource::value: return d_single_.data() + value_place * width;
        case RowSource::scalar: return d_scalars_.data() + term.index * width;
    }
    return nullptr;
}

void GradientStep::apply(int type, int node) {
    if (node != 0 && !d_table_) {
        pair_.remove(open_.remove(node));
    } else if (node != 0) {
        flush(node, open_.place_of(node));
        const OpenNodes::Removal removal = open_.remove(node);
        pair_.remove(removal);
        const std::ptrdiff_t A = weights_.dims.nodes_width;
        for (AlignedFloats* blocks : {&values_, &d_keys_, &d_pointers_}) move_column(*blocks, A, removal);
        d_biases_[size_of(removal.place)] = d_biases_[size_of(removal.from)];
        // What moves into the freed column later must find zeros; so must the padding.
        float* d_key = d_keys_.data() + column_offset(A, removal.from);
        float* d_pointer = d_pointers_.data() + column_offset(A, removal.from);
        for (std::ptrdiff_t c = 0; c < A * block_lanes; c += block_lanes) d_key[c] = d_pointer[c] = 0.0F;
        d_biases_[size_of(removal.from)] = 0.0F;
    }
    move(type, node);
}

// Adds what a node has gathered while it was open to its row of the table.
void GradientStep::flush(int node, int place) {
    const std::ptrdiff_t A = weights_.dims.nodes_width;
    float* row = d_table_ + static_cast<std::ptrdiff_t>(node) * weights_.num_columns();
    const float* d_key = d_keys_.data() + column_offset(A, place);
    const float* d_pointer = d_pointers_.data() + column_offset(A, place);
    for (std::ptrdiff_t c = 0; c < A; ++c) {
        row[weights_.key_column() + c] += d_key[c * block_lanes];
        row[weights_.pointer_column() + c] += d_pointer[c * block_lanes];
    }
    row[weights_.bias_column()] += d_biases_[size_of(place)];
    if (!weights_.has_graph || node == 0) return;
    // Its embedding was part of the remaining graph of every candidate it fits, at every step so far.
    const float* d_sum = d_graph_.data();
    for (const float threshold : problem_->graph_thresholds) {
        if (problem_->ranks[size_of(node)] < threshold)
            kernels_.add_scaled(d_sum, weights_.dims.row_width, 1.0F, row + weights_.graph_column());
        d_sum += weights_.dims.row_width;
    }
}

void GradientStep::finish(WeightGradient& sum) {
    for (int place = 0; place < open_.count(); ++place) flush(open_.node_at(place), place);
    const int width = weights_.dims.row_width;
    for (int k = 0; k < num_types_; ++k)
        kernels_.add_scaled(d_candidate_.data() + static_cast<std::ptrdiff_t>(k) * width, width, 1.0F, d_table_);
    pair_.finish(d_table_);
    for (std::size_t c = 0; c < sum.pairs.size(); ++c) sum.pairs[c] += pair_.d_weights[c];
    add_scalars(sum);
}

// Undoes what Problem::fold_scalars merged.
void GradientStep::add_scalars(WeightGradient& sum) const {
    const std::ptrdiff_t width = weights_.dims.row_width;
    const auto add = [&](Scalar scalar, const float* row, double factor) {
        kernels_.add_scaled(row, weights_.dims.row_width, static_cast<float>(factor),
                            sum.scalars.data() + static_cast<int>(scalar) * width);
    };
    for (int k = 0; k < num_types_; ++k) {
        const float* candidate = d_candidate_.data() + k * width;
        const float* employed = d_employed_.data() + k * width;
        for (const float* row : {candidate, employed}) {
            kernels_.add_scaled(row, weights_.dims.row_width, 1.0F, sum.bias.data());
            add(Scalar::capacity, row, problem_->capacities[k]);
            add(Scalar::unit_cost, row, problem_->unit_costs[k]);
        }
        add(Scalar::remaining_load, candidate, problem_->capacities[k]);
        add(Scalar::fixed_cost, candidate, problem_->fixed_costs[k]);
        if (weights_.has_cover) add(Scalar::is_candidate, candidate, 1.0);
    }
    const float* load = d_single_.data() + load_place * width;
    add(Scalar::remaining_load, load, 1.0);
    if (!weights_.has_cover) return;
    const double per_level = 1.0 / problem_->price_level;
    const auto add_pair = [&](Scalar plain, Scalar relative, int place) {
        add(plain, d_single_.data() + place * width, 1.0);
        add(relative, d_single_.data() + place * width, per_level);
    };
    add_pair(Scalar::regret, Scalar::relative_regret, regret_place);
    add_pair(Scalar::net_regret, Scalar::relative_net_regret, net_regret_place);
    add_pair(Scalar::value, Scalar::relative_value, value_place);
    add(Scalar::relative_value, load, -1.0);
    for (int scalar = num_paper_scalars; scalar < weights_.num_scalars(); ++scalar)
        add(static_cast<Scalar>(scalar), d_scalars_.data() + scalar * width, 1.0);
}

}  // namespace fripn::policy
