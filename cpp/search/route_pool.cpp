#include "search/route_pool.h"

#include <algorithm>

#include "rng.h"

namespace fripn::search {

RoutePool::RoutePool(const Instance& instance, std::size_t max_routes) : instance_(instance), max_routes_(max_routes) {
    // Fixed seed: sums of random keys tell sets apart, which has nothing to do with the search's own chance.
    Rng rng(0);
    for (int c = 0; c <= instance.num_customers(); ++c) key_.push_back(rng());
}

void RoutePool::add(int type, const std::vector<int>& customers, double cost) {
    std::uint64_t key = 0;
    for (const int c : customers) key += key_[static_cast<std::size_t>(c)];
    const auto known = index_.find(key);
    if (known != index_.end()) {
        const std::size_t i = known->second;
        if (cost >= cost_[i] || first_[i + 1] - first_[i] != customers.size()) return;
        std::copy(customers.begin(), customers.end(), customers_.begin() + static_cast<std::ptrdiff_t>(first_[i]));
        cost_[i] = cost;
        type_[i] = type;
    } else {
        if (is_full()) return;
        index_.emplace(key, size());
        customers_.insert(customers_.end(), customers.begin(), customers.end());
        first_.push_back(customers_.size());
        cost_.push_back(cost);
        type_.push_back(type);
    }
    ++num_changes_;
}

template <Measure M>
void RoutePool::add(const Plan& plan) {
    for (const PlanRoute& route : plan.routes) {
        if (route.customers.empty()) continue;
        const VehicleType& type = instance_.vehicle_type(route.type);
        const M measure = route_measure<M>(instance_, route.customers);
        if (measure.fits(M::limit(type))) add(route.type, route.customers, measure.cost(type.tariff()));
    }
}

template void RoutePool::add<CapacityMeasure>(const Plan& plan);

void RoutePool::clear() {
    index_.clear();
    first_.assign(1, 0);
    customers_.clear();
    cost_.clear();
    type_.clear();
}

}  // namespace fripn::search
