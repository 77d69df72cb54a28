// What local search pays for a timed route: its cost plus a penalty on what it breaks.
#pragma once

#include <vector>

#include "timed/model.h"
#include "timed/penalties.h"

namespace fripn::timed {

// What local search knows of a whole route.
struct Outline {
    Stretch time;
    Cargo cargo;
};

class TimedPrice {
public:
    explicit TimedPrice(const Model& model);

    void set_penalties(const Amounts& penalties) { penalties_ = penalties; }
    [[nodiscard]] const Amounts& penalties() const { return penalties_; }
    // With a limited fleet every vehicle is a place of its own: a route pays for the type of the vehicle it occupies.
    [[nodiscard]] bool is_limited() const { return is_limited_; }

    [[nodiscard]] double with_type(int type, const Outline& route) const {
        return warp_price(route) + own_price(model_.type(type), route);
    }
    // Price of a route in a vehicle of `type` (limited fleets), or of the cheapest type of its frame.
    [[nodiscard]] double operator()(int type, const Outline& route) const {
        if (is_limited_) return with_type(type, route);
        const auto frame = static_cast<std::size_t>(model_.type(type).frame);
        double least = infinity;
        if (is_plain_) {
            // No branches: the innermost loop of local search.
            const double penalty = penalties_[0];
            for (const Option& option : options_[frame]) {
                const double over = route.cargo.load[0] - option.limit;
                const double price = option.fixed_cost + option.unit_cost * route.time.distance +
                                     option.time_cost * route.time.duration + penalty * (over > 0.0 ? over : 0.0);
                least = price < least ? price : least;
            }
        } else {
            for (const int k : model_.frames()[frame].types) {
                const double price = own_price(model_.type(k), route);
                least = price < least ? price : least;
            }
        }
        return warp_price(route) + least;
    }
    // The type behind the price.
    [[nodiscard]] int best_type(int type, const Outline& route) const;
    // Price with the cheapest type of a frame, and that type, as if there were enough vehicles of each.
    [[nodiscard]] TypeChoice cheapest(const Frame& frame, const Outline& route) const;
    // By how much the route breaks what the type allows. A type without access is none of it.
    [[nodiscard]] Amounts excess(int type, const Outline& route) const;

private:
    struct Option {
        double fixed_cost;
        double unit_cost;
        double time_cost;
        double limit;   // of the load
    };

    [[nodiscard]] double warp_price(const Outline& route) const {
        return route.time.warp > tolerance_ ? penalties_[warp_violation] * route.time.warp : 0.0;
    }
    [[nodiscard]] double own_price(const TypeRules& rules, const Outline& route) const {
        double price = rules.cost(route.time.distance, route.time.duration);
        for (int l = 0; l < num_loads_; ++l) {
            const auto i = static_cast<std::size_t>(l);
            const double over = route.cargo.load[i] - rules.limit[i];
            if (over > 0.0) price += penalties_[i] * over;
        }
        if (has_limits_) {
            if (route.time.duration > rules.max_duration)
                price += penalties_[duration_violation] * (route.time.duration - rules.max_duration);
            if (route.time.distance > rules.max_distance)
                price += penalties_[distance_violation] * (route.time.distance - rules.max_distance);
            if (route.cargo.stops > rules.max_stops)
                price += penalties_[stops_violation] * (route.cargo.stops - rules.max_stops);
            if ((route.cargo.groups & rules.group) == 0) price += forbidden_;
        }
        return price;
    }

    const Model& model_;
    const int num_loads_;
    const double tolerance_;
    const bool is_limited_;
    bool has_limits_ = false;   // of duration, distance, stops or access
    bool is_plain_ = false;     // one load, and none of these limits
    std::vector<std::vector<Option>> options_;   // per frame, its types
    double forbidden_ = 0.0;    // price of a route that its vehicle may not drive
    Amounts penalties_;
};

}  // namespace fripn::timed
