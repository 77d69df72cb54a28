#include "exact/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Demands as multiples of a power of ten, if they all are; empty otherwise.
std::vector<long long> decimal_multiples(const std::vector<double>& demands, double unit) {
    constexpr double largest = 1e12;
    std::vector<long long> multiples;
    for (const double demand : demands) {
        const double multiple = std::round(demand / unit);
        if (multiple > largest || std::abs(demand - multiple * unit) > 1e-12 * std::max(demand, unit)) return {};
        multiples.push_back(static_cast<long long>(multiple));
    }
    return multiples;
}

// Capacities that no set of customers fills are lowered to what one can fill.
void lower_to_subset_sums(const std::vector<int>& demands, std::vector<int>& capacities) {
    const int largest = *std::max_element(capacities.begin(), capacities.end());
    std::vector<char> is_sum(at(largest) + 1, 0);
    is_sum[0] = 1;
    for (std::size_t i = 1; i < demands.size(); ++i)
        for (int q = largest; q >= demands[i]; --q)
            if (is_sum[at(q - demands[i])]) is_sum[at(q)] = 1;
    for (int& capacity : capacities)
        while (!is_sum[at(capacity)]) --capacity;
}

bool scale_exactly(const std::vector<double>& demands, const std::vector<double>& limits, int max_capacity,
                   ScaledLoads& scaled) {
    double unit = 1.0;
    std::vector<long long> multiples;
    for (int digits = 0; digits <= 6 && multiples.empty(); ++digits) {
        unit = std::pow(10.0, -digits);
        multiples = decimal_multiples(demands, unit);
    }
    if (multiples.empty()) return false;
    long long divisor = 0;
    for (const long long m : multiples) divisor = std::gcd(divisor, m);
    divisor = std::max(divisor, 1LL);
    for (long long& m : multiples) m /= divisor;
    unit *= static_cast<double>(divisor);
    // What rounding the demands to multiples may add to a load or take from it.
    double error = 0.0;
    for (std::size_t i = 0; i < demands.size(); ++i)
        error += std::abs(demands[i] - static_cast<double>(multiples[i]) * unit) + 1e-15 * demands[i];
    // A customer without demand counts 1, and everything else so much more that all of these fit.
    const auto num_empty = static_cast<long long>(std::count(multiples.begin() + 1, multiples.end(), 0));
    const long long factor = num_empty + 1;
    const long long total = std::accumulate(multiples.begin(), multiples.end(), 0LL);
    for (const double limit : limits) {
        const double upper = std::floor((limit + error) / unit * (1.0 + 1e-15));
        const double lower = std::floor((limit - error) / unit * (1.0 - 1e-15));
        const double most = static_cast<double>(total);
        if (std::min(upper, most) * static_cast<double>(factor) + static_cast<double>(num_empty) > max_capacity) return false;
        if (std::min(upper, most) != std::min(lower, most)) scaled.is_exact = false;
        scaled.capacities.push_back(static_cast<int>(std::min(upper, most)) * static_cast<int>(factor) +
                                    static_cast<int>(num_empty));
    }
    for (std::size_t i = 0; i < multiples.size(); ++i)
        scaled.demands.push_back(multiples[i] == 0 ? (i == 0 ? 0 : 1) : static_cast<int>(multiples[i] * factor));
    return true;
}

// ⌊q / s⌋ ≤ ⌊Q / s⌋ holds for every load q ≤ Q. Customers whose ⌊q / s⌋ is 0 count 1, and capacities rise by as many of
// these as fit.
ScaledLoads scale_coarsely(const std::vector<double>& demands, const std::vector<double>& limits, int max_capacity) {
    ScaledLoads scaled{{}, {}, false};
    const double largest = *std::max_element(limits.begin(), limits.end());
    for (double step = largest / max_capacity;; step *= 1.25) {
        std::vector<double> tiny;
        scaled.demands.assign(1, 0);
        for (std::size_t i = 1; i < demands.size(); ++i) {
            const int q = static_cast<int>(std::floor(demands[i] / step * (1.0 - 1e-12)));
            if (q == 0) tiny.push_back(demands[i]);
            scaled.demands.push_back(std::max(q, 1));
        }
        std::sort(tiny.begin(), tiny.end());
        scaled.capacities.clear();
        for (const double limit : limits) {
            double load = 0.0;
            int fitting = 0;
            for (const double demand : tiny) {
                if ((load += demand) > limit * (1.0 + 1e-12)) break;
                ++fitting;
            }
            scaled.capacities.push_back(static_cast<int>(std::floor(limit / step * (1.0 + 1e-12))) + fitting);
        }
        if (*std::max_element(scaled.capacities.begin(), scaled.capacities.end()) <= max_capacity) return scaled;
        // Nothing but tiny customers: their number is all that counts.
        if (tiny.size() + 1 == demands.size()) return scaled;
    }
}

// The inequality decides between two relaxations that are both valid, so a tolerance does no harm.
bool shortens_nowhere(const Problem& problem) {
    const int n = problem.num_customers();
    for (int j = 1; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            const double to = problem.distance(i, j) * (1.0 + 1e-9);
            bool holds = true;
            for (int k = 0; k <= n; ++k) holds &= problem.distance(i, k) <= (to + problem.distance(j, k)) * (1.0 + 1e-9);
            if (!holds) return false;
        }
    return true;
}

}  // namespace

ScaledLoads scale_loads(const std::vector<double>& demands, const std::vector<double>& limits, int max_capacity) {
    ScaledLoads scaled{{}, {}, true};
    if (!scale_exactly(demands, limits, max_capacity, scaled)) scaled = scale_coarsely(demands, limits, max_capacity);
    const int total = std::accumulate(scaled.demands.begin(), scaled.demands.end(), 0);
    for (int& capacity : scaled.capacities) capacity = std::min(capacity, total);
    lower_to_subset_sums(scaled.demands, scaled.capacities);
    return scaled;
}

Problem::Problem(const Instance& instance, double load_tolerance, int max_capacity)
    : num_customers_(instance.num_customers()), is_symmetric_(instance.is_symmetric()) {
    const int stops = num_stops();
    for (int i = 0; i < stops; ++i) {
        real_demands_.push_back(instance.demand(i));
        for (int j = 0; j < stops; ++j) distances_.push_back(instance.distance(i, j));
    }
    std::vector<double> limits;
    for (const VehicleType& type : instance.vehicle_types()) limits.push_back(type.capacity * (1.0 + load_tolerance));
    const ScaledLoads scaled = scale_loads(real_demands_, limits, max_capacity);
    set_loads(scaled);
    const auto& all = instance.vehicle_types();
    for (int k = 0; k < instance.num_types(); ++k) {
        const VehicleType& type = all[at(k)];
        if (type.available == 0 || scaled.capacities[at(k)] == 0) continue;
        // Another type that can be hired as often as needed and is nowhere worse makes this one useless.
        bool is_useless = false;
        for (int other = 0; other < instance.num_types() && !is_useless; ++other) {
            const VehicleType& rival = all[at(other)];
            if (other == k || rival.available != VehicleType::unlimited) continue;
            const bool is_as_good = rival.capacity >= type.capacity && rival.fixed_cost <= type.fixed_cost &&
                                    rival.unit_cost <= type.unit_cost;
            const bool is_equal = rival.capacity == type.capacity && rival.fixed_cost == type.fixed_cost &&
                                  rival.unit_cost == type.unit_cost && type.available == VehicleType::unlimited;
            is_useless = is_as_good && (!is_equal || other < k);
        }
        if (is_useless) continue;
        types_.push_back({k, scaled.capacities[at(k)], limits[at(k)], type.fixed_cost, type.unit_cost,
                          type.is_limited() ? static_cast<int>(std::min<std::int64_t>(type.available, num_customers_)) : num_customers_});
    }
    // The cheapest way to serve each customer alone costs about 100 on average.
    double singles = 0.0;
    for (int i = 1; i < stops; ++i) {
        double cheapest = std::numeric_limits<double>::infinity();
        for (int k = 0; k < num_types(); ++k)
            if (demand(i) <= types_[at(k)].capacity) cheapest = std::min(cheapest, route_cost(k, {i}));
        if (std::isfinite(cheapest)) singles += cheapest;
    }
    if (singles > 0) cost_scale_ = std::exp2(std::round(std::log2(100.0 * num_customers_ / singles)));
    for (Type& type : types_) {
        type.fixed_cost *= cost_scale_;
        type.unit_cost *= cost_scale_;
    }
    for (int k = 0; k < num_types(); ++k) {
        auto group = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const TypeGroup& g) { return g.unit_cost == types_[at(k)].unit_cost; });
        if (group == groups_.end()) group = groups_.insert(groups_.end(), {types_[at(k)].unit_cost, {}, 0});
        group->types.push_back(k);
        group_of_.push_back(static_cast<int>(group - groups_.begin()));
        group->capacity = std::max(group->capacity, types_[at(k)].capacity);
    }
    has_triangle_inequality_ = shortens_nowhere(*this);
}

void Problem::set_loads(const ScaledLoads& scaled) {
    demands_ = scaled.demands;
    has_exact_loads_ = scaled.is_exact;
    total_demand_ = std::accumulate(demands_.begin(), demands_.end(), 0);
}

Problem Problem::rescaled(int max_capacity) const {
    Problem copy = *this;
    std::vector<double> limits;
    for (const Type& type : types_) limits.push_back(type.load_limit);
    const ScaledLoads scaled = scale_loads(real_demands_, limits, max_capacity);
    copy.set_loads(scaled);
    for (int k = 0; k < num_types(); ++k) copy.types_[at(k)].capacity = scaled.capacities[at(k)];
    for (TypeGroup& group : copy.groups_) {
        group.capacity = 0;
        for (const int k : group.types) group.capacity = std::max(group.capacity, copy.type(k).capacity);
    }
    return copy;
}

double Problem::route_length(const std::vector<int>& customers) const {
    if (customers.empty()) return 0.0;
    double length = distance(0, customers.front()) + distance(customers.back(), 0);
    for (std::size_t i = 1; i < customers.size(); ++i) length += distance(customers[i - 1], customers[i]);
    return length;
}

bool Problem::fits(int type, const std::vector<int>& customers) const {
    long double load = 0.0;
    for (const int c : customers) load += static_cast<long double>(real_demand(c));
    return load <= static_cast<long double>(types_[at(type)].load_limit);
}

}  // namespace fripn::exact
