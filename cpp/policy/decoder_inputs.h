// Inputs of a trajectory beside its own state: folded weights, problem data, and the nodes' folded embeddings.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/kernels/aligned.h"
#include "policy/features/cover.h"
#include "policy/kernels/kernels.h"
#include "policy/features/load_cells.h"
#include "policy/features/near_lists.h"
#include "policy/problem_set.h"
#include "policy/features/scalars.h"
#include "policy/features/surroundings.h"

namespace fripn::policy {

// Rows of FoldedWeights::pairs: effect of a node's distance to the depot and demand and of being the depot; of the
// distance to it, also times the root of the number of unserved customers; of its share of the capacity; of the room
// that going there wastes (0 without pack features); of what those nearby waste of it (0 without near features); of what
// is open around it, as many as there are inputs of Surroundings (0 without local features); and the output.
enum class PairRow {
    depot_distance,
    demand,
    is_depot,
    distance,
    root_distance,
    fill,
    waste,
    near,
    surroundings,
    output = surroundings + num_surrounding_inputs
};
inline constexpr int num_pair_rows = static_cast<int>(PairRow::output) + 1;

// Weights after folding (fripn.policy.fold): what is linear between two nonlinearities is one matrix.
struct FoldedWeights {
    Dims dims;
    float clip;
    bool has_cover;
    bool has_pack;          // only with has_cover
    bool has_near;          // only with has_pack
    bool has_local;         // only with has_near
    bool has_graph;
    bool is_route_by_route;  // while a vehicle is on the road, only its type can be chosen
    AlignedFloats scalars;  // (S, row_width): effect of each scalar on a type's row
    AlignedFloats bias;     // (row_width)
    int embedding_width;
    AlignedFloats nodes;    // (D, columns) in blocks of 16 columns: embeddings to tables
    AlignedFloats query;    // (E, A) in blocks of 16 columns: attention among types to node queries
    AlignedFloats query_bias;
    AlignedFloats pairs;    // (num_pair_rows, pair_width)

    // Columns of a node's table row: location | graph (if any) | key | value | pointer | pointer bias,
    // which is padded to 16 | pair (if any).
    [[nodiscard]] int location_column() const { return 0; }
    [[nodiscard]] int graph_column() const { return dims.row_width; }
    [[nodiscard]] int key_column() const { return dims.row_width * (has_graph ? 2 : 1); }
    [[nodiscard]] int value_column() const { return key_column() + dims.nodes_width; }
    [[nodiscard]] int pointer_column() const { return value_column() + dims.nodes_width; }
    [[nodiscard]] int bias_column() const { return pointer_column() + dims.nodes_width; }
    [[nodiscard]] int pair_column() const { return bias_column() + 16; }
    [[nodiscard]] int num_columns() const { return pair_column() + dims.pair_width; }

    [[nodiscard]] int num_scalars() const {
        return num_paper_scalars + (has_cover ? num_cover_scalars : 0) + (has_pack ? num_pack_scalars : 0);
    }
    [[nodiscard]] const float* scalar_row(Scalar scalar) const {
        return scalars.data() + static_cast<std::ptrdiff_t>(scalar) * dims.row_width;
    }
    [[nodiscard]] bool has_pairs() const { return dims.pair_width > 0; }
    // The customers nearby are inputs of the pair term only.
    [[nodiscard]] bool uses_near() const { return has_near && has_pairs(); }
    [[nodiscard]] bool looks_around() const { return has_local && has_pairs(); }
    // Where the part of the pair term begins in a type's row.
    [[nodiscard]] int pair_offset() const { return dims.row_width - dims.pair_width; }
    [[nodiscard]] const float* pair_row(PairRow row) const {
        return pairs.data() + static_cast<std::ptrdiff_t>(row) * dims.pair_width;
    }
};

// Tables (rows, columns) of embeddings (rows, D). Rows that a stop leaves out are 0.
void make_tables(const FoldedWeights& weights, const Kernels& kernels, const float* embeddings, std::size_t rows,
                 int num_threads, const std::atomic<bool>& stop, float* tables);

// One problem of a set, which must outlive it, with what follows from it and the weights alone.
class Problem {
public:
    Problem(const ProblemSet& set, std::size_t index, const FoldedWeights& weights);
    Problem(const Problem&) = delete;  // surroundings point to lists

    [[nodiscard]] double distance(int from, int to) const;

    // How many customers have a demand that fits into `room`: those of rank below it are available.
    [[nodiscard]] float customers_within(double room) const;

    // Whole cells of load that fit into `room`, at most those that fit the largest vehicle; 0 if it is negative.
    [[nodiscard]] int cells_within(double room) const {
        // Sums such as 0.1 + 0.2 must not fall into the cell before.
        return static_cast<int>(std::clamp(room * cells_per_load_ + 1e-6, 0.0, static_cast<double>(last_cell_)));
    }

    int num_nodes;
    int num_types;
    const double* demands;
    const double* capacities;
    const double* fixed_costs;
    const double* unit_costs;
    const std::int64_t* available;
    const double* coordinates;
    const double* matrix;
    const std::int32_t* load_cells;
    double load_unit;
    int num_load_words = 1;     // of 64 cells, for the largest vehicle
    double total_demand = 0.0;
    double largest_demand = 0.0;
    double price_level = 1.0;   // G(total) / total
    CoverTable cover;
    NearLists near;             // with near features
    Surroundings surroundings;  // at the start; with local features
    std::vector<double> slack;  // per type: what a load may exceed the capacity by
    // Types that can serve the same customers have the same remaining graph: one running sum for all of them.
    std::vector<float> graph_thresholds;  // per sum: customers of rank below it fit an empty vehicle of its types
    std::vector<int> graph_of_type;       // per type: its sum
    std::vector<float> ranks;   // per node: place in the order of demand; the depot comes before all
    // For the pair term, else empty. Distances are those of the scaled coordinates, even where a matrix is given.
    std::vector<float> places;           // (N, 2)
    std::vector<float> depot_distances;  // per node
    std::vector<float> loads;            // per node: the demand
    std::vector<float> per_capacity;     // per type: 1 / capacity
    // Scalars that never change within an episode, already multiplied by their weights: (K, row_width).
    AlignedFloats employed_rows;
    AlignedFloats candidate_rows;
    // Scalars that always move together are one row: their weights depend on the price level.
    AlignedFloats regret_row;      // per unit of regret(u)
    AlignedFloats net_regret_row;  // per unit of regret(net)
    AlignedFloats value_row;       // per unit of value
    AlignedFloats load_row;        // per unit of remaining load of an employed vehicle

private:
    void rank_customers();
    void share_graphs();
    void prepare_pairs();
    void fold_scalars(const FoldedWeights& weights);

    double cells_per_load_;
    int last_cell_ = num_load_cells - 1;
    std::vector<double> sorted_demands_;
};

// The folded embeddings of one encoded instance, in the layouts of the kernels.
class NodeTable {
public:
    NodeTable(const Problem& problem, const FoldedWeights& weights, const float* rows);

    [[nodiscard]] const float* location(int node) const {
        return rows_ + static_cast<std::ptrdiff_t>(node) * columns_;
    }
    [[nodiscard]] const float* graph(int node) const { return location(node) + graph_column_; }

    // The values in the layout of the keys, which only the gradient needs.
    void make_value_blocks();

    AlignedFloats keys;      // [block][A][16]
    AlignedFloats pointers;  // [block][A][16]
    AlignedFloats biases;    // per node, padded to full blocks
    AlignedFloats values;    // (N, A)
    AlignedFloats value_blocks;  // [block][A][16]
    AlignedFloats pairs;     // (N, pair_width): the nodes' part of the pair term, without their surroundings
    AlignedFloats first_pairs;  // the same with them, as they are at the start
    AlignedFloats pair_blocks;  // that, [block][pair_width][16]
    AlignedFloats graph_sums;      // (sums, row_width): over what candidates can serve at the start
    AlignedFloats candidate_rows;  // (K, row_width): the problem's, plus the depot's embedding

private:
    void make_pairs(const Problem& problem, const FoldedWeights& weights);

    const float* rows_;
    std::ptrdiff_t columns_;
    std::ptrdiff_t graph_column_;
};

}  // namespace fripn::policy
