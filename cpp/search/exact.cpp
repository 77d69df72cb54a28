#include "search/exact.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace fripn::search {

namespace {

using Set = std::uint32_t;  // bit i stands for customer i + 1

// Shortest ways through every set of customers that one vehicle can carry.
class Tours {
public:
    Tours(const Instance& instance, double largest_load)
        : instance_(instance), n_(static_cast<std::size_t>(instance.num_customers())), loads_(std::size_t{1} << n_, 0.0),
          lengths_((std::size_t{1} << n_) * n_, infinity) {
        for (Set set = 1; set < loads_.size(); ++set) {
            loads_[set] = loads_[set & (set - 1)] + instance.demand(std::countr_zero(set) + 1);
            if (loads_[set] <= largest_load) extend_to(set);
        }
    }

    [[nodiscard]] std::size_t num_sets() const { return loads_.size(); }
    [[nodiscard]] double load(Set set) const { return loads_[set]; }

    // Of the shortest tour: with capacities alone no other can be cheaper.
    [[nodiscard]] CapacityMeasure measure(Set set) const { return {load(set), length(set)}; }

    // Infinite for a set that is too heavy.
    [[nodiscard]] double length(Set set) const {
        double best = infinity;
        for (Set rest = set; rest; rest &= rest - 1) best = std::min(best, length_home(set, std::countr_zero(rest)));
        return best;
    }

    [[nodiscard]] std::vector<int> customers(Set set) const {
        std::vector<int> order;
        int next = -1;  // where the way goes on to: at first home
        while (set) {
            int last = -1;
            double best = infinity;
            for (Set rest = set; rest; rest &= rest - 1) {
                const int i = std::countr_zero(rest);
                const double length = at(set, i) + instance_.distance(i + 1, next + 1);
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
    [[nodiscard]] double length_home(Set set, int last) const { return at(set, last) + instance_.distance(last + 1, 0); }

    void extend_to(Set set) {
        for (Set rest = set; rest; rest &= rest - 1) {
            const int last = std::countr_zero(rest);
            const Set before = set & ~(Set{1} << last);
            double best = before ? infinity : instance_.distance(0, last + 1);
            for (Set others = before; others; others &= others - 1) {
                const int i = std::countr_zero(others);
                best = std::min(best, at(before, i) + instance_.distance(i + 1, last + 1));
            }
            lengths_[set * n_ + static_cast<std::size_t>(last)] = best;
        }
    }

    const Instance& instance_;
    const std::size_t n_;
    std::vector<double> loads_;
    std::vector<double> lengths_;  // of a way from the depot through a set to its last customer
};

}  // namespace

Plan cheapest_plan(const Instance& instance, const FleetCost& fleet) {
    const Tours tours(instance, fleet.largest_limit());
    std::vector<double> route_costs(tours.num_sets(), infinity);
    std::vector<double> costs(tours.num_sets(), infinity);
    std::vector<Set> first_routes(tours.num_sets(), 0);
    costs[0] = 0.0;
    for (Set set = 1; set < tours.num_sets(); ++set) {
        if (tours.load(set) <= fleet.largest_limit()) route_costs[set] = fleet.cost(tours.measure(set));
        // The route of the lowest customer, with every choice of the others.
        const Set lowest = set & (~set + 1);
        const Set others = set ^ lowest;
        for (Set with = others;; with = (with - 1) & others) {
            const double cost = route_costs[with | lowest] + costs[others ^ with];
            if (cost < costs[set]) {
                costs[set] = cost;
                first_routes[set] = with | lowest;
            }
            if (!with) break;
        }
    }
    Plan plan;
    for (Set left = static_cast<Set>(tours.num_sets() - 1); left;) {
        const Set route = first_routes[left];
        if (!route) return {};  // a customer that no vehicle can carry
        plan.routes.push_back({fleet.choose(tours.measure(route)).type, tours.customers(route)});
        left ^= route;
    }
    plan.cost = plan_cost(instance, plan);
    return plan;
}

}  // namespace fripn::search
