#include "search/savings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/split.h"

namespace fripn::search {

namespace {

struct Saving {
    double value;
    int from;
    int to;
};

// Joins route ends along the sorted savings; `next` and `previous` are 0 at the ends of a route.
class Merger {
public:
    Merger(const Instance& instance, double max_load)
        : instance_(instance), max_load_(max_load), next_(size()), previous_(size()), root_(size()), load_(size()) {
        std::iota(root_.begin(), root_.end(), 0);
        for (int i = 0; i <= instance.num_customers(); ++i) load_[at(i)] = instance.demand(i);
    }

    void merge(const std::vector<Saving>& savings) {
        for (const Saving& saving : savings) {
            if (!join(saving.from, saving.to) && instance_.is_symmetric()) join_reversed(saving.from, saving.to);
        }
    }

    [[nodiscard]] Plan plan() const {
        Plan plan;
        for (int i = 1; i <= instance_.num_customers(); ++i) {
            if (previous_[at(i)] != 0) continue;
            PlanRoute route{0, {}};
            for (int c = i; c != 0; c = next_[at(c)]) route.customers.push_back(c);
            plan.routes.push_back(std::move(route));
        }
        return plan;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] std::size_t size() const { return at(instance_.num_customers()) + 1; }

    int find(int i) {
        while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
        return i;
    }

    bool fits(int a, int b) {
        const int ra = find(a);
        const int rb = find(b);
        return ra != rb && load_[at(ra)] + load_[at(rb)] <= max_load_;
    }

    void link(int last, int first) {
        const int ra = find(last);
        const int rb = find(first);
        root_[at(rb)] = ra;
        load_[at(ra)] += load_[at(rb)];
        next_[at(last)] = first;
        previous_[at(first)] = last;
    }

    // The route ending in `last` followed by the one starting with `first`.
    bool join(int last, int first) {
        if (next_[at(last)] != 0 || previous_[at(first)] != 0 || !fits(last, first)) return false;
        link(last, first);
        return true;
    }

    void join_reversed(int a, int b) {
        if (join(b, a) || !fits(a, b)) return;
        if (next_[at(a)] == 0 && next_[at(b)] == 0) {
            reverse_from_end(b);
            link(a, b);
        } else if (previous_[at(a)] == 0 && previous_[at(b)] == 0) {
            reverse_from_start(a);
            link(a, b);
        }
    }

    void reverse_from_end(int last) {
        for (int c = last; c != 0;) {
            const int before = previous_[at(c)];
            std::swap(next_[at(c)], previous_[at(c)]);
            c = before;
        }
    }

    void reverse_from_start(int first) {
        for (int c = first; c != 0;) {
            const int after = next_[at(c)];
            std::swap(next_[at(c)], previous_[at(c)]);
            c = after;
        }
    }

    const Instance& instance_;
    const double max_load_;
    std::vector<int> next_;
    std::vector<int> previous_;
    std::vector<int> root_;
    std::vector<double> load_;
};

std::vector<Saving> sorted_savings(const Instance& instance, const Neighbours& neighbours) {
    std::vector<Saving> savings;
    for (int i = 1; i <= instance.num_customers(); ++i)
        for (const int* j = neighbours.begin(i); j != neighbours.end(i); ++j) {
            // Symmetric pairs enter once; a pair that only one list names must not be lost.
            if (instance.is_symmetric() && *j < i &&
                std::find(neighbours.begin(*j), neighbours.end(*j), i) != neighbours.end(*j))
                continue;
            savings.push_back({instance.distance(i, 0) + instance.distance(0, *j) - instance.distance(i, *j), i, *j});
        }
    std::sort(savings.begin(), savings.end(), [](const Saving& a, const Saving& b) {
        if (a.value != b.value) return a.value > b.value;
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    return savings;
}

}  // namespace

Plan best_fit(const Instance& instance) {
    std::vector<int> order(static_cast<std::size_t>(instance.num_customers()));
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return instance.demand(a) > instance.demand(b); });
    Plan plan;
    std::vector<double> load;
    std::vector<int> used(static_cast<std::size_t>(instance.num_types()), 0);
    for (const int c : order) {
        int best = -1;
        double least_room = infinity;
        for (std::size_t r = 0; r < plan.routes.size(); ++r) {
            const double room = instance.vehicle_type(plan.routes[r].type).load_limit - load[r] - instance.demand(c);
            if (room >= 0 && room < least_room) {
                best = static_cast<int>(r);
                least_room = room;
            }
        }
        if (best < 0) {
            // The largest vehicle left keeps the most options open for the customers after this one.
            int largest = -1;
            for (int k = 0; k < instance.num_types(); ++k) {
                const VehicleType& type = instance.vehicle_type(k);
                if (!type.has_left(used[static_cast<std::size_t>(k)]) || type.load_limit < instance.demand(c)) continue;
                if (largest < 0 || type.load_limit > instance.vehicle_type(largest).load_limit) largest = k;
            }
            if (largest < 0) return {};
            ++used[static_cast<std::size_t>(largest)];
            plan.routes.push_back({largest, {}});
            load.push_back(0.0);
            best = static_cast<int>(plan.routes.size()) - 1;
        }
        plan.routes[static_cast<std::size_t>(best)].customers.push_back(c);
        load[static_cast<std::size_t>(best)] += instance.demand(c);
    }
    plan.cost = plan_cost(instance, plan);
    return plan;
}

Plan savings(const Instance& instance, const FleetCost& fleet, const Neighbours& neighbours, const Deadline& deadline) {
    const std::vector<Saving> sorted = sorted_savings(instance, neighbours);
    Split split(instance, fleet);
    // With a limited fleet a split may take long, and may be given up where there is something else to return.
    const Plan filled = instance.has_limited_fleet() ? best_fit(instance) : Plan{};
    Plan best;
    std::vector<int> last;
    for (int c = 0; c < fleet.num_classes(); ++c) {
        const bool has_plan = best.cost < infinity || filled.cost < infinity;
        if (has_plan && deadline.is_due()) break;
        Merger merger(instance, fleet.limit(c));
        merger.merge(sorted);
        std::vector<int> tour = giant_tour(instance, merger.plan());
        if (tour == last) continue;  // capacities that differ little make the same routes
        Plan plan = split(tour, has_plan ? &deadline : nullptr);
        if (plan.cost < best.cost) best = std::move(plan);
        last = std::move(tour);
    }
    if (best.cost == infinity) best = filled;
    return best;
}

}  // namespace fripn::search
