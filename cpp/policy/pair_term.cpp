#include "policy/pair_term.h"

#include <algorithm>
#include <cmath>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

// Distances spread over an area shrink with the root of the number of stops, so this is their natural unit.
float root_of_customers(const OpenNodes& open) { return std::sqrt(static_cast<float>(open.count() - 1)); }

}  // namespace

PairTerm::PairTerm(const FoldedWeights& weights, const Kernels& kernels, int num_nodes, int num_types)
    : d_weights(weights.pairs.size()), weights_(weights), kernels_(kernels), num_types_(num_types) {
    if (!weights.has_pairs()) return;
    const int stride = (num_nodes + block_lanes - 1) / block_lanes * block_lanes;
    nodes_.resize(size_of(stride) * size_of(weights.dims.pair_width));
    loads_.resize(size_of(stride));
    distances_.resize(size_of(num_types) * size_of(stride));
    sums_.resize(distances_.size());
    distance_row_.resize(size_of(weights.dims.pair_width));
    d_distance_row_.resize(distance_row_.size());
}

void PairTerm::start(const Problem& problem, const NodeTable& table) {
    problem_ = &problem;
    table_ = &table;
    if (!weights_.has_pairs()) return;
    std::copy(table.pair_blocks.begin(), table.pair_blocks.end(), nodes_.begin());
    std::copy(problem.loads.begin(), problem.loads.end(), loads_.begin());
    const std::size_t stride = loads_.size();
    for (std::size_t k = 0; k < size_of(num_types_); ++k)
        std::copy(problem.depot_distances.begin(), problem.depot_distances.end(),
                  distances_.begin() + static_cast<std::ptrdiff_t>(k * stride));
    std::fill(d_weights.begin(), d_weights.end(), 0.0F);
}

void PairTerm::remove(OpenNodes::Removal removal) {
    if (!weights_.has_pairs()) return;
    move_column(nodes_, weights_.dims.pair_width, removal);
    loads_[size_of(removal.place)] = loads_[size_of(removal.from)];
    for (std::size_t row = 0; row < distances_.size(); row += loads_.size())
        distances_[row + size_of(removal.place)] = distances_[row + size_of(removal.from)];
}

void PairTerm::move(int type, int node, const OpenNodes& open) {
    if (!weights_.has_pairs()) return;
    float* row = distances_.data() + static_cast<std::ptrdiff_t>(type) * open.stride();
    const float* at = problem_->places.data();
    const float x = at[2 * node], y = at[2 * node + 1];
    for (int j = 0; j < open.count(); ++j) {
        const float dx = at[2 * open.node_at(j)] - x, dy = at[2 * open.node_at(j) + 1] - y;
        row[j] = std::sqrt(dx * dx + dy * dy);
    }
}

PairInputs PairTerm::inputs(const float* rows, const OpenNodes& open, const PairWastes& wastes) const {
    return {weights_.dims.pair_width,
            table_->pairs.data(),
            nodes_.data(),
            rows + weights_.pair_offset(),
            weights_.dims.row_width,
            num_types_,
            distances_.data(),
            loads_.data(),
            problem_->per_capacity.data(),
            distance_row_.data(),
            weights_.pair_row(PairRow::fill),
            wastes.near ? 2 : wastes.all ? 1 : 0,
            {wastes.all, wastes.near},
            {weights_.pair_row(PairRow::waste), weights_.pair_row(PairRow::near)},
            weights_.pair_row(PairRow::output),
            open.nodes(),
            open.count(),
            open.stride()};
}

const float* PairTerm::score(const float* rows, const OpenNodes& open, const PairWastes& wastes) {
    if (!weights_.has_pairs()) return nullptr;
    const float* parts[] = {weights_.pair_row(PairRow::distance), weights_.pair_row(PairRow::root_distance)};
    const float coefficients[] = {1.0F, root_of_customers(open)};
    kernels_.combine(distance_row_.data(), weights_.dims.pair_width, 2, parts, coefficients);
    kernels_.pair(inputs(rows, open, wastes), sums_.data());
    return sums_.data();
}

void PairTerm::differentiate(const float* rows, const OpenNodes& open, const PairWastes& wastes, const float* d_sums,
                             float* d_table, float* d_rows) {
    if (!weights_.has_pairs()) return;
    const int width = weights_.dims.pair_width;
    const auto d_row = [&](PairRow row) { return d_weights.data() + static_cast<std::ptrdiff_t>(row) * width; };
    kernels_.pair_back(inputs(rows, open, wastes),
                       {d_sums, d_table + weights_.pair_column(), weights_.num_columns(),
                        d_rows + weights_.pair_offset(), d_distance_row_.data(), d_row(PairRow::fill),
                        {d_row(PairRow::waste), d_row(PairRow::near)}, d_row(PairRow::output)});
    kernels_.add_scaled(d_distance_row_.data(), width, 1.0F, d_row(PairRow::distance));
    kernels_.add_scaled(d_distance_row_.data(), width, root_of_customers(open), d_row(PairRow::root_distance));
}

}  // namespace fripn::policy
