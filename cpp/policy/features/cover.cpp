#include "policy/features/cover.h"

#include <limits>

namespace fripn::policy {

namespace {

constexpr double steps_per_capacity = 64.0;
constexpr std::size_t max_cells = 65536;

}  // namespace

CoverTable make_cover_table(const double* capacities, const double* fixed_costs, std::size_t num_types,
                            double total_demand, double beyond) {
    const double smallest = *std::min_element(capacities, capacities + num_types);
    CoverTable table;
    table.step = std::max(smallest / steps_per_capacity, total_demand / static_cast<double>(max_cells - 1));
    const double last = std::max(0.0, std::ceil(total_demand / table.step - 1e-6));
    const double extra = std::min(std::ceil(beyond / table.step), static_cast<double>(max_cells));
    table.cost.assign(std::min(static_cast<std::size_t>(last) + 1, max_cells) + static_cast<std::size_t>(extra), 0.0);
    std::vector<std::size_t> cells(num_types);
    for (std::size_t k = 0; k < num_types; ++k)
        cells[k] = static_cast<std::size_t>(std::max(1.0, std::round(capacities[k] / table.step)));
    for (std::size_t c = 1; c < table.cost.size(); ++c) {
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < num_types; ++k)
            best = std::min(best, fixed_costs[k] + (c > cells[k] ? table.cost[c - cells[k]] : 0.0));
        table.cost[c] = best;
    }
    return table;
}

void find_plateau_ends(const double* cost, std::size_t cells, double step, double* ends) {
    constexpr double rounding = 1e-9;  // sums of the same costs in another order
    double end = std::numeric_limits<double>::infinity();
    for (std::size_t c = cells; c-- > 0;) {
        if (c + 1 < cells && cost[c + 1] > cost[c] * (1.0 + rounding)) end = step * static_cast<double>(c);
        ends[c] = end;
    }
}

}  // namespace fripn::policy
