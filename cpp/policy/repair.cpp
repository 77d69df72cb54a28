#include "policy/repair.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "cost.h"
#include "search/split.h"

namespace fripn::policy {

namespace {

// The routes of a trajectory, in the order they were begun.
class RouteReader {
public:
    explicit RouteReader(const Instance& instance)
        : instance_(instance), current_(static_cast<std::size_t>(instance.num_types()), none) {}

    const std::vector<std::vector<int>>& read(const std::int32_t* actions, int steps) {
        const int num_nodes = instance_.num_customers() + 1;
        routes_.clear();
        is_sound_ = true;
        std::fill(current_.begin(), current_.end(), none);
        std::vector<bool> is_served(static_cast<std::size_t>(num_nodes), false);
        for (int t = 0; t < steps && actions[t] >= 0; ++t) {
            const int node = actions[t] % num_nodes;
            std::size_t& route = current_[static_cast<std::size_t>(actions[t] / num_nodes)];
            if (node == 0) {
                route = none;
                continue;
            }
            if (route == none) {
                route = routes_.size();
                routes_.emplace_back();
            }
            if (is_served[static_cast<std::size_t>(node)]) is_sound_ = false;
            is_served[static_cast<std::size_t>(node)] = true;
            routes_[route].push_back(node);
        }
        std::vector<int> left;
        for (int i = 1; i < num_nodes; ++i)
            if (!is_served[static_cast<std::size_t>(i)]) left.push_back(i);
        if (!left.empty()) routes_.push_back(std::move(left));
        return routes_;
    }

    // Whether each customer came once at most.
    [[nodiscard]] bool is_sound() const { return is_sound_; }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    const Instance& instance_;
    std::vector<std::size_t> current_;
    std::vector<std::vector<int>> routes_;
    bool is_sound_ = true;
};

// Direction from the depot to the middle of a route.
double angle_of(const Instance& instance, const std::vector<int>& route) {
    double x = 0.0, y = 0.0;
    for (const int stop : route) {
        x += instance.x(stop) - instance.x(0);
        y += instance.y(stop) - instance.y(0);
    }
    return std::atan2(y, x);
}

void concatenate(const std::vector<std::vector<int>>& routes, const std::vector<std::size_t>& order,
                 std::vector<int>& tour) {
    tour.clear();
    for (const std::size_t r : order) tour.insert(tour.end(), routes[r].begin(), routes[r].end());
}

void sort_by_angle(const Instance& instance, const std::vector<std::vector<int>>& routes,
                   std::vector<std::size_t>& order) {
    std::vector<double> angles;
    for (const auto& route : routes) angles.push_back(angle_of(instance, route));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return angles[a] != angles[b] ? angles[a] < angles[b] : a < b; });
}

}  // namespace

bool repair(const Instance& instance, const std::int32_t* actions, int count, int steps, int num_threads,
            const search::Deadline& deadline, double* costs, std::int32_t* tours) {
    const FleetCost fleet(instance);
    const int n = instance.num_customers();
    std::atomic<int> next{0};
    std::atomic<bool> is_sound{true};
    const auto work = [&, own_deadline = deadline] {
        search::Split split(instance, fleet);
        RouteReader reader(instance);
        std::vector<int> made, turned;
        std::vector<std::size_t> order;
        for (int t; (t = next.fetch_add(1)) < count;) {
            std::int32_t* tour = tours + static_cast<std::ptrdiff_t>(t) * n;
            costs[t] = infinity;
            std::fill_n(tour, n, 0);
            if (own_deadline.is_due()) continue;
            const auto& routes = reader.read(actions + static_cast<std::ptrdiff_t>(t) * steps, steps);
            if (!reader.is_sound()) {
                is_sound = false;
                return;
            }
            order.resize(routes.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            concatenate(routes, order, made);
            double best = split.cost(made.data(), n, &own_deadline);
            if (instance.has_coordinates()) {
                sort_by_angle(instance, routes, order);
                concatenate(routes, order, turned);
                if (const double cost = split.cost(turned.data(), n, &own_deadline); cost < best) {
                    best = cost;
                    made.swap(turned);
                }
            }
            if (best == infinity && own_deadline.is_due()) continue;
            costs[t] = best;
            std::copy(made.begin(), made.end(), tour);
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (int t = 1; t < std::min(num_threads, count); ++t) helpers.emplace_back(work);
        work();
    }
    return is_sound;
}

}  // namespace fripn::policy
