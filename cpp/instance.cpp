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

}  // namespace

Instance::Instance(InstanceData data) : data_(std::move(data)), stride_(data_.demands.size()) {
    for (const double demand : data_.demands) total_demand_ += demand;
    has_limited_fleet_ = std::any_of(data_.vehicle_types.begin(), data_.vehicle_types.end(),
                                     [](const VehicleType& v) { return v.is_limited(); });
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
    const auto& [metric, coordinates, matrix, demands, all_types] = data_;
    static_cast<void>(metric), static_cast<void>(matrix), static_cast<void>(all_types);
    // The distances are looked up once, so it does not matter where this instance has them from.
    InstanceData part{Metric::matrix, {}, {}, {}, std::move(vehicle_types)};
    part.matrix.reserve(stops.size() * stops.size());
    for (const int from : stops) {
        if (!coordinates.empty()) {
            part.coordinates.push_back(x(from));
            part.coordinates.push_back(y(from));
        }
        for (const int to : stops) part.matrix.push_back(distance(from, to));
        part.demands.push_back(demands[static_cast<std::size_t>(from)]);
    }
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
