// The module fripn._core: conversions and docstrings, no logic.
#include "bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "instance.h"
#include "stop_flag.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using DoubleArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using IntArray = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

std::vector<double> to_vector(const DoubleArray& array) {
    return {array.data(), array.data() + array.size()};
}

fripn::Metric to_metric(const std::string& name) {
    if (name == "euclidean") return fripn::Metric::euclidean;
    if (name == "great_circle") return fripn::Metric::great_circle;
    if (name == "matrix") return fripn::Metric::matrix;
    throw std::invalid_argument("unknown metric: " + name);
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "Native core of fripn: problem data, policy decoding, search.";

    module.def_submodule("testing", "Parts of the core that only the tests call.");
    module.attr("UNLIMITED") = fripn::VehicleType::unlimited;
    module.attr("LOAD_TOLERANCE") = fripn::search_load_tolerance;

    nb::class_<fripn::Instance>(module, "Instance",
                                "Problem data for the core; build it with fripn.search.to_core.")
        .def(
            "__init__",
            [](fripn::Instance* self, const std::string& metric, const DoubleArray& coordinates,
               const DoubleArray& matrix, const DoubleArray& demands, const DoubleArray& capacities,
               const DoubleArray& fixed_costs, const DoubleArray& unit_costs, const IntArray& available) {
                std::vector<fripn::VehicleType> types;
                for (std::size_t k = 0; k < capacities.size(); ++k) {
                    if (available.data()[k] < fripn::VehicleType::unlimited)
                        throw std::invalid_argument("vehicle type " + std::to_string(k) + " has " +
                                                    std::to_string(available.data()[k]) +
                                                    " vehicles; give 0 or more, or UNLIMITED");
                    const double limit = fripn::load_limit(capacities.data()[k]);
                    types.push_back({capacities.data()[k], limit, fixed_costs.data()[k], unit_costs.data()[k],
                                     available.data()[k]});
                }
                new (self) fripn::Instance({to_metric(metric), to_vector(coordinates), to_vector(matrix),
                                            to_vector(demands), std::move(types)});
            },
            "metric"_a, "coordinates"_a, "matrix"_a, "demands"_a, "capacities"_a, "fixed_costs"_a, "unit_costs"_a,
            "available"_a)
        .def_prop_ro("num_customers", &fripn::Instance::num_customers)
        .def_prop_ro("num_types", &fripn::Instance::num_types)
        .def_prop_ro("is_symmetric", &fripn::Instance::is_symmetric)
        .def("distance", &fripn::Instance::distance, "origin"_a, "destination"_a);

    nb::class_<fripn::StopFlag>(module, "StopFlag", "Ends a run once it is set, from whichever thread; see fripn.Stop.")
        .def(nb::init<>())
        .def("set", &fripn::StopFlag::set, "End what looks at this flag, as soon as it looks.")
        .def_prop_ro("is_set", &fripn::StopFlag::is_set);

    fripn::bind_search(module);
    fripn::bind_policy(module);
    fripn::bind_baselines(module);
    fripn::bind_lp(module);
    fripn::bind_exact(module);
    fripn::bind_exact_parts(module);
}
