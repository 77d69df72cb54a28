#include "cost.h"

#include <algorithm>

namespace fripn {

FleetCost::FleetCost(const Instance& instance) : instance_(instance) {
    std::vector<double> limits;
    least_unit_cost_ = infinity;
    for (const VehicleType& type : instance.vehicle_types()) {
        if (type.available == 0) continue;
        limits.push_back(type.load_limit);
        least_unit_cost_ = std::min(least_unit_cost_, type.unit_cost);
    }
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());

    std::vector<Option> previous;
    for (const double limit : limits) {
        std::vector<Option> fitting;
        for (int k = 0; k < instance.num_types(); ++k) {
            const VehicleType& type = instance.vehicle_type(k);
            if (type.available != 0 && type.load_limit >= limit)
                fitting.push_back({type.tariff(), k});
        }
        std::sort(fitting.begin(), fitting.end(), [](const Option& a, const Option& b) {
            if (a.tariff.fixed_cost != b.tariff.fixed_cost) return a.tariff.fixed_cost < b.tariff.fixed_cost;
            if (a.tariff.unit_cost != b.tariff.unit_cost) return a.tariff.unit_cost < b.tariff.unit_cost;
            return a.type < b.type;
        });
        std::vector<Option> kept;
        for (const Option& option : fitting)
            if (kept.empty() || option.tariff.unit_cost < kept.back().tariff.unit_cost) kept.push_back(option);
        // A class with the same options as the one below it (a dominated type's) is no class of its own.
        const bool same = previous.size() == kept.size() &&
                          std::equal(kept.begin(), kept.end(), previous.begin(),
                                     [](const Option& a, const Option& b) { return a.type == b.type; });
        if (same) {
            limits_.back() = limit;
            continue;
        }
        limits_.push_back(limit);
        first_option_.push_back(options_.size());
        options_.insert(options_.end(), kept.begin(), kept.end());
        previous = std::move(kept);
    }
    first_option_.push_back(options_.size());
}

}  // namespace fripn
