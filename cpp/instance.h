// Problem data as the core sees it: never changes after construction, shared by all threads.
//
// Index 0 is the depot, customers are 1 … n; further depots follow (see day.h). Validation happens in Python (fripn.problem.Instance).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "day.h"

namespace fripn {

enum class Metric { euclidean, great_circle, matrix };

// How much more than its capacity a vehicle may carry in any search, as a fraction: half of what `evaluate` tolerates
// (fripn.problem.instance.LOAD_TOLERANCE), so that no plan of ours lies at the edge of it.
inline constexpr double search_load_tolerance = 0.5e-9;

[[nodiscard]] inline double load_limit(double capacity) { return capacity * (1.0 + search_load_tolerance); }

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
    double load_limit;       // see above
    double fixed_cost;
    double unit_cost;
    std::int64_t available;  // `unlimited` when there is no limit

    // The one spelling of "as many as needed" below Python, where it is None (fripn._core.UNLIMITED): the largest of all
    // counts when read without its sign.
    static constexpr std::int64_t unlimited = -1;

    [[nodiscard]] bool is_limited() const { return available != unlimited; }
    // Whether one more can be hired when so many (0 or more) are in use: one comparison, as every move asks this.
    [[nodiscard]] bool has_left(std::int64_t used) const {
        return static_cast<std::uint64_t>(used) < static_cast<std::uint64_t>(available);
    }
    [[nodiscard]] Tariff tariff() const { return {fixed_cost, unit_cost}; }
    // Whether it can drive whatever the other can.
    [[nodiscard]] bool replaces(const VehicleType& other) const { return load_limit >= other.load_limit; }
};

// All that an instance is made of.
struct InstanceData {
    Metric metric;
    std::vector<double> coordinates;  // x, y per stop ((longitude, latitude) in degrees for great_circle), or empty
    std::vector<double> matrix;       // row-major for Metric::matrix, else empty
    std::vector<double> demands;      // of the first load, per stop
    std::vector<VehicleType> vehicle_types;
    WorkingDay day = {};
};

class Instance {
public:
    // Only Metric::matrix can do without coordinates.
    explicit Instance(InstanceData data);

    // Some of the stops (the depot first, no other depot) as an instance of their own, with all depots and the vehicles
    // given, which are those of this instance in other numbers.
    [[nodiscard]] Instance restricted(const std::vector<int>& stops, std::vector<VehicleType> vehicle_types) const;

    [[nodiscard]] int num_customers() const { return static_cast<int>(data_.demands.size()) - 1; }
    [[nodiscard]] int num_types() const { return static_cast<int>(data_.vehicle_types.size()); }
    [[nodiscard]] double demand(int stop) const { return data_.demands[static_cast<std::size_t>(stop)]; }
    [[nodiscard]] double total_demand() const { return total_demand_; }
    [[nodiscard]] const VehicleType& vehicle_type(int k) const {
        return data_.vehicle_types[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] const std::vector<VehicleType>& vehicle_types() const { return data_.vehicle_types; }
    [[nodiscard]] const WorkingDay& day() const { return data_.day; }
    // Whether there is more to keep or to pay than capacities, vehicles and distances.
    [[nodiscard]] bool has_day() const { return has_day_; }
    [[nodiscard]] int num_nodes() const { return static_cast<int>(stride_); }
    [[nodiscard]] bool has_limited_fleet() const { return has_limited_fleet_; }
    [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }
    [[nodiscard]] bool has_coordinates() const { return !data_.coordinates.empty(); }
    [[nodiscard]] double x(int stop) const { return data_.coordinates[2 * static_cast<std::size_t>(stop)]; }
    [[nodiscard]] double y(int stop) const { return data_.coordinates[2 * static_cast<std::size_t>(stop) + 1]; }

    // From the stored matrix where it fits in memory, else computed from the coordinates.
    [[nodiscard]] double distance(int from, int to) const {
        if (!data_.matrix.empty()) return data_.matrix[static_cast<std::size_t>(from) * stride_ + static_cast<std::size_t>(to)];
        return computed_distance(from, to);
    }

    // Distances from a stop to all others, or null when no matrix is stored.
    [[nodiscard]] const double* row(int from) const {
        return data_.matrix.empty() ? nullptr : &data_.matrix[static_cast<std::size_t>(from) * stride_];
    }

private:
    [[nodiscard]] double computed_distance(int from, int to) const;

    InstanceData data_;   // matrix: empty when distances are computed on the fly
    const std::size_t stride_;
    bool has_limited_fleet_ = false;
    bool has_day_ = false;
    bool is_symmetric_ = true;
    double total_demand_ = 0.0;
};

}  // namespace fripn
