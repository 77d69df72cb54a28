// Problem data as the core sees it: never changes after construction, shared by all threads.
//
// Index 0 is the depot, customers are 1 … n. Validation happens in Python (fripn.problem.Instance).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace fripn {

enum class Metric { euclidean, great_circle, matrix };

// What hiring and driving a vehicle costs.
struct Tariff {
    double fixed_cost;
    double unit_cost;

    // For a vehicle that is paid for, and for one more when `paid` has been spent already.
    [[nodiscard]] Tariff hired() const { return {0.0, unit_cost}; }
    [[nodiscard]] Tariff on_top_of(double paid) const { return {paid + fixed_cost, unit_cost}; }
};

struct VehicleType {
    double capacity;
    double load_limit;  // capacity plus half the tolerance of `evaluate`, so never looser than it
    double fixed_cost;
    double unit_cost;
    int available;  // `unlimited` when the fleet is not

    static constexpr int unlimited = std::numeric_limits<int>::max();

    [[nodiscard]] Tariff tariff() const { return {fixed_cost, unit_cost}; }
    // Whether it can drive whatever the other can.
    [[nodiscard]] bool replaces(const VehicleType& other) const { return load_limit >= other.load_limit; }
};

class Instance {
public:
    // `coordinates` holds x, y per stop ((longitude, latitude) in degrees for great_circle) and may be
    // empty for Metric::matrix; `matrix` is row-major and empty otherwise.
    Instance(Metric metric, std::vector<double> coordinates, std::vector<double> matrix,
             std::vector<double> demands, std::vector<VehicleType> vehicle_types);

    [[nodiscard]] int num_customers() const { return static_cast<int>(demands_.size()) - 1; }
    [[nodiscard]] int num_types() const { return static_cast<int>(vehicle_types_.size()); }
    [[nodiscard]] double demand(int stop) const { return demands_[static_cast<std::size_t>(stop)]; }
    [[nodiscard]] double total_demand() const { return total_demand_; }
    [[nodiscard]] const VehicleType& vehicle_type(int k) const {
        return vehicle_types_[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] const std::vector<VehicleType>& vehicle_types() const { return vehicle_types_; }
    [[nodiscard]] bool has_limited_fleet() const { return has_limited_fleet_; }
    [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }
    [[nodiscard]] bool has_coordinates() const { return !coordinates_.empty(); }
    [[nodiscard]] double x(int stop) const { return coordinates_[2 * static_cast<std::size_t>(stop)]; }
    [[nodiscard]] double y(int stop) const { return coordinates_[2 * static_cast<std::size_t>(stop) + 1]; }

    // From the stored matrix where it fits in memory, else computed from the coordinates.
    [[nodiscard]] double distance(int from, int to) const {
        if (!matrix_.empty()) return matrix_[static_cast<std::size_t>(from) * stride_ + static_cast<std::size_t>(to)];
        return computed_distance(from, to);
    }

    // Distances from a stop to all others, or null when no matrix is stored.
    [[nodiscard]] const double* row(int from) const {
        return matrix_.empty() ? nullptr : &matrix_[static_cast<std::size_t>(from) * stride_];
    }

private:
    [[nodiscard]] double computed_distance(int from, int to) const;

    const Metric metric_;
    const std::vector<double> coordinates_;
    const std::vector<double> demands_;
    const std::vector<VehicleType> vehicle_types_;
    const std::size_t stride_;
    std::vector<double> matrix_;  // empty when distances are computed on the fly
    bool has_limited_fleet_ = false;
    bool is_symmetric_ = true;
    double total_demand_ = 0.0;
};

}  // namespace fripn
