// Bindings of the policy decoder: conversions and docstrings, no logic.
#include "bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "policy/cover.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

using DoubleArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

// A numpy array that owns its memory.
template <class T>
NumpyArray<T> make_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    auto* data = new T[std::max<std::size_t>(size, 1)];
    nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
    return NumpyArray<T>(data, shape, owner);
}

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

std::pair<NumpyArray<double>, NumpyArray<double>> cover_table(const DoubleArray& capacities,
                                                              const DoubleArray& fixed_costs,
                                                              const DoubleArray& total_demands) {
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
                                             num_types, total_demands.data()[b]);
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

}  // namespace

void bind_policy(nb::module_& module) {
    module.def("cover_table", &cover_table, "capacities"_a, "fixed_costs"_a, "total_demands"_a,
               R"(Least fixed cost of vehicles that together cover a demand, on a grid.

Parameters
----------
capacities, fixed_costs
    Shape (B, K), float64; each type can be hired any number of times.
total_demands
    Shape (B,); where each grid ends.

Returns
-------
tuple
    Steps, shape (B,), and costs, shape (B, C): the cost of covering w is 0 for w <= 0, else the entry
    at cell ceil(w / step - 1e-6). Rows shorter than the longest repeat their last cost.)");
}

}  // namespace fripn
