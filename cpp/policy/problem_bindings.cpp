// Bindings of the problems that the policy decodes: conversions and docstrings, no logic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "policy/arrays.h"
#include "policy/decoder_inputs.h"
#include "policy/problem_set.h"
#include "policy/features/scalars.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

template <class Array>
auto copy_of(const Array& array, const char* name, const std::vector<std::size_t>& shape) {
    bool is_right = array.ndim() == shape.size();
    for (std::size_t axis = 0; is_right && axis < shape.size(); ++axis) is_right = array.shape(axis) == shape[axis];
    if (!is_right) {
        std::string message = std::string(name) + " must have shape (";
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            message += (axis ? ", " : "") + std::to_string(shape[axis]);
        throw std::invalid_argument(message + ") to fit demands (P, N) and capacities (P, K)");
    }
    return std::vector<std::remove_cv_t<typename Array::Scalar>>(array.data(), array.data() + array.size());
}

void make_problems(policy::ProblemSet* self, const DoubleArray& coordinates, const DoubleArray& demands,
                   const DoubleArray& capacities, const DoubleArray& fixed_costs, const DoubleArray& unit_costs,
                   const Int64Array& available, const DoubleArray& load_units, const Int32Array& load_cells,
                   const std::optional<DoubleArray>& matrix) {
    require(demands.ndim() == 2 && capacities.ndim() == 2, "demands must be (P, N) and capacities (P, K)");
    const std::size_t P = demands.shape(0), N = demands.shape(1), K = capacities.shape(1);
    policy::ProblemSet::Arrays arrays{
        copy_of(coordinates, "coordinates", {P, N, 2}),
        copy_of(demands, "demands", {P, N}),
        copy_of(capacities, "capacities", {P, K}),
        copy_of(fixed_costs, "fixed_costs", {P, K}),
        copy_of(unit_costs, "unit_costs", {P, K}),
        copy_of(available, "available", {P, K}),
        copy_of(load_units, "load_units", {P}),
        copy_of(load_cells, "load_cells", {P, N}),
        matrix ? copy_of(*matrix, "matrix", {P, N, N}) : std::vector<double>{},
    };
    new (self) policy::ProblemSet({P, N, K}, std::move(arrays));
}

std::vector<std::string> scalar_names(bool has_cover, bool has_pack) {
    std::vector<std::string> names(policy::paper_scalars.begin(), policy::paper_scalars.end());
    if (has_cover) names.insert(names.end(), policy::cover_scalars.begin(), policy::cover_scalars.end());
    if (has_pack) names.insert(names.end(), policy::pack_scalars.begin(), policy::pack_scalars.end());
    return names;
}

// A view that cannot be written to and keeps its problems alive.
template <class T>
nb::ndarray<nb::numpy, const T> view_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape,
                                        nb::handle owner) {
    return nb::ndarray<nb::numpy, const T>(values.data(), shape, owner);
}

}  // namespace

void bind_problems(nb::module_& module) {
    using policy::ProblemSet;
    const auto P = [](const ProblemSet& self) { return static_cast<std::size_t>(self.num_problems()); };
    const auto N = [](const ProblemSet& self) { return static_cast<std::size_t>(self.num_nodes()); };
    nb::class_<ProblemSet>(module, "PolicyProblems",
                           "P scaled problems with N nodes (the depot is node 0) and K vehicle types each, copied and "
                           "checked once.")
        .def("__init__", &make_problems, nb::kw_only(), "coordinates"_a, "demands"_a, "capacities"_a, "fixed_costs"_a,
             "unit_costs"_a, "available"_a, "load_units"_a, "load_cells"_a, "matrix"_a = nb::none(),
             R"(Copy and check problem data.

Parameters
----------
coordinates
    Shape (P, N, 2), float64.
demands
    Shape (P, N), float64.
capacities, fixed_costs, unit_costs
    Shape (P, K), float64.
available
    Shape (P, K), int64; -1 for as many as needed.
load_units, load_cells
    Shapes (P,), float64, and (P, N), int32: width of a cell of load, and the demands in whole cells.
matrix
    Shape (P, N, N), float64: the distances that determine costs; None for straight lines.

Raises
------
ValueError
    When a shape does not fit or a value is out of range.)")
        .def_prop_ro("num_problems", &ProblemSet::num_problems)
        .def_prop_ro("num_nodes", &ProblemSet::num_nodes, "N, depot included.")
        .def_prop_ro("num_types", &ProblemSet::num_types)
        .def_prop_ro(
            "coordinates",
            [=](nb::handle_t<ProblemSet> self) {
                const auto& set = nb::cast<const ProblemSet&>(self);
                return view_of(set.arrays().coordinates, {P(set), N(set), 2}, self);
            },
            "Shape (P, N, 2), read-only.")
        .def_prop_ro(
            "demands",
            [=](nb::handle_t<ProblemSet> self) {
                const auto& set = nb::cast<const ProblemSet&>(self);
                return view_of(set.arrays().demands, {P(set), N(set)}, self);
            },
            "Shape (P, N), read-only.");
    module.def("scalar_names", &scalar_names, "has_cover"_a, "has_pack"_a,
               "Names of the scalar inputs of a vehicle type, in the order of their columns.");
    module.attr("NUM_PAIR_ROWS") = policy::num_pair_rows;
    module.attr("NUM_LOCAL_INPUTS") = policy::num_surrounding_inputs;
}

}  // namespace fripn
