// What local search pays for a route: its cost plus a penalty on what it carries too much.
#pragma once

#include <algorithm>
#include <vector>

#include "../cost.h"
#include "../instance.h"

namespace fripn {

// With an unlimited fleet a route takes the type that is cheapest, penalty included. With a limited one
// every vehicle is a place of its own and a route pays for the type of the vehicle it sits in.
class RoutePrice {
public:
    RoutePrice(const Instance& instance, double penalty) : penalty_(penalty), is_limited_(instance.has_limited_fleet()) {
        for (int k = 0; k < instance.num_types(); ++k) {
            const VehicleType& type = instance.vehicle_type(k);
            options_.push_back({type.load_limit, type.fixed_cost, type.unit_cost, k});
        }
        by_type_ = options_;
        if (!is_limited_) drop_dominated();
        for (const Option& option : options_) {
            fixed_.push_back(option.fixed_cost);
            unit_.push_back(option.unit_cost);
            limit_.push_back(option.load_limit);
            least_unit_cost_ = lesser(least_unit_cost_, option.unit_cost);
        }
        if (fixed_.size() % 2 != 0) {   // an even number, for the loop below
            fixed_.push_back(fixed_.back());
            unit_.push_back(unit_.back());
            limit_.push_back(limit_.back());
        }
    }

    [[nodiscard]] double penalty() const { return penalty_; }
    void set_penalty(double penalty) { penalty_ = penalty; }
    [[nodiscard]] bool is_limited() const { return is_limited_; }

    [[nodiscard]] double with_type(int type, double load, double distance) const {
        const Option& option = by_type_[static_cast<std::size_t>(type)];
        return option.fixed_cost + option.unit_cost * distance + penalty_ * std::max(0.0, load - option.load_limit);
    }

    // Price of a route that sits in a vehicle of `type` (looked at for limited fleets only).
    [[nodiscard]] double operator()(int type, double load, double distance) const {
        if (is_limited_) return with_type(type, load, distance);
        // Two minima at a time and no branches: this is the innermost loop of local search.
        double even = infinity;
        double odd = infinity;
        for (std::size_t i = 0; i < fixed_.size(); i += 2) {
            even = lesser(even, price(i, load, distance));
            odd = lesser(odd, price(i + 1, load, distance));
        }
        return lesser(even, odd);
    }

    [[nodiscard]] double least_unit_cost() const { return least_unit_cost_; }
    [[nodiscard]] double unit_cost(int type) const { return by_type_[static_cast<std::size_t>(type)].unit_cost; }

    // How much load must leave before a route driven by `type` could change to a smaller one or pay less
    // penalty: 0 when overloaded, infinity when nothing smaller exists.
    [[nodiscard]] double relief(int type, double load) const {
        if (load > by_type_[static_cast<std::size_t>(type)].load_limit) return 0.0;
        if (is_limited_) return infinity;
        double below = -infinity;
        for (const Option& option : options_)
            if (option.load_limit < load) below = std::max(below, option.load_limit);
        return load - below;
    }

    // The type behind the price.
    [[nodiscard]] int best_type(double load, double distance) const {
        int best = options_.front().type;
        for (const Option& option : options_)
            if (with_type(option.type, load, distance) < with_type(best, load, distance)) best = option.type;
        return best;
    }

private:
    struct Option {
        double load_limit;
        double fixed_cost;
        double unit_cost;
        int type;
    };

    static double lesser(double a, double b) { return a < b ? a : b; }
    static double positive(double a) { return a > 0.0 ? a : 0.0; }

    [[nodiscard]] double price(std::size_t i, double load, double distance) const {
        return fixed_[i] + unit_[i] * distance + penalty_ * positive(load - limit_[i]);
    }

    void drop_dominated() {
        std::vector<Option> kept;
        for (const Option& a : options_) {
            const bool beaten = std::any_of(options_.begin(), options_.end(), [&](const Option& b) {
                const bool as_good = b.load_limit >= a.load_limit && b.fixed_cost <= a.fixed_cost && b.unit_cost <= a.unit_cost;
                const bool same = b.load_limit == a.load_limit && b.fixed_cost == a.fixed_cost && b.unit_cost == a.unit_cost;
                return as_good && (!same || b.type < a.type);
            });
            if (!beaten) kept.push_back(a);
        }
        options_ = std::move(kept);
    }

    double penalty_;
    double least_unit_cost_ = infinity;
    const bool is_limited_;
    std::vector<Option> options_;
    std::vector<Option> by_type_;
    std::vector<double> fixed_;   // of the options, one array per figure
    std::vector<double> unit_;
    std::vector<double> limit_;
};

}  // namespace fripn
