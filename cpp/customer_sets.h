// Dynamic programs over sets of customers: the shortest tour through every set, and the cheapest division into sets.
//
// Time and memory grow two- to threefold with each customer. `check` is called now and then and may throw to stop.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace fripn::customer_sets {

using Set = std::uint32_t;  // bit i stands for customer i + 1

inline constexpr double no_way = std::numeric_limits<double>::infinity();

// Steps of a dynamic program between two calls of `check`: about a millisecond.
inline constexpr std::size_t steps_between_checks = 1'000'000;

// Shortest ways through every set of customers that one vehicle can carry. A `Net` has `distance` and `demand`.
template <class Net>
class Tours {
public:
    using Load = decltype(std::declval<const Net&>().demand(1));

    template <class Check>
    Tours(const Net& net, Load largest_load, const Check& check)
        : net_(net), n_(static_cast<std::size_t>(net.num_customers())), loads_(std::size_t{1} << n_, Load{}),
          lengths_((std::size_t{1} << n_) * n_, no_way) {
        std::size_t steps = 0;
        for (Set set = 1; set < loads_.size(); ++set) {
            loads_[set] = loads_[set & (set - 1)] + net.demand(std::countr_zero(set) + 1);
            if (loads_[set] <= largest_load) extend_to(set);
            steps += n_ * n_;
            if (steps < steps_between_checks) continue;
            steps = 0;
            check();
        }
    }

    [[nodiscard]] std::size_t num_sets() const { return loads_.size(); }
    [[nodiscard]] Load load(Set set) const { return loads_[set]; }

    // Infinite for a set that is too heavy.
    [[nodiscard]] double length(Set set) const {
        double best = no_way;
        for (Set rest = set; rest; rest &= rest - 1) best = std::min(best, length_home(set, std::countr_zero(rest)));
        return best;
    }

    [[nodiscard]] std::vector<int> customers(Set set) const {
        std::vector<int> order;
        int next = -1;  // where the way goes on to: at first home
        while (set) {
            int last = -1;
            double best = no_way;
            for (Set rest = set; rest; rest &= rest - 1) {
                const int i = std::countr_zero(rest);
                const double length = at(set, i) + net_.distance(i + 1, next + 1);
                if (last < 0 || length < best) {
                    best = length;
                    last = i;
                }
            }
            order.push_back(last + 1);
            set &= ~(Set{1} << last);
            next = last;
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

private:
    [[nodiscard]] double at(Set set, int last) const { return lengths_[set * n_ + static_cast<std::size_t>(last)]; }
    [[nodiscard]] double length_home(Set set, int last) const { return at(set, last) + net_.distance(last + 1, 0); }

    void extend_to(Set set) {
        for (Set rest = set; rest; rest &= rest - 1) {
            const int last = std::countr_zero(rest);
            const Set before = set & ~(Set{1} << last);
            double best = before ? no_way : net_.distance(0, last + 1);
            for (Set others = before; others; others &= others - 1) {
                const int i = std::countr_zero(others);
                best = std::min(best, at(before, i) + net_.distance(i + 1, last + 1));
            }
            lengths_[set * n_ + static_cast<std::size_t>(last)] = best;
        }
    }

    const Net& net_;
    const std::size_t n_;
    std::vector<Load> loads_;
    std::vector<double> lengths_;  // of a way from the depot through a set to its last customer
};

// The cheapest division of all customers into routes, of which `route_costs` has the cost for every set; empty when
// there is none.
template <class Check>
[[nodiscard]] std::vector<Set> cheapest_division(const std::vector<double>& route_costs, const Check& check) {
    const Set all = static_cast<Set>(route_costs.size() - 1);
    // The first route is that of customer 1, so only sets without this customer are left over, and `all` itself.
    std::vector<double> costs(route_costs.size() / 2, no_way);
    std::vector<Set> first_routes(route_costs.size() / 2, 0);
    costs[0] = 0.0;
    std::size_t steps = 0;
    // The route of the lowest customer, with every choice of the others.
    const auto choose = [&](Set set) {
        const Set lowest = set & (~set + 1);
        const Set others = set ^ lowest;
        double best = no_way;
        Set route = 0;
        for (Set with = others;; with = (with - 1) & others) {
            const double cost = route_costs[with | lowest] + costs[(others ^ with) >> 1];
            if (cost < best) {
                best = cost;
                route = with | lowest;
            }
            if (!with) break;
        }
        steps += std::size_t{1} << std::popcount(others);
        if (steps >= steps_between_checks) {
            steps = 0;
            check();
        }
        return std::pair(best, route);
    };
    for (Set set = 2; set < all; set += 2) std::tie(costs[set >> 1], first_routes[set >> 1]) = choose(set);
    const Set first = choose(all).second;
    std::vector<Set> routes;
    for (Set left = all, route = first; left; route = first_routes[left >> 1]) {
        if (!route) return {};  // a customer that no vehicle can carry
        routes.push_back(route);
        left ^= route;
    }
    return routes;
}

}  // namespace fripn::customer_sets
