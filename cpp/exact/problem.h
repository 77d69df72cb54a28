// What the exact method sees of an instance: integer loads, vehicle types that can matter, a dense matrix.
//
// Index 0 is the depot, customers are 1 … n, as everywhere. Loads are scaled so that every set of customers that
// `evaluate` lets a vehicle carry also fits the integer capacity; where demands have a common unit the two
// conditions are the same, else the integer one is a relaxation (`has_exact_loads` is false). Costs are multiplied by a
// power of two that brings them to a size for which the tolerances of linear programming are made.
#pragma once

#include <cstddef>
#include <vector>

#include "instance.h"

namespace fripn::exact {

struct Type {
    int index;             // in Instance::vehicle_types
    int capacity;          // scaled
    double load_limit;     // of the real load, the tolerance of `evaluate` included
    double fixed_cost;
    double unit_cost;
    int available;         // at most the number of customers
};

// Types of equal unit cost: one labelling serves them all.
struct TypeGroup {
    double unit_cost;
    std::vector<int> types;
    int capacity;          // the largest of its types
};

struct ScaledLoads {
    std::vector<int> demands;      // 0 for the depot, at least 1 for a customer
    std::vector<int> capacities;
    bool is_exact;
};

// Loads as integers, no capacity above `max_capacity`. `limits` are the largest loads that count as feasible.
[[nodiscard]] ScaledLoads scale_loads(const std::vector<double>& demands, const std::vector<double>& limits,
                                      int max_capacity);

class Problem {
public:
    // `load_tolerance` is what `evaluate` allows above a capacity, as a fraction of it.
    Problem(const Instance& instance, double load_tolerance, int max_capacity);

    // The same problem with loads counted in steps as fine as `max_capacity` allows.
    [[nodiscard]] Problem rescaled(int max_capacity) const;

    [[nodiscard]] int num_customers() const { return num_customers_; }
    [[nodiscard]] int num_stops() const { return num_customers_ + 1; }
    [[nodiscard]] int num_types() const { return static_cast<int>(types_.size()); }
    [[nodiscard]] const Type& type(int k) const { return types_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] const std::vector<Type>& types() const { return types_; }
    [[nodiscard]] const std::vector<TypeGroup>& groups() const { return groups_; }
    [[nodiscard]] int group_of(int k) const { return group_of_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] int demand(int i) const { return demands_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] double real_demand(int i) const { return real_demands_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int total_demand() const { return total_demand_; }
    [[nodiscard]] double distance(int i, int j) const {
        return distances_[static_cast<std::size_t>(i) * static_cast<std::size_t>(num_stops()) + static_cast<std::size_t>(j)];
    }
    [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }
    // Whether leaving a customer out of a route never makes it longer, so that covering a customer twice is no gain.
    [[nodiscard]] bool has_triangle_inequality() const { return has_triangle_inequality_; }
    [[nodiscard]] bool has_exact_loads() const { return has_exact_loads_; }
    // What every cost of the instance has been multiplied by.
    [[nodiscard]] double cost_scale() const { return cost_scale_; }

    [[nodiscard]] double route_length(const std::vector<int>& customers) const;
    [[nodiscard]] double route_cost(int type, const std::vector<int>& customers) const {
        return types_[static_cast<std::size_t>(type)].fixed_cost +
               types_[static_cast<std::size_t>(type)].unit_cost * route_length(customers);
    }
    // Whether a vehicle of the type can carry the customers, by the real loads.
    [[nodiscard]] bool fits(int type, const std::vector<int>& customers) const;

private:
    void set_loads(const ScaledLoads& scaled);

    int num_customers_;
    std::vector<double> real_demands_;
    std::vector<double> distances_;
    std::vector<int> demands_;
    std::vector<Type> types_;
    std::vector<TypeGroup> groups_;
    std::vector<int> group_of_;
    int total_demand_ = 0;
    double cost_scale_ = 1.0;
    bool is_symmetric_;
    bool has_triangle_inequality_ = true;
    bool has_exact_loads_ = true;
};

}  // namespace fripn::exact
