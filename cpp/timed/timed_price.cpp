#include "timed/timed_price.h"

#include <algorithm>

namespace fripn::timed {

namespace {

// Times what all customers cost alone: no gain of a local search comes near.
constexpr double forbidden_factor = 10.0;

}  // namespace

TimedPrice::TimedPrice(const Model& model)
    : model_(model),
      num_loads_(model.num_loads()),
      tolerance_(model.warp_tolerance()),
      is_limited_(model.has_limited_fleet()) {
    for (int k = 0; k < model.num_types(); ++k) {
        const TypeRules& rules = model.type(k);
        has_limits_ |= rules.max_duration < infinity || rules.max_distance < infinity || rules.max_stops < any_number;
    }
    double all = 0.0;
    for (int c = 1; c <= model.num_customers(); ++c) {
        double most = 0.0;
        for (const Frame& frame : model.frames()) {
            const double distance = model.arc_from_depot(frame, c).distance + model.arc_to_end(frame, c).distance;
            const double time = model.arc_from_depot(frame, c).time + model.arc_to_end(frame, c).time + model.service(c);
            for (const int k : frame.types) {
                has_limits_ |= (model.cargo(c).groups & model.type(k).group) == 0;
                most = std::max(most, model.type(k).cost(distance, time));
            }
        }
        all += most;
    }
    forbidden_ = forbidden_factor * std::max(all, 1.0);
    is_plain_ = num_loads_ == 1 && !has_limits_;
    for (const Frame& frame : model.frames()) {
        options_.emplace_back();
        for (const int k : frame.types) {
            const TypeRules& rules = model.type(k);
            options_.back().push_back({rules.tariff.fixed_cost, rules.tariff.unit_cost, rules.time_cost, rules.limit[0]});
        }
    }
}

int TimedPrice::best_type(int type, const Outline& route) const {
    if (is_limited_) return type;
    int best = type;
    double least = infinity;
    for (const int k : model_.frame(model_.type(type).frame).types) {
        const double price = own_price(model_.type(k), route);
        if (price < least) {
            least = price;
            best = k;
        }
    }
    return best;
}

TypeChoice TimedPrice::cheapest(const Frame& frame, const Outline& route) const {
    TypeChoice best{-1, infinity};
    for (const int k : frame.types) {
        const double price = own_price(model_.type(k), route);
        if (price < best.cost) best = {k, price};
    }
    best.cost += warp_price(route);
    return best;
}

Amounts TimedPrice::excess(int type, const Outline& route) const {
    const TypeRules& rules = model_.type(type);
    Amounts excess;
    for (int l = 0; l < num_loads_; ++l) {
        const auto i = static_cast<std::size_t>(l);
        excess[i] = std::max(0.0, route.cargo.load[i] - rules.limit[i]);
    }
    if (route.time.warp > tolerance_) excess[warp_violation] = route.time.warp;
    excess[duration_violation] = std::max(0.0, route.time.duration - rules.max_duration);
    excess[distance_violation] = std::max(0.0, route.time.distance - rules.max_distance);
    excess[stops_violation] = std::max(0, route.cargo.stops - rules.max_stops);
    return excess;
}

}  // namespace fripn::timed
