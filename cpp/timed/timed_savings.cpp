#include "timed/timed_savings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rng.h"
#include "timed/timed_sisr.h"

namespace fripn::timed {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int pairs_between_checks = 64;
constexpr std::uint64_t most_first_steps_per_customer = 100;

struct Saving {
    double value;
    int from;
    int to;
};

// What the way through the depot costs more than the direct one, for the depot where that is least.
std::vector<Saving> sorted_savings(const Model& model, const search::Neighbours& neighbours) {
    std::vector<Saving> savings;
    for (int i = 1; i <= model.num_customers(); ++i)
        for (const int* j = neighbours.begin(i); j != neighbours.end(i); ++j) {
            double least = infinity;
            for (const Frame& frame : model.frames())
                least = std::min(least, model.arc_to_end(frame, i).distance + model.arc_from_depot(frame, *j).distance);
            savings.push_back({least - model.distance(i, *j), i, *j});
        }
    std::sort(savings.begin(), savings.end(), [](const Saving& a, const Saving& b) {
        if (a.value != b.value) return a.value > b.value;
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    return savings;
}

struct Merged {
    std::vector<PlanRoute> routes;
    std::vector<double> cost;
};

// Routes of customers joined along the savings, none larger than `limit`.
Merged merge(const Model& model, const std::vector<Saving>& savings, double limit, const search::Deadline& deadline) {
    const std::size_t size = at(model.num_customers()) + 1;
    Merged merged;
    merged.routes.resize(size, {-1, {}});
    merged.cost.resize(size, infinity);
    std::vector<int> first_route(size, 0);   // of a customer that is the first of its route, else 0
    std::vector<int> last_route(size, 0);
    for (int c = 1; c <= model.num_customers(); ++c) {
        const TypeChoice alone = model.cheapest({c});
        merged.routes[at(c)] = {alone.type, {c}};
        merged.cost[at(c)] = alone.cost;
        first_route[at(c)] = last_route[at(c)] = c;
    }
    int until_check = pairs_between_checks;
    for (const Saving& saving : savings) {
        const int a = last_route[at(saving.from)];
        const int b = first_route[at(saving.to)];
        if (a == 0 || b == 0 || a == b) continue;
        if (--until_check < 0) {
            if (deadline.is_due()) break;
            until_check = pairs_between_checks;
        }
        std::vector<int> both = merged.routes[at(a)].customers;
        const std::vector<int>& behind = merged.routes[at(b)].customers;
        both.insert(both.end(), behind.begin(), behind.end());
        const TypeChoice choice = model.cheapest(both, limit);
        // A customer that no type can serve alone is joined with whomever it can be served with.
        if (choice.type < 0 || choice.cost >= merged.cost[at(a)] + merged.cost[at(b)]) continue;
        last_route[at(saving.from)] = 0;
        first_route[at(saving.to)] = 0;
        last_route[at(both.back())] = a;
        merged.routes[at(a)] = {choice.type, std::move(both)};
        merged.cost[at(a)] = choice.cost;
        merged.routes[at(b)] = {-1, {}};
        merged.cost[at(b)] = 0.0;
    }
    return merged;
}

// Largest first, each route takes its cheapest type that is free; routes that find none are left out.
Plan seated(const Model& model, const Merged& merged) {
    std::vector<std::size_t> order;
    for (std::size_t r = 1; r < merged.routes.size(); ++r)
        if (!merged.routes[r].customers.empty()) order.push_back(r);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return merged.routes[a].customers.size() > merged.routes[b].customers.size();
    });
    std::vector<int> used(at(model.num_types()), 0);
    Plan plan;
    plan.cost = 0.0;
    int num_served = 0;
    for (const std::size_t r : order) {
        TypeChoice choice{merged.routes[r].type, merged.cost[r]};
        if (choice.type >= 0 && !model.instance().vehicle_type(choice.type).has_left(used[at(choice.type)]))
            choice = model.cheapest(merged.routes[r].customers, infinity, &used);
        if (choice.type < 0) continue;
        ++used[at(choice.type)];
        plan.cost += choice.cost;
        plan.routes.push_back({choice.type, merged.routes[r].customers});
        num_served += static_cast<int>(merged.routes[r].customers.size());
    }
    if (num_served < model.num_customers()) plan.cost = infinity;
    return plan;
}

}  // namespace

Plan savings(const Model& model, const search::Neighbours& neighbours, const search::Deadline& deadline) {
    const std::vector<Saving> sorted = sorted_savings(model, neighbours);
    std::vector<double> limits;
    for (int k = 0; k < model.num_types(); ++k) limits.push_back(model.type(k).limit[0]);
    std::sort(limits.begin(), limits.end(), std::greater<>());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    Plan best;
    for (const double limit : limits) {
        if (!best.routes.empty() && deadline.is_due()) break;
        Plan plan = seated(model, merge(model, sorted, limit, deadline));
        if (best.routes.empty() || plan.cost < best.cost) best = std::move(plan);
    }
    return best;
}

Plan first_plan(const Model& model, const search::Neighbours& neighbours, const search::SisrSettings& settings,
                const search::Deadline& deadline) {
    TimedSisr sisr(model, neighbours, settings);
    Rng rng(0);
    sisr.load({});
    sisr.iterate(0.0, rng);
    const Plan inserted = sisr.present();
    const bool is_complete = sisr.best_cost() < infinity;
    if (is_complete && deadline.is_due()) return inserted;
    Plan plan = savings(model, neighbours, deadline);
    if (is_complete) return plan.cost < inserted.cost ? plan : inserted;
    if (plan.cost < infinity) return plan;
    sisr.load(plan);
    const auto most = most_first_steps_per_customer * static_cast<std::uint64_t>(model.num_customers());
    for (std::uint64_t i = 0; i < most && sisr.best_cost() == infinity; ++i) {
        if (i % 16 == 0 && deadline.is_due()) break;
        sisr.iterate(0.0, rng);
    }
    if (sisr.best_cost() < infinity) return sisr.best();
    return {};
}

}  // namespace fripn::timed
