#include "instance.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace fripn {

namespace {

// Beyond this many stops the full matrix (8 bytes an entry) would take more than 200 MB.
constexpr std::size_t max_stops_with_matrix = 5000;

constexpr double earth_radius_km = 6371.0088;

double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The day of some stops; `nodes` are these and the further depots.
WorkingDay restricted_day(const WorkingDay& whole, std::size_t num_nodes, const std::vector<int>& stops,
                          const std::vector<int>& nodes) {
    // Every field is named, as in Instance::restricted.
    const auto& [num_depots, num_loads, loads, capacities, durations, service_times, window_offsets, windows, types,
                 access] = whole;
    WorkingDay part;
    part.num_depots = num_depots;
    part.num_loads = num_loads;
    part.capacities = capacities;
    part.types = types;
    if (!loads.empty())
        for (const int stop : stops)
            for (int l = 0; l < num_loads; ++l) part.loads.push_back(loads[at(stop) * at(num_loads) + at(l)]);
    if (!durations.empty())
        for (const int from : nodes)
            for (const int to : nodes) part.durations.push_back(durations[at(from) * num_nodes + at(to)]);
    if (!service_times.empty())
        for (const int node : nodes) part.service_times.push_back(service_times[at(node)]);
    if (!window_offsets.empty()) {
        part.window_offsets.push_back(0);
        for (const int node : nodes) {
            for (std::size_t w = window_offsets[at(node)]; w < window_offsets[at(node) + 1]; ++w)
                part.windows.push_back(windows[w]);
            part.window_offsets.push_back(part.windows.size());
        }
    }
    if (!access.empty()) {
        const std::size_t width = access.size() / types.size();
        for (std::size_t k = 0; k < types.size(); ++k)
            for (const int stop : stops) part.access.push_back(access[k * width + at(stop)]);
    }
    return part;
}

}  // namespace

Instance::Instance(InstanceData data) : data_(std::move(data)), stride_(data_.demands.size() + static_cast<std::size_t>(data_.day.num_depots) - 1) {
    for (const double demand : data_.demands) total_demand_ += demand;
    has_limited_fleet_ = std::any_of(data_.vehicle_types.begin(), data_.vehicle_types.end(),
                                     [](const VehicleType& v) { return v.is_limited(); });
    has_day_ = data_.day.matters();
    if (data_.metric == Metric::matrix) {
        // No one drives from a stop to itself; zero lets the moves treat an empty route like any other.
        for (std::size_t i = 0; i < stride_; ++i) data_.matrix[i * stride_ + i] = 0.0;
        for (std::size_t i = 0; i < stride_ && is_symmetric_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (data_.matrix[i * stride_ + j] != data_.matrix[j * stride_ + i]) {
                    is_symmetric_ = false;
                    break;
                }
    } else if (stride_ <= max_stops_with_matrix) {
        std::vector<double> computed(stride_ * stride_);
        for (std::size_t i = 0; i < stride_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                computed[i * stride_ + j] = computed[j * stride_ + i] =
                    computed_distance(static_cast<int>(i), static_cast<int>(j));
        data_.matrix = std::move(computed);
    }
}

Instance Instance::restricted(const std::vector<int>& stops, std::vector<VehicleType> vehicle_types) const {
    // Every field is named: one that is added has to be named here, too, or this does not compile.
    const auto& [metric, coordinates, matrix, demands, all_types, day] = data_;
    static_cast<void>(metric), static_cast<void>(matrix), static_cast<void>(all_types);
    std::vector<int> nodes = stops;
    for (int depot = 1; depot < day.num_depots; ++depot) nodes.push_back(num_customers() + depot);
    // The distances are looked up once, so it does not matter where this instance has them from.
    InstanceData part{Metric::matrix, {}, {}, {}, std::move(vehicle_types), restricted_day(day, stride_, stops, nodes)};
    part.matrix.reserve(nodes.size() * nodes.size());
    for (const int from : nodes) {
        if (!coordinates.empty()) {
            part.coordinates.push_back(x(from));
            part.coordinates.push_back(y(from));
        }
        for (const int to : nodes) part.matrix.push_back(distance(from, to));
    }
    for (const int stop : stops) part.demands.push_back(demands[static_cast<std::size_t>(stop)]);
    return Instance(std::move(part));
}

double Instance::computed_distance(int from, int to) const {
    const double dx = x(from) - x(to);
    const double dy = y(from) - y(to);
    if (data_.metric == Metric::euclidean) return std::sqrt(dx * dx + dy * dy);
    const double sin_lat = std::sin(radians(dy) / 2);
    const double sin_lon = std::sin(radians(dx) / 2);
    const double chord =
        sin_lat * sin_lat + std::cos(radians(y(from))) * std::cos(radians(y(to))) * sin_lon * sin_lon;
    return 2 * earth_radius_km * std::asin(std::sqrt(std::min(chord, 1.0)));
}

}  // namespace fripn
