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

Instance::Instance(Metric metric, std::vector<double> coordinates, std::vector<double> matrix,
                   std::vector<double> demands, std::vector<VehicleType> vehicle_types)
    : metric_(metric),
      coordinates_(std::move(coordinates)),
      demands_(std::move(demands)),
      vehicle_types_(std::move(vehicle_types)),
      stride_(demands_.size()),
      matrix_(std::move(matrix)) {
    for (const double demand : demands_) total_demand_ += demand;
    has_limited_fleet_ = std::any_of(vehicle_types_.begin(), vehicle_types_.end(),
                                     [](const VehicleType& v) { return v.available != VehicleType::unlimited; });
    if (metric_ == Metric::matrix) {
        // No one drives from a stop to itself; zero lets the moves treat an empty route like any other.
        for (std::size_t i = 0; i < stride_; ++i) matrix_[i * stride_ + i] = 0.0;
        for (std::size_t i = 0; i < stride_ && is_symmetric_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (matrix_[i * stride_ + j] != matrix_[j * stride_ + i]) {
                    is_symmetric_ = false;
                    break;
                }
    } else if (stride_ <= max_stops_with_matrix) {
        std::vector<double> computed(stride_ * stride_);
        for (std::size_t i = 0; i < stride_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                computed[i * stride_ + j] = computed[j * stride_ + i] =
                    computed_distance(static_cast<int>(i), static_cast<int>(j));
        matrix_ = std::move(computed);
    }
}

double Instance::computed_distance(int from, int to) const {
    const double dx = x(from) - x(to);
    const double dy = y(from) - y(to);
    if (metric_ == Metric::euclidean) return std::sqrt(dx * dx + dy * dy);
    const double sin_lat = std::sin(radians(dy) / 2);
    const double sin_lon = std::sin(radians(dx) / 2);
    const double chord =
        sin_lat * sin_lat + std::cos(radians(y(from))) * std::cos(radians(y(to))) * sin_lon * sin_lon;
    return 2 * earth_radius_km * std::asin(std::sqrt(std::min(chord, 1.0)));
}

}  // namespace fripn
