// Two parents' sets of routes make a child's: whole routes, with the vehicles they fill.
#pragma once

#include <cstddef>
#include <vector>

#include "instance.h"
#include "rng.h"
#include "search/plan.h"
#include "search/route_price.h"

namespace fripn::search {

// Neighbouring routes of the first parent, then those of the second that keep most of their customers; who
// is left without a route goes where the price (with its best type, and the penalty on overload) rises least.
template <Measure M>
class RouteCrossover {
public:
    explicit RouteCrossover(const Instance& instance);

    // Both plans are complete, their routes in the order of the giant tour (neighbours are neighbours). The child may
    // overload vehicles and, with a limited fleet, hire more of a type than there are.
    Plan operator()(const Plan& first, const Plan& second, double penalty, Rng& rng);

private:
    struct Route {
        int type;
        M measure;
        double price;
        std::vector<int> customers;
    };

    struct Place {
        std::size_t position = 0;
        M measure;                // of the route with the customer there
        double price = infinity;
    };

    [[nodiscard]] Place best_place(const Route& route, int customer) const;
    void inherit(int type, const std::vector<int>& customers);
    void insert(int customer);
    // Type and price of a route with one customer.
    [[nodiscard]] Route single(int customer) const;
    [[nodiscard]] bool is_taken(int customer) const { return taken_[static_cast<std::size_t>(customer)] != 0; }

    const Instance& instance_;
    RoutePrice<M> price_;
    std::vector<Route> routes_;
    std::vector<char> taken_;
    std::vector<int> used_;       // vehicles per type
    std::vector<int> missing_;
    std::vector<int> kept_;       // of a route of the second parent
};

}  // namespace fripn::search
