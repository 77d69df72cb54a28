// The cheapest vehicle type for a route: the least cost over the types that can drive it.
#pragma once

#include <limits>
#include <vector>

#include "instance.h"
#include "measure.h"

namespace fripn {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct TypeChoice {
    int type;     // index into Instance::vehicle_types, -1 when nothing fits
    double cost;  // infinity when nothing fits
};

// The cheapest vehicle for a route when every type can be hired as often as needed.
//
// For a given load only types that no other fitting type beats in both fixed and unit cost matter;
// these short lists are prepared once, one per load class (a load between two capacities).
class FleetCost {
public:
    explicit FleetCost(const Instance& instance);

    struct Option {
        Tariff tariff;
        int type;
    };

    // Number of load classes; class c holds loads up to limit(c).
    [[nodiscard]] int num_classes() const { return static_cast<int>(limits_.size()); }
    [[nodiscard]] double limit(int load_class) const { return limits_[static_cast<std::size_t>(load_class)]; }
    [[nodiscard]] double largest_limit() const { return limits_.back(); }
    [[nodiscard]] double least_unit_cost() const { return least_unit_cost_; }

    // Class of a load, num_classes() when no vehicle can carry it.
    [[nodiscard]] int load_class(double load) const {
        int c = 0;
        while (c < num_classes() && limits_[static_cast<std::size_t>(c)] < load) ++c;
        return c;
    }

    // Cheapest type for a route whose load is of the class, which must be below num_classes().
    template <Measure M>
    [[nodiscard]] TypeChoice choose_in_class(int load_class, const M& route) const {
        TypeChoice best{-1, infinity};
        const auto first = first_option_[static_cast<std::size_t>(load_class)];
        const auto last = first_option_[static_cast<std::size_t>(load_class) + 1];
        for (auto o = first; o < last; ++o) {
            if (!can_drive(options_[o], route)) continue;
            const double cost = route.cost(options_[o].tariff);
            if (cost < best.cost) best = {options_[o].type, cost};
        }
        return best;
    }

    template <Measure M>
    [[nodiscard]] TypeChoice choose(const M& route) const {
        const int c = load_class(route.load);
        if (c == num_classes()) return {-1, infinity};
        return choose_in_class(c, route);
    }

    template <Measure M>
    [[nodiscard]] double cost(const M& route) const {
        const int c = load_class(route.load);
        if (c == num_classes()) return infinity;
        double best = infinity;
        const auto last = first_option_[static_cast<std::size_t>(c) + 1];
        for (auto o = first_option_[static_cast<std::size_t>(c)]; o < last; ++o) {
            if (!can_drive(options_[o], route)) continue;
            const double cost = route.cost(options_[o].tariff);
            if (cost < best) best = cost;
        }
        return best;
    }

private:
    template <Measure M>
    [[nodiscard]] bool can_drive(const Option& option, const M& route) const {
        if constexpr (M::shortcuts.fits_by_load) return true;
        return route.fits(M::limit(instance_.vehicle_type(option.type)));
    }

    const Instance& instance_;
    std::vector<double> limits_;              // ascending, one per class
    std::vector<std::size_t> first_option_;   // class -> first of its options; one extra at the end
    std::vector<Option> options_;
    double least_unit_cost_ = 0.0;
};

}  // namespace fripn
