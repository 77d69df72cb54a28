#include "policy/decoder_inputs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "instance.h"

namespace fripn::policy {

namespace {

void add_scaled(AlignedFloats& rows, std::size_t at, const float* row, std::size_t width, double factor) {
    for (std::size_t c = 0; c < width; ++c)
        rows[at + c] = static_cast<float>(rows[at + c] + factor * static_cast<double>(row[c]));
}

// Rows (N, channels) with nodes as lanes: [block][channels][16], padded with zeros.
AlignedFloats in_blocks(const AlignedFloats& rows, std::size_t channels) {
    const std::size_t lanes = block_lanes;
    const std::size_t N = rows.size() / channels;
    AlignedFloats blocks((N + lanes - 1) / lanes * lanes * channels, 0.0F);
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t c = 0; c < channels; ++c)
            blocks[(i / lanes * channels + c) * lanes + i % lanes] = rows[i * channels + c];
    return blocks;
}

}  // namespace

void make_tables(const FoldedWeights& weights, const Kernels& kernels, const float* embeddings, std::size_t rows,
                 int num_threads, const std::atomic<bool>& stop, float* tables) {
    constexpr std::size_t rows_at_once = 48;  // they and a block of columns stay in the cache
    const auto D = static_cast<std::size_t>(weights.embedding_width);
    const auto columns = static_cast<std::size_t>(weights.num_columns());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t first; (first = next.fetch_add(rows_at_once)) < rows;) {
            const std::size_t count = std::min(rows_at_once, rows - first);
            if (stop.load(std::memory_order_relaxed))
                std::fill_n(tables + first * columns, count * columns, 0.0F);
            else
                kernels.project(embeddings + first * D, static_cast<int>(count), weights.embedding_width,
                                weights.nodes.data(), weights.num_columns(), nullptr, nullptr,
                                tables + first * columns);
        }
    };
    std::vector<std::jthread> helpers;
    for (int t = 1; t < num_threads; ++t) helpers.emplace_back(work);
    work();
}

Problem::Problem(const ProblemSet& set, std::size_t index, const FoldedWeights& weights)
    : num_nodes(set.num_nodes()),
      num_types(set.num_types()),
      demands(set.arrays().demands.data() + index * static_cast<std::size_t>(num_nodes)),
      capacities(set.arrays().capacities.data() + index * static_cast<std::size_t>(num_types)),
      fixed_costs(set.arrays().fixed_costs.data() + index * static_cast<std::size_t>(num_types)),
      unit_costs(set.arrays().unit_costs.data() + index * static_cast<std::size_t>(num_types)),
      available(set.arrays().available.data() + index * static_cast<std::size_t>(num_types)),
      coordinates(set.arrays().coordinates.data() + 2 * index * static_cast<std::size_t>(num_nodes)),
      matrix(set.arrays().matrix.empty() ? nullptr
                                         : set.arrays().matrix.data() + index * static_cast<std::size_t>(num_nodes) *
                                                                            static_cast<std::size_t>(num_nodes)),
      load_cells(set.arrays().load_cells.data() + index * static_cast<std::size_t>(num_nodes)),
      load_unit(set.arrays().load_units[index]),
      cells_per_load_(1.0 / load_unit) {
    last_cell_ = cells_within(*std::max_element(capacities, capacities + num_types));
    num_load_words = last_cell_ / 64 + 1;
    for (int i = 1; i < num_nodes; ++i) {
        total_demand += demands[i];
        largest_demand = std::max(largest_demand, demands[i]);
    }
    for (int k = 0; k < num_types; ++k) slack.push_back(capacities[k] * search_load_tolerance);
    rank_customers();
    share_graphs();
    if (weights.has_cover) {
        cover = make_cover_table(capacities, fixed_costs, static_cast<std::size_t>(num_types), total_demand,
                                 weights.has_pack ? largest_slack : 0.0);
        const double cost = cover(total_demand);
        if (total_demand > 0.0 && cost > 0.0) price_level = cost / total_demand;
    }
    if (weights.has_pack) {
        cover.plateau_ends.resize(cover.cost.size());
        find_plateau_ends(cover.cost.data(), cover.cost.size(), cover.step, cover.plateau_ends.data());
    }
    fold_scalars(weights);
    if (weights.has_pairs()) prepare_pairs();
    if (weights.uses_near()) near = NearLists(coordinates, num_nodes);
    if (weights.looks_around()) surroundings = Surroundings(near, demands, num_nodes);
}

double Problem::distance(int from, int to) const {
    if (matrix) return matrix[static_cast<std::ptrdiff_t>(from) * num_nodes + to];
    const double dx = coordinates[2 * from] - coordinates[2 * to];
    const double dy = coordinates[2 * from + 1] - coordinates[2 * to + 1];
    return std::sqrt(dx * dx + dy * dy);
}

void Problem::rank_customers() {
    std::vector<int> order(static_cast<std::size_t>(num_nodes - 1));
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) { return demands[a] < demands[b]; });
    ranks.assign(static_cast<std::size_t>(num_nodes), -1.0F);
    for (std::size_t place = 0; place < order.size(); ++place) {
        // float32 represents every integer up to 2^24.
        ranks[static_cast<std::size_t>(order[place])] = static_cast<float>(place);
        sorted_demands_.push_back(demands[order[place]]);
    }
}

void Problem::share_graphs() {
    for (int k = 0; k < num_types; ++k) {
        const float threshold = customers_within(capacities[k] + slack[static_cast<std::size_t>(k)]);
        const auto found = std::find(graph_thresholds.begin(), graph_thresholds.end(), threshold);
        graph_of_type.push_back(static_cast<int>(found - graph_thresholds.begin()));
        if (found == graph_thresholds.end()) graph_thresholds.push_back(threshold);
    }
}

void Problem::prepare_pairs() {
    for (int i = 0; i < num_nodes; ++i) {
        places.push_back(static_cast<float>(coordinates[2 * i]));
        places.push_back(static_cast<float>(coordinates[2 * i + 1]));
        depot_distances.push_back(static_cast<float>(
            std::hypot(coordinates[2 * i] - coordinates[0], coordinates[2 * i + 1] - coordinates[1])));
        loads.push_back(static_cast<float>(demands[i]));
    }
    for (int k = 0; k < num_types; ++k) per_capacity.push_back(static_cast<float>(1.0 / capacities[k]));
}

float Problem::customers_within(double room) const {
    const auto end = std::upper_bound(sorted_demands_.begin(), sorted_demands_.end(), room);
    return static_cast<float>(end - sorted_demands_.begin());
}

void Problem::fold_scalars(const FoldedWeights& weights) {
    const auto width = static_cast<std::size_t>(weights.dims.row_width);
    const auto row = [&](Scalar scalar) { return weights.scalar_row(scalar); };
    for (int k = 0; k < num_types; ++k) {
        const std::size_t at = static_cast<std::size_t>(k) * width;
        employed_rows.insert(employed_rows.end(), weights.bias.begin(), weights.bias.end());
        add_scaled(employed_rows, at, row(Scalar::capacity), width, capacities[k]);
        add_scaled(employed_rows, at, row(Scalar::unit_cost), width, unit_costs[k]);
        candidate_rows.insert(candidate_rows.end(), employed_rows.end() - static_cast<std::ptrdiff_t>(width),
                              employed_rows.end());
        add_scaled(candidate_rows, at, row(Scalar::remaining_load), width, capacities[k]);
        add_scaled(candidate_rows, at, row(Scalar::fixed_cost), width, fixed_costs[k]);
        if (weights.has_cover) add_scaled(candidate_rows, at, row(Scalar::is_candidate), width, 1.0);
    }
    load_row.assign(row(Scalar::remaining_load), row(Scalar::remaining_load) + width);
    if (!weights.has_cover) return;
    const auto merge = [&](AlignedFloats& target, Scalar plain, Scalar relative) {
        target.assign(row(plain), row(plain) + width);
        add_scaled(target, 0, row(relative), width, 1.0 / price_level);
    };
    merge(regret_row, Scalar::regret, Scalar::relative_regret);
    merge(net_regret_row, Scalar::net_regret, Scalar::relative_net_regret);
    merge(value_row, Scalar::value, Scalar::relative_value);
    add_scaled(load_row, 0, row(Scalar::relative_value), width, -1.0);
}

NodeTable::NodeTable(const Problem& problem, const FoldedWeights& weights, const float* rows)
    : rows_(rows), columns_(weights.num_columns()), graph_column_(weights.graph_column()) {
    const auto A = static_cast<std::size_t>(weights.dims.nodes_width);
    const auto N = static_cast<std::size_t>(problem.num_nodes);
    const std::size_t lanes = block_lanes;
    const std::size_t blocks = (N + lanes - 1) / lanes;
    keys.assign(blocks * A * lanes, 0.0F);
    pointers.assign(blocks * A * lanes, 0.0F);
    biases.assign(blocks * lanes, 0.0F);
    values.resize(N * A);
    for (std::size_t i = 0; i < N; ++i) {
        const float* row = location(static_cast<int>(i));
        const std::size_t at = i / lanes * A * lanes + i % lanes;
        for (std::size_t c = 0; c < A; ++c) keys[at + c * lanes] = row[weights.key_column() + static_cast<int>(c)];
        for (std::size_t c = 0; c < A; ++c)
            pointers[at + c * lanes] = row[weights.pointer_column() + static_cast<int>(c)];
        std::copy_n(row + weights.value_column(), A, values.begin() + static_cast<std::ptrdiff_t>(i * A));
        biases[i] = row[weights.bias_column()];
    }
    const auto width = static_cast<std::size_t>(weights.dims.row_width);
    candidate_rows = problem.candidate_rows;
    for (int k = 0; k < problem.num_types; ++k)
        add_scaled(candidate_rows, static_cast<std::size_t>(k) * width, location(0), width, 1.0);
    if (weights.has_pairs()) make_pairs(problem, weights);
    if (!weights.has_graph) return;
    std::vector<double> sum(width);
    for (const float threshold : problem.graph_thresholds) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int i = 1; i < problem.num_nodes; ++i)
            if (problem.ranks[static_cast<std::size_t>(i)] < threshold)
                for (std::size_t c = 0; c < width; ++c) sum[c] += static_cast<double>(graph(i)[c]);
        for (const double total : sum) graph_sums.push_back(static_cast<float>(total));
    }
}

void NodeTable::make_pairs(const Problem& problem, const FoldedWeights& weights) {
    const auto width = static_cast<std::size_t>(weights.dims.pair_width);
    pairs.resize(static_cast<std::size_t>(problem.num_nodes) * width);
    for (std::size_t i = 0; i < problem.loads.size(); ++i) {
        std::copy_n(location(static_cast<int>(i)) + weights.pair_column(), width,
                    pairs.begin() + static_cast<std::ptrdiff_t>(i * width));
        const auto add = [&](PairRow row, float input) {
            add_scaled(pairs, i * width, weights.pair_row(row), width, static_cast<double>(input));
        };
        add(PairRow::depot_distance, problem.depot_distances[i]);
        add(PairRow::demand, problem.loads[i]);
        if (i == 0) add(PairRow::is_depot, 1.0F);
    }
    first_pairs = pairs;
    for (std::size_t i = 1; i < problem.loads.size() && weights.looks_around(); ++i) {
        const SurroundingInputs inputs = problem.surroundings.inputs_of(static_cast<int>(i));
        const float* row = weights.pair_row(PairRow::surroundings);
        for (const float input : inputs) {
            add_scaled(first_pairs, i * width, row, width, static_cast<double>(input));
            row += width;
        }
    }
    pair_blocks = in_blocks(first_pairs, width);
}

void NodeTable::make_value_blocks() { value_blocks = in_blocks(values, keys.size() / biases.size()); }

}  // namespace fripn::policy
