// An instance with a working day as the timed search sees it: never changes, shared by all threads.
//
// Types that start and end in the same way (depot, speed, shift, return) share a frame: the times of a route are the same
// for all of them, so a route is timed once per frame, and its types differ only in what they cost and allow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cost.h"
#include "instance.h"
#include "prefetch.h"
#include "search/plan.h"
#include "timed/stretch.h"

namespace fripn::timed {

inline constexpr int max_loads = 4;
// Types with the same rights of access are one group.
inline constexpr int max_access_groups = 64;
// Rows of a matrix that are longer would displace more than they help.
inline constexpr std::size_t most_prefetched = 2048;
// A limit of stops that is none.
inline constexpr int any_number = 1 << 30;

using Loads = std::array<double, max_loads>;
using search::Plan;
using search::PlanRoute;

struct Frame {
    int depot;                 // node
    double factor;             // of travel times
    bool returns;
    Stretch start;             // leaving the depot
    Stretch end;               // coming back, or the end of the last service
    std::vector<int> types;
    std::uint64_t groups;      // of its types
    Loads largest;             // the most that one of its types holds, per load
    double longest;            // the largest limits of duration and distance among its types
    double farthest;
    bool needs_duration;       // some type pays for it or limits it
    bool is_uniform;           // its types differ in loads and access alone
};

struct TypeRules {
    Tariff tariff;
    double time_cost;
    Loads limit;               // load limits, tolerance included
    double max_duration;       // tolerance included, like the next
    double max_distance;
    int max_stops;
    std::uint64_t group;       // one bit
    int frame;

    // Two types that cost and limit alike may still differ in what they hold and where they may go.
    [[nodiscard]] bool costs_and_limits_like(const TypeRules& other) const {
        return tariff.fixed_cost == other.tariff.fixed_cost && tariff.unit_cost == other.tariff.unit_cost &&
               time_cost == other.time_cost && max_duration == other.max_duration && max_distance == other.max_distance &&
               max_stops == other.max_stops;
    }
    [[nodiscard]] double cost(double distance, double duration) const {
        return tariff.fixed_cost + tariff.unit_cost * distance + time_cost * duration;
    }
};

// What a route asks of a vehicle wherever its customers stand in it.
struct Cargo {
    Loads load{};
    std::uint64_t groups = ~std::uint64_t{0};   // that may serve every customer
    int stops = 0;

    void add(const Cargo& other) {
        for (std::size_t l = 0; l < load.size(); ++l) load[l] += other.load[l];
        groups &= other.groups;
        stops += other.stops;
    }
};

class Model {
public:
    // Throws std::invalid_argument for more loads or groups than fit.
    explicit Model(const Instance& instance);
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    [[nodiscard]] const Instance& instance() const { return instance_; }
    [[nodiscard]] int num_customers() const { return num_customers_; }
    [[nodiscard]] int num_types() const { return static_cast<int>(types_.size()); }
    [[nodiscard]] int num_loads() const { return num_loads_; }
    [[nodiscard]] const TypeRules& type(int k) const { return types_[at(k)]; }
    [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
    [[nodiscard]] const Frame& frame(int f) const { return frames_[at(f)]; }
    [[nodiscard]] const Cargo& cargo(int customer) const { return cargo_[at(customer)]; }
    [[nodiscard]] bool has_limited_fleet() const { return instance_.has_limited_fleet(); }
    [[nodiscard]] bool has_choices() const { return has_choices_; }
    // Some vehicles may not serve some customers.
    [[nodiscard]] bool has_limited_access() const { return has_limited_access_; }
    // A route takes and costs the same in every vehicle that may drive it.
    [[nodiscard]] bool is_uniform() const { return frames_.size() == 1 && frames_[0].is_uniform; }
    // Some vehicles cost something before they drive.
    [[nodiscard]] bool has_fixed_costs() const { return has_fixed_costs_; }
    [[nodiscard]] double warp_tolerance() const { return warp_tolerance_; }

    [[nodiscard]] double service(int customer) const { return service_[at(customer)]; }
    [[nodiscard]] int num_windows(int customer) const {
        return static_cast<int>(first_window_[at(customer) + 1] - first_window_[at(customer)]);
    }
    // A stop that is always open has one window without ends.
    [[nodiscard]] const Window& window(int customer, int choice) const {
        return windows_[first_window_[at(customer)] + at(choice)];
    }
    [[nodiscard]] Stretch stop(int customer, int choice) const {
        return Stretch::stop(window(customer, choice), service(customer));
    }

    [[nodiscard]] double distance(int from, int to) const {
        return matrix_ != nullptr ? matrix_[at(from) * stride_ + at(to)] : instance_.distance(from, to);
    }
    // Travel time before it is multiplied by the factor of a frame.
    [[nodiscard]] double base_time(int from, int to) const {
        return durations_ != nullptr ? durations_[at(from) * stride_ + at(to)] : distance(from, to);
    }
    [[nodiscard]] bool times_are_distances() const { return durations_ == nullptr; }
    [[nodiscard]] Arc arc(const Frame& frame, int from, int to) const {
        return {distance(from, to), base_time(from, to) * frame.factor};
    }
    // The same, read where all arcs into a node lie together: for loops over `from`.
    [[nodiscard]] Arc arc_into(const Frame& frame, int from, int to) const {
        if (into_ == nullptr) return arc(frame, from, to);
        const std::size_t i = at(to) * stride_ + at(from);
        return {into_[i], (times_into_ != nullptr ? times_into_[i] : into_[i]) * frame.factor};
    }
    // Ask for the arcs of a customer before they are needed: with many customers they are not in the cache.
    void prefetch_arcs(int customer) const {
        if (matrix_ == nullptr || stride_ > most_prefetched) return;
        prefetch(matrix_ + at(customer) * stride_, stride_);
        if (into_ != matrix_) prefetch(into_ + at(customer) * stride_, stride_);
    }
    [[nodiscard]] Arc arc_from_depot(const Frame& frame, int to) const { return arc(frame, frame.depot, to); }
    [[nodiscard]] Arc arc_to_end(const Frame& frame, int from) const {
        return frame.returns ? arc(frame, from, frame.depot) : Arc{0.0, 0.0};
    }

    // Whether the type may carry the cargo, whatever the times are.
    [[nodiscard]] bool can_carry(int type, const Cargo& cargo) const {
        const TypeRules& rules = types_[at(type)];
        for (int l = 0; l < num_loads_; ++l)
            if (cargo.load[at(l)] > rules.limit[at(l)]) return false;
        return (cargo.groups & rules.group) != 0 && cargo.stops <= rules.max_stops;
    }
    [[nodiscard]] bool keeps_times(int type, const Stretch& route) const {
        const TypeRules& rules = types_[at(type)];
        return route.warp <= warp_tolerance_ && route.duration <= rules.max_duration &&
               route.distance <= rules.max_distance;
    }

    // The whole route in a frame, with the window of each customer that leaves the least duration.
    [[nodiscard]] Stretch drive(const Frame& frame, const std::vector<int>& customers, const std::vector<int>& choices) const;
    [[nodiscard]] Stretch drive(const Frame& frame, const std::vector<int>& customers) const;
    // The windows in which the route is feasible and takes the least time, exactly; some windows where there are none.
    [[nodiscard]] std::vector<int> choose_windows(const Frame& frame, const std::vector<int>& customers) const;
    [[nodiscard]] Cargo cargo_of(const std::vector<int>& customers) const;

    // The cheapest type that can drive the route, infinite cost when there is none: of those whose first capacity is at
    // most `largest`, and of which there are some left when `used` are in use (null: as many as needed).
    [[nodiscard]] TypeChoice cheapest(const std::vector<int>& customers, double largest = infinity,
                                      const std::vector<int>* used = nullptr) const;
    // Cost from scratch; says nothing about feasibility.
    [[nodiscard]] double cost(const PlanRoute& route) const;
    [[nodiscard]] double cost(const Plan& plan) const;
    // Whether routes and vehicle numbers keep every limit (visits are not checked).
    [[nodiscard]] bool keeps_limits(const PlanRoute& route) const;
    [[nodiscard]] bool keeps_limits(const Plan& plan) const;
    // Mean cost of driving one arc, time included: the scale of temperatures.
    [[nodiscard]] double mean_arc_cost(const Plan& plan) const;

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void add_transposed();
    void add_windows();
    void add_types();
    void add_cargo();

    const Instance& instance_;
    const int num_customers_;
    const int num_loads_;
    const std::size_t stride_;
    const double* const matrix_;      // null when distances are computed on the fly
    const double* const durations_;   // null when they are the distances
    const double* into_ = nullptr;         // the matrix, its rows and columns exchanged; null without a matrix
    const double* times_into_ = nullptr;   // likewise the durations
    std::vector<double> transposed_;       // what these point to unless the matrix is symmetric
    std::vector<double> transposed_times_;
    bool has_choices_ = false;
    bool has_limited_access_ = false;
    bool has_fixed_costs_ = false;
    double horizon_ = 0.0;
    double warp_tolerance_ = 0.0;
    std::vector<double> service_;
    std::vector<std::size_t> first_window_;
    std::vector<Window> windows_;
    std::vector<TypeRules> types_;
    std::vector<Frame> frames_;
    std::vector<Cargo> cargo_;
};

}  // namespace fripn::timed
