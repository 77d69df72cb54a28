// The module fripn._core: conversions and docstrings, no logic.
#include "bindings.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "instance.h"
#include "stop_flag.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using DoubleArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using IntArray = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;
using ByteArray = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

std::vector<double> to_vector(const DoubleArray& array) {
    return {array.data(), array.data() + array.size()};
}

// An array that is not given stays empty; one of another size is a mistake of the caller.
template <class Array>
bool is_given(const Array& array, std::size_t size, const char* name) {
    if (array.size() == 0) return false;
    if (array.size() != size)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) + " entries; give " +
                                    std::to_string(size));
    return true;
}

// The arrays of a working day as they arrive from Python; see day.h.
struct DayArrays {
    int num_depots;
    IntArray type_depots;
    int num_loads;
    DoubleArray durations, time_factors, service_times;
    IntArray window_offsets;
    DoubleArray window_opens, window_closes, shift_starts, shift_ends, max_durations, max_distances;
    IntArray max_stops;
    DoubleArray time_costs;
    ByteArray returns, access;
};

fripn::WorkingDay to_day(const DayArrays& arrays, std::size_t num_stops, std::size_t num_types) {
    if (arrays.num_depots < 1 || arrays.num_loads < 1)
        throw std::invalid_argument("num_depots and num_loads are at least 1");
    fripn::WorkingDay day;
    day.num_depots = arrays.num_depots;
    day.num_loads = arrays.num_loads;
    const std::size_t num_nodes = num_stops + static_cast<std::size_t>(arrays.num_depots) - 1;
    if (is_given(arrays.durations, num_nodes * num_nodes, "durations")) day.durations = to_vector(arrays.durations);
    if (is_given(arrays.service_times, num_nodes, "service_times")) day.service_times = to_vector(arrays.service_times);
    if (is_given(arrays.window_offsets, num_nodes + 1, "window_offsets")) {
        for (std::size_t i = 0; i <= num_nodes; ++i)
            day.window_offsets.push_back(static_cast<std::size_t>(arrays.window_offsets.data()[i]));
        const std::size_t count = day.window_offsets.back();
        if (arrays.window_opens.size() != count || arrays.window_closes.size() != count)
            throw std::invalid_argument("window_opens and window_closes have as many entries as window_offsets says");
        for (std::size_t w = 0; w < count; ++w)
            day.windows.push_back({arrays.window_opens.data()[w], arrays.window_closes.data()[w]});
    }
    if (is_given(arrays.access, num_types * num_stops, "access"))
        day.access.assign(arrays.access.data(), arrays.access.data() + arrays.access.size());
    day.types.resize(num_types);
    const auto fill = [&](const auto& array, const char* name, auto&& set) {
        if (!is_given(array, num_types, name)) return;
        for (std::size_t k = 0; k < num_types; ++k) set(day.types[k], array.data()[k]);
    };
    using Type = fripn::DayType;
    fill(arrays.type_depots, "type_depots", [](Type& type, std::int64_t value) { type.depot = static_cast<int>(value); });
    fill(arrays.time_factors, "time_factors", [](Type& type, double value) { type.time_factor = value; });
    fill(arrays.shift_starts, "shift_starts", [](Type& type, double value) { type.shift_start = value; });
    fill(arrays.shift_ends, "shift_ends", [](Type& type, double value) { type.shift_end = value; });
    fill(arrays.max_durations, "max_durations", [](Type& type, double value) { type.max_duration = value; });
    fill(arrays.max_distances, "max_distances", [](Type& type, double value) { type.max_distance = value; });
    fill(arrays.max_stops, "max_stops", [](Type& type, std::int64_t value) { type.max_stops = value; });
    fill(arrays.time_costs, "time_costs", [](Type& type, double value) { type.time_cost = value; });
    fill(arrays.returns, "returns", [](Type& type, std::uint8_t value) { type.returns = value != 0; });
    for (const Type& type : day.types)
        if (type.depot < 0 || type.depot >= day.num_depots)
            throw std::invalid_argument("there is no depot " + std::to_string(type.depot));
    return day;
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
               const DoubleArray& fixed_costs, const DoubleArray& unit_costs, const IntArray& available, int num_depots,
               const IntArray& type_depots, int num_loads, const DoubleArray& durations, const DoubleArray& time_factors,
               const DoubleArray& service_times, const IntArray& window_offsets, const DoubleArray& window_opens,
               const DoubleArray& window_closes, const DoubleArray& shift_starts, const DoubleArray& shift_ends,
               const DoubleArray& max_durations, const DoubleArray& max_distances, const IntArray& max_stops,
               const DoubleArray& time_costs, const ByteArray& returns, const ByteArray& access) {
                const std::size_t num_types = fixed_costs.size();
                const std::size_t width = static_cast<std::size_t>(std::max(num_loads, 1));
                const std::size_t num_stops = demands.size() / width;
                fripn::WorkingDay day = to_day(
                    {num_depots, type_depots, num_loads, durations, time_factors, service_times, window_offsets,
                     window_opens, window_closes, shift_starts, shift_ends, max_durations, max_distances, max_stops,
                     time_costs, returns, access},
                    num_stops, num_types);
                if (num_loads > 1) {
                    day.loads = to_vector(demands);
                    day.capacities = to_vector(capacities);
                }
                std::vector<double> first_loads;
                for (std::size_t i = 0; i < num_stops; ++i) first_loads.push_back(demands.data()[i * width]);
                std::vector<fripn::VehicleType> types;
                for (std::size_t k = 0; k < num_types; ++k) {
                    if (available.data()[k] < fripn::VehicleType::unlimited)
                        throw std::invalid_argument("vehicle type " + std::to_string(k) + " has " +
                                                    std::to_string(available.data()[k]) +
                                                    " vehicles; give 0 or more, or UNLIMITED");
                    const double capacity = capacities.data()[k * width];
                    types.push_back({capacity, fripn::load_limit(capacity), fixed_costs.data()[k], unit_costs.data()[k],
                                     available.data()[k]});
                }
                new (self) fripn::Instance({to_metric(metric), to_vector(coordinates), to_vector(matrix),
                                            std::move(first_loads), std::move(types), std::move(day)});
            },
            "metric"_a, "coordinates"_a, "matrix"_a, "demands"_a, "capacities"_a, "fixed_costs"_a, "unit_costs"_a,
            "available"_a, "num_depots"_a = 1, "type_depots"_a = IntArray(), "num_loads"_a = 1,
            "durations"_a = DoubleArray(), "time_factors"_a = DoubleArray(), "service_times"_a = DoubleArray(),
            "window_offsets"_a = IntArray(), "window_opens"_a = DoubleArray(), "window_closes"_a = DoubleArray(),
            "shift_starts"_a = DoubleArray(), "shift_ends"_a = DoubleArray(), "max_durations"_a = DoubleArray(),
            "max_distances"_a = DoubleArray(), "max_stops"_a = IntArray(), "time_costs"_a = DoubleArray(),
            "returns"_a = ByteArray(), "access"_a = ByteArray())
        .def_prop_ro("num_customers", &fripn::Instance::num_customers)
        .def_prop_ro("num_types", &fripn::Instance::num_types)
        .def_prop_ro("has_day", &fripn::Instance::has_day,
                     "Whether times, access, limits of routes, further loads or depots matter.")
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
