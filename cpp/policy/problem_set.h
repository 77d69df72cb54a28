// The problems that trajectories are made for: copied and checked once, then shared by everything that decodes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fripn::policy {

// Scaled problems of one size: P problems, N nodes (the depot is node 0), K vehicle types.
class ProblemSet {
public:
    struct Sizes {
        std::size_t num_problems;
        std::size_t num_nodes;
        std::size_t num_types;
    };

    struct Arrays {
        std::vector<double> coordinates;       // (P, N, 2)
        std::vector<double> demands;           // (P, N)
        std::vector<double> capacities;        // (P, K)
        std::vector<double> fixed_costs;       // (P, K)
        std::vector<double> unit_costs;        // (P, K)
        std::vector<std::int64_t> available;   // (P, K), -1 for as many as needed
        std::vector<double> load_units;        // (P): width of a cell of load
        std::vector<std::int32_t> load_cells;  // (P, N): demands in cells
        std::vector<double> matrix;            // (P, N, N), or empty for straight lines
    };

    // Throws std::invalid_argument when an array has another size or a value is out of range.
    ProblemSet(const Sizes& sizes, Arrays arrays);

    [[nodiscard]] int num_problems() const { return static_cast<int>(sizes_.num_problems); }
    [[nodiscard]] int num_nodes() const { return static_cast<int>(sizes_.num_nodes); }
    [[nodiscard]] int num_types() const { return static_cast<int>(sizes_.num_types); }
    // Actions are type * N + node.
    [[nodiscard]] std::int64_t num_actions() const { return std::int64_t{num_types()} * num_nodes(); }
    [[nodiscard]] const Arrays& arrays() const { return arrays_; }

private:
    Sizes sizes_;
    Arrays arrays_;
};

}  // namespace fripn::policy
