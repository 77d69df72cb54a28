// What a real working day adds to an instance: times, limits of routes, access, several loads, several depots.
//
// Every part is optional. Nodes are the stops of the instance (0 the first depot, 1 … n the customers) and, behind them,
// the further depots n + 1 … n + D − 1. Times and distances have whatever unit the user chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fripn {

// Half of what `evaluate` tolerates, as for loads: times may be late by this fraction of the larger of limit and horizon.
inline constexpr double search_time_tolerance = 0.5e-9;

struct Window {
    double open;
    double close;
};

// What a vehicle type has beyond its capacity and its costs per vehicle and distance.
struct DayType {
    static constexpr double never = std::numeric_limits<double>::infinity();

    int depot = 0;                        // index of its depot, not a node
    double time_factor = 1.0;             // travel time = base time × factor
    double shift_start = -never;
    double shift_end = never;             // of the return; without one the end of the last service
    double max_duration = never;
    double max_distance = never;
    std::int64_t max_stops = -1;          // VehicleType::unlimited when there is no limit
    double time_cost = 0.0;               // per unit of time
    bool returns = true;
};

struct WorkingDay {
    int num_depots = 1;
    int num_loads = 1;
    std::vector<double> loads;            // row-major (n + 1) × num_loads; empty with one load
    std::vector<double> capacities;       // row-major types × num_loads; empty with one load
    std::vector<double> durations;        // base times, row-major nodes × nodes; empty: the distances
    std::vector<double> service_times;    // per node, or empty
    std::vector<std::size_t> window_offsets;   // node -> its first window, one extra at the end; or empty
    std::vector<Window> windows;          // sorted and disjoint per node; a node without any is always open
    std::vector<DayType> types;           // one per vehicle type, or empty
    std::vector<std::uint8_t> access;     // row-major types × (n + 1), 1: may serve; or empty

    // Whether a plan can break or cost anything that an instance of capacities alone does not know.
    [[nodiscard]] bool matters() const;
};

}  // namespace fripn
