// Bindings of the cover table and of the constants of packing.
#include <nanobind/stl/pair.h>

#include <utility>
#include <vector>

#include "policy/arrays.h"
#include "policy/features/cover.h"
#include "policy/features/packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

std::pair<NumpyArray<double>, NumpyArray<double>> cover_table(const DoubleArray& capacities,
                                                              const DoubleArray& fixed_costs,
                                                              const DoubleArray& total_demands, double beyond) {
    require(capacities.ndim() == 2 && fixed_costs.ndim() == 2 && total_demands.ndim() == 1 &&
                capacities.shape(0) == fixed_costs.shape(0) && capacities.shape(1) == fixed_costs.shape(1) &&
                capacities.shape(0) == total_demands.shape(0) && capacities.shape(1) > 0,
            "capacities and fixed_costs must be (B, K), total_demands (B,)");
    const std::size_t batch = capacities.shape(0);
    const std::size_t num_types = capacities.shape(1);
    std::vector<policy::CoverTable> tables(batch);
    std::size_t cells = 1;
    for (std::size_t b = 0; b < batch; ++b) {
        tables[b] = policy::make_cover_table(capacities.data() + b * num_types, fixed_costs.data() + b * num_types,
                                             num_types, total_demands.data()[b], beyond);
        cells = std::max(cells, tables[b].cost.size());
    }
    auto steps = make_array<double>({batch});
    auto costs = make_array<double>({batch, cells});
    for (std::size_t b = 0; b < batch; ++b) {
        const auto& cost = tables[b].cost;
        steps.data()[b] = tables[b].step;
        double* row = costs.data() + b * cells;
        std::copy(cost.begin(), cost.end(), row);
        std::fill(row + cost.size(), row + cells, cost.back());
    }
    return {std::move(steps), std::move(costs)};
}

NumpyArray<double> cover_plateaus(const DoubleArray& steps, const DoubleArray& costs) {
    require(steps.ndim() == 1 && costs.ndim() == 2 && costs.shape(0) == steps.shape(0),
            "steps must be (B,), costs (B, C)");
    const std::size_t cells = costs.shape(1);
    auto ends = make_array<double>({costs.shape(0), cells});
    for (std::size_t b = 0; b < steps.shape(0); ++b)
        policy::find_plateau_ends(costs.data() + b * cells, cells, steps.data()[b], ends.data() + b * cells);
    return ends;
}

}  // namespace

void bind_cover(nb::module_& module) {
    module.def("cover_table", &cover_table, "capacities"_a, "fixed_costs"_a, "total_demands"_a, "beyond"_a = 0.0,
               R"(Return the least fixed cost of vehicles that together cover a demand, on a grid.

Parameters
----------
capacities, fixed_costs
    Shape (B, K), float64; each type can be hired any number of times.
total_demands
    Shape (B,); where each grid ends.
beyond
    How far each grid goes on beyond that.

Returns
-------
tuple
    Steps, shape (B,), and costs, shape (B, C): the cost of covering w is 0 for w <= 0, else the entry
    at cell ceil(w / step - 1e-6). Rows shorter than the longest repeat their last cost.)");
    module.def("cover_plateaus", &cover_plateaus, "steps"_a, "costs"_a,
               R"(Return the largest demand that costs no more than a cell of `cover_table` does.

Parameters
----------
steps, costs
    From `cover_table`.

Returns
-------
array
    Shape (B, C); infinity where the table ends first.)");
    module.attr("LARGEST_SLACK") = policy::largest_slack;
    module.attr("MAX_PACKED_CUSTOMERS") = policy::max_packed_customers;
    module.attr("NUM_NEAR_LISTED") = policy::NearLists::num_listed;
    module.attr("SURROUNDING_LOAD") = policy::surrounding_load;
    module.attr("SURROUNDING_FOLLOWERS") = policy::surrounding_followers;
    module.attr("NUM_NEAR_USED") = policy::NearLists::num_used;
    module.attr("LARGEST_NEAR_ROOM") = policy::largest_near_room;
    module.attr("NEAR_SCALE") = policy::near_scale;
    module.attr("NUM_LOAD_CELLS") = policy::num_load_cells;
}

}  // namespace fripn
