// Good routes seen during a search, each set of customers once, at the least cost it was seen with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instance.h"
#include "search/plan.h"

namespace fripn::search {

class RoutePool {
public:
    RoutePool(const Instance& instance, std::size_t max_routes);

    // Remember the routes of a plan that keep the limits of their vehicle.
    template <Measure M = CapacityMeasure>
    void add(const Plan& plan);
    // Remember one route that its vehicle can drive.
    void add(int type, const std::vector<int>& customers, double cost);

    [[nodiscard]] std::size_t size() const { return cost_.size(); }
    [[nodiscard]] double cost(std::size_t route) const { return cost_[route]; }
    [[nodiscard]] const int* begin(std::size_t route) const { return customers_.data() + first_[route]; }
    [[nodiscard]] const int* end(std::size_t route) const { return customers_.data() + first_[route + 1]; }
    [[nodiscard]] PlanRoute route(std::size_t route) const { return {type_[route], std::vector<int>(begin(route), end(route))}; }

    // How often a route was new or got cheaper.
    [[nodiscard]] std::uint64_t num_changes() const { return num_changes_; }
    [[nodiscard]] bool is_full() const { return size() >= max_routes_; }
    void clear();

private:
    const Instance& instance_;
    const std::size_t max_routes_;
    std::vector<std::uint64_t> key_;       // per customer; those of a set are added up
    std::unordered_map<std::uint64_t, std::size_t> index_;
    std::vector<std::size_t> first_{0};    // route -> its first customer; one extra at the end
    std::vector<int> customers_;
    std::vector<double> cost_;
    std::vector<int> type_;
    std::uint64_t num_changes_ = 0;
};

}  // namespace fripn::search
