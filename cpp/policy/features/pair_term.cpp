#include "policy/features/pair_term.h"

#include <algorithm>
#include <cmath>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

// Distances spread over an area shrink with the root of the number of stops, so this is their natural unit.
float root_of_customers(const OpenNodes& open) { return std::sqrt(static_cast<float>(open.count() - 1)); }

}  // namespace

PairTerm::PairTerm(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types,
                   bool is_differentiable)
    : d_weights(weights.pairs.size()), weights_(weights), kernels_(kernels), num_types_(num_types) {
    if (!weights.has_pairs()) return;
    const int stride = (num_nodes + block_lanes - 1) / block_lanes * block_lanes;
    nodes_.resize(size_of(stride) * size_of(weights.dims.pair_width));
    loads_.resize(size_of(stride));
    xs_.resize(loads_.size());
    ys_.resize(loads_.size());
    distances_.resize(size_of(num_types) * size_of(stride));
    sums_.resize(distances_.size());
    distance_row_.resize(size_of(weights.dims.pair_width));
    node_row_.resize(distance_row_.size());
    d_distance_row_.resize(distance_row_.size());
    if (!is_differentiable) return;
    node_rows_.resize(size_of(num_nodes) * distance_row_.size());
    node_inputs_.resize(size_of(num_nodes));
    d_node_rows_.resize(node_rows_.size());
    d_nodes_.resize(node_rows_.size());
}

void PairTerm::start(const Problem& problem, const NodeTable& table) {
    problem_ = &problem;
    table_ = &table;
    if (!weights_.has_pairs()) return;
    if (weights_.looks_around()) surroundings_ = problem.surroundings;
    std::copy(table.pair_blocks.begin(), table.pair_blocks.end(), nodes_.begin());
    std::copy(problem.loads.begin(), problem.loads.end(), loads_.begin());
    for (std::size_t i = 0; i < problem.loads.size(); ++i) {
        xs_[i] = problem.places[2 * i];
        ys_[i] = problem.places[2 * i + 1];
    }
    const std::size_t stride = loads_.size();
    for (std::size_t k = 0; k < size_of(num_types_); ++k)
        std::copy(problem.depot_distances.begin(), problem.depot_distances.end(),
                  distances_.begin() + static_cast<std::ptrdiff_t>(k * stride));
    if (node_rows_.empty()) return;
    std::copy(table.first_pairs.begin(), table.first_pairs.end(), node_rows_.begin());
    for (int i = 1; i < problem.num_nodes && weights_.looks_around(); ++i)
        node_inputs_[size_of(i)] = surroundings_.inputs_of(i);
    for (AlignedFloats* sum : {&d_weights, &d_node_rows_, &d_nodes_}) std::fill(sum->begin(), sum->end(), 0.0F);
}

void PairTerm::remove(OpenNodes::Removal removal) {
    if (!weights_.has_pairs()) return;
    move_column(nodes_, weights_.dims.pair_width, removal);
    for (AlignedFloats* values : {&loads_, &xs_, &ys_})
        (*values)[size_of(removal.place)] = (*values)[size_of(removal.from)];
    for (std::size_t row = 0; row < distances_.size(); row += loads_.size())
        distances_[row + size_of(removal.place)] = distances_[row + size_of(removal.from)];
}

void PairTerm::move(int type, int node, const OpenNodes& open) {
    if (!weights_.has_pairs()) return;
    if (node != 0 && weights_.looks_around()) update_surroundings(node, open);
    float* row = distances_.data() + static_cast<std::ptrdiff_t>(type) * open.stride();
    const float x = problem_->places[2 * size_of(node)], y = problem_->places[2 * size_of(node) + 1];
    const float* xs = xs_.data();
    const float* ys = ys_.data();
    for (int j = 0; j < open.count(); ++j) {
        const float dx = xs[j] - x, dy = ys[j] - y;
        row[j] = std::sqrt(dx * dx + dy * dy);
    }
}

// The surroundings of the customers around it have changed.
void PairTerm::update_surroundings(int customer, const OpenNodes& open) {
    const int width = weights_.dims.pair_width;
    const float* parts[1 + num_surrounding_inputs];
    float coefficients[1 + num_surrounding_inputs] = {1.0F};
    for (int f = 0; f < num_surrounding_inputs; ++f)
        parts[1 + f] = weights_.pair_row(PairRow::surroundings) + static_cast<std::ptrdiff_t>(f) * width;
    for (const int node : surroundings_.remove(customer, open)) {
        const SurroundingInputs inputs = surroundings_.inputs_of(node);
        std::copy(inputs.begin(), inputs.end(), coefficients + 1);
        parts[0] = table_->pairs.data() + static_cast<std::ptrdiff_t>(node) * width;
        kernels_.combine(node_row_.data(), width, 1 + num_surrounding_inputs, parts, coefficients);
        float* column = nodes_.data() + column_offset(width, open.place_of(node));
        for (std::ptrdiff_t h = 0; h < width; ++h) column[h * block_lanes] = node_row_[size_of(static_cast<int>(h))];
        if (node_rows_.empty()) continue;
        hand_over(node);
        node_inputs_[size_of(node)] = inputs;
        std::copy(node_row_.begin(), node_row_.end(), node_rows_.begin() + static_cast<std::ptrdiff_t>(node) * width);
    }
}

// What a node's row has gathered goes to the node and, through its inputs as they were, to their weights.
void PairTerm::hand_over(int node) {
    const int width = weights_.dims.pair_width;
    float* gathered = d_node_rows_.data() + static_cast<std::ptrdiff_t>(node) * width;
    kernels_.add_scaled(gathered, width, 1.0F, d_nodes_.data() + static_cast<std::ptrdiff_t>(node) * width);
    if (weights_.looks_around()) {
        float* d_row = d_weights.data() + static_cast<std::ptrdiff_t>(PairRow::surroundings) * width;
        for (const float input : node_inputs_[size_of(node)]) {
            kernels_.add_scaled(gathered, width, input, d_row);
            d_row += width;
        }
    }
    std::fill_n(gathered, width, 0.0F);
}

PairInputs PairTerm::inputs(const float* rows, TypeRange types, const OpenNodes& open,
                            const PairWastes& wastes) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(types.first) * open.stride();
    return {weights_.dims.pair_width,
            node_rows_.data(),
            nodes_.data(),
            rows + static_cast<std::ptrdiff_t>(types.first) * weights_.dims.row_width + weights_.pair_offset(),
            weights_.dims.row_width,
            types.count,
            distances_.data() + at,
            loads_.data(),
            problem_->per_capacity.data() + types.first,
            distance_row_.data(),
            weights_.pair_row(PairRow::fill),
            wastes.near ? 2 : wastes.all ? 1 : 0,
            {wastes.all ? wastes.all + at : nullptr, wastes.near ? wastes.near + at : nullptr},
            {weights_.pair_row(PairRow::waste), weights_.pair_row(PairRow::near)},
            weights_.pair_row(PairRow::output),
            open.nodes(),
            open.count(),
            open.stride()};
}

const float* PairTerm::score(const float* rows, TypeRange types, const OpenNodes& open, const PairWastes& wastes) {
    if (!weights_.has_pairs()) return nullptr;
    const float* parts[] = {weights_.pair_row(PairRow::distance), weights_.pair_row(PairRow::root_distance)};
    const float coefficients[] = {1.0F, root_of_customers(open)};
    kernels_.combine(distance_row_.data(), weights_.dims.pair_width, 2, parts, coefficients);
    kernels_.pair(inputs(rows, types, open, wastes),
                  sums_.data() + static_cast<std::ptrdiff_t>(types.first) * open.stride());
    return sums_.data();
}

void PairTerm::differentiate(const float* rows, TypeRange types, const OpenNodes& open, const PairWastes& wastes,
                             const float* d_sums, float* d_rows) {
    if (!weights_.has_pairs()) return;
    const int width = weights_.dims.pair_width;
    const auto d_row = [&](PairRow row) { return d_weights.data() + static_cast<std::ptrdiff_t>(row) * width; };
    float* d_types =
        d_rows + static_cast<std::ptrdiff_t>(types.first) * weights_.dims.row_width + weights_.pair_offset();
    kernels_.pair_back(inputs(rows, types, open, wastes),
                       {d_sums + static_cast<std::ptrdiff_t>(types.first) * open.stride(), d_node_rows_.data(), width,
                        d_types, d_distance_row_.data(), d_row(PairRow::fill),
                        {d_row(PairRow::waste), d_row(PairRow::near)}, d_row(PairRow::output)});
    kernels_.add_scaled(d_distance_row_.data(), width, 1.0F, d_row(PairRow::distance));
    kernels_.add_scaled(d_distance_row_.data(), width, root_of_customers(open), d_row(PairRow::root_distance));
}

void PairTerm::finish(float* d_table) {
    if (!weights_.has_pairs()) return;
    const int width = weights_.dims.pair_width;
    for (int node = 0; node < problem_->num_nodes; ++node) {
        hand_over(node);
        kernels_.add_scaled(d_nodes_.data() + static_cast<std::ptrdiff_t>(node) * width, width, 1.0F,
                            d_table + static_cast<std::ptrdiff_t>(node) * weights_.num_columns() +
                                weights_.pair_column());
    }
}

}  // namespace fripn::policy
