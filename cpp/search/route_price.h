// What local search pays for a route: its cost plus a penalty on what it carries too much.
#pragma once

#include <algorithm>
#include <vector>

#include "cost.h"
#include "instance.h"
#include "measure.h"

namespace fripn::search {

// With an unlimited fleet a route takes the type that is cheapest, penalty included. With a limited one
// every vehicle is a place of its own and a route pays for the type of the vehicle it sits in.
template <Measure M>
class RoutePrice {
public:
    RoutePrice(const Instance& instance, typename M::Penalty penalty)
        : instance_(instance), penalty_(penalty), is_limited_(instance.has_limited_fleet()) {
        for (int k = 0; k < instance.num_types(); ++k) {
            if (is_limited_ || !is_dominated(k)) types_.push_back(k);
            by_type_.push_back({instance.vehicle_type(k).tariff(), M::limit(instance.vehicle_type(k))});
        }
        for (const int k : types_) {
            add_option(k);
            least_unit_cost_ = lesser(least_unit_cost_, instance.vehicle_type(k).unit_cost);
        }
        if (types_.size() % 2 != 0) add_option(types_.back());   // an even number, for the loop below
    }

    [[nodiscard]] typename M::Penalty penalty() const { return penalty_; }
    void set_penalty(typename M::Penalty penalty) { penalty_ = penalty; }
    [[nodiscard]] bool is_limited() const { return is_limited_; }

    [[nodiscard]] double with_type(int type, const M& route) const {
        const Option& option = by_type_[static_cast<std::size_t>(type)];
        return route.price(option.tariff, option.limit, penalty_);
    }

    // Price of a route that sits in a vehicle of `type` (looked at for limited fleets only).
    [[nodiscard]] double operator()(int type, const M& route) const {
        if (is_limited_) return with_type(type, route);
        // Two minima at a time and no branches: this is the innermost loop of local search.
        double even = infinity;
        double odd = infinity;
        for (std::size_t i = 0; i < fixed_.size(); i += 2) {
            even = lesser(even, price(i, route));
            odd = lesser(odd, price(i + 1, route));
        }
        return lesser(even, odd);
    }

    [[nodiscard]] double least_unit_cost() const { return least_unit_cost_; }
    [[nodiscard]] double unit_cost(int type) const { return by_type_[static_cast<std::size_t>(type)].tariff.unit_cost; }
    [[nodiscard]] bool fits(int type, const M& route) const {
        return route.fits(by_type_[static_cast<std::size_t>(type)].limit);
    }

    // How much load must leave before a route driven by `type` could change to a smaller one or pay less
    // penalty: 0 when overloaded, infinity when nothing smaller exists.
    [[nodiscard]] double relief(int type, const M& route) const requires(M::shortcuts.bounds_by_distance) {
        if (!fits(type, route)) return 0.0;
        if (is_limited_) return infinity;
        double below = -infinity;
        for (const int k : types_) {
            const double limit = instance_.vehicle_type(k).load_limit;
            if (limit < route.load) below = std::max(below, limit);
        }
        return route.load - below;
    }

    // The type behind the price.
    [[nodiscard]] int best_type(const M& route) const {
        int best = types_.front();
        for (const int k : types_)
            if (with_type(k, route) < with_type(best, route)) best = k;
        return best;
    }

private:
    struct Option {
        Tariff tariff;
        typename M::Limit limit;
    };

    static double lesser(double a, double b) { return a < b ? a : b; }

    [[nodiscard]] double price(std::size_t i, const M& route) const {
        return route.price({fixed_[i], unit_[i]}, limit_[i], penalty_);
    }

    void add_option(int type) {
        const VehicleType& option = instance_.vehicle_type(type);
        fixed_.push_back(option.fixed_cost);
        unit_.push_back(option.unit_cost);
        limit_.push_back(M::limit(option));
    }

    [[nodiscard]] bool is_dominated(int type) const {
        const VehicleType& a = instance_.vehicle_type(type);
        for (int k = 0; k < instance_.num_types(); ++k) {
            const VehicleType& b = instance_.vehicle_type(k);
            const bool as_good = b.replaces(a) && b.fixed_cost <= a.fixed_cost && b.unit_cost <= a.unit_cost;
            const bool same = as_good && a.replaces(b) && b.fixed_cost == a.fixed_cost && b.unit_cost == a.unit_cost;
            if (as_good && (!same || k < type)) return true;
        }
        return false;
    }

    const Instance& instance_;
    typename M::Penalty penalty_;
    double least_unit_cost_ = infinity;
    const bool is_limited_;
    std::vector<int> types_;          // worth a look: those that no other beats
    std::vector<Option> by_type_;
    std::vector<double> fixed_;       // of `types_`, one array per figure
    std::vector<double> unit_;
    std::vector<typename M::Limit> limit_;
};

}  // namespace fripn::search
