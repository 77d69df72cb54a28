#include "exact/pool.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cost.h"
#include "exact/fleet_cuts.h"
#include "exact/partition.h"
#include "exact/subset_cuts.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double integrality = 1e-6;
constexpr std::size_t small_pool = 1500;       // routes that an integer program settles soon
constexpr std::size_t new_columns = 400;       // per round

bool is_integral(double value) { return std::abs(value - std::round(value)) < integrality; }

}  // namespace

std::vector<Column> plan_of(const Problem& problem, const Master& master) {
    if (master.artificial_value() > integrality) return {};
    std::vector<Column> plan;
    std::vector<char> is_visited(at(problem.num_stops()), 0);
    bool is_plan = true;
    master.for_each_used([&](const Column& column, double value) {
        Column route{column.type, 0.0, {}};
        // Where covering twice is allowed, leaving a customer out of the second route costs nothing.
        for (const int i : column.customers)
            if (!std::exchange(is_visited[at(i)], 1)) route.customers.push_back(i);
        is_plan = is_plan && is_integral(value) && problem.fits(route.type, route.customers);
        if (route.customers.empty()) return;
        route.cost = problem.route_cost(route.type, route.customers);
        plan.push_back(std::move(route));
    });
    is_plan = is_plan && std::all_of(is_visited.begin() + 1, is_visited.end(), [](char v) { return v != 0; });
    return is_plan ? plan : std::vector<Column>{};
}

PoolSearch::PoolSearch(const Problem& problem, const LpSolver& lp, bool use_subset_cuts, bool use_fleet_cuts,
                       bool use_strong_branching, const Watch& watch, Events events)
    : problem_(problem), lp_(lp), use_subset_cuts_(use_subset_cuts), use_fleet_cuts_(use_fleet_cuts),
      use_strong_branching_(use_strong_branching), watch_(watch), events_(std::move(events)), trips_(cheapest_trips(problem)) {}

void PoolSearch::tell(double bound) const {
    for (const Node& node : waiting_) bound = std::min(bound, node.bound);
    if (events_.on_bound) events_.on_bound(bound);
}

bool PoolSearch::run(std::vector<Column> pool, const FleetBounds& fleet, const std::vector<FleetCut>& cuts,
                     const std::vector<CapacityCut>& capacity_cuts, double bound, const std::function<double()>& target) {
    pool_ = std::move(pool);
    capacity_cuts_ = capacity_cuts;
    target_ = target;
    has_looked_ = false;
    Node root{bound, 0, fleet, std::vector<int>(pool_.size()), cuts, {}};
    std::iota(root.routes.begin(), root.routes.end(), 0);
    waiting_.assign(1, std::move(root));
    while (!waiting_.empty()) {
        const auto next = std::min_element(waiting_.begin(), waiting_.end(), [](const Node& a, const Node& b) {
            return a.bound != b.bound ? a.bound < b.bound : a.depth > b.depth;
        });
        Node node = std::move(*next);
        waiting_.erase(next);
        tell(node.bound);
        if (node.bound >= target_()) continue;
        if (process(node) == Step::failed) return false;
    }
    return true;
}

bool PoolSearch::solve_relaxation(const Node& node, Master& master, Evidence& evidence, std::vector<double>& reduced) const {
    reduced.resize(node.routes.size());
    for (;;) {
        if (master.solve(watch_) != LpStatus::optimal) return false;
        evidence.point = master.dual_point();
        evidence.least.assign(at(problem_.num_types()), infinity);
        std::vector<std::pair<double, int>> negative;
        for (std::size_t r = 0; r < node.routes.size(); ++r) {
            const Column& route = pool_[at(node.routes[r])];
            reduced[r] = reduced_cost(problem_, evidence.point.prices, route.type, route.customers);
            evidence.least[at(route.type)] = std::min(evidence.least[at(route.type)], reduced[r]);
            if (reduced[r] < -1e-9 * std::max(1.0, std::abs(route.cost))) negative.emplace_back(reduced[r], node.routes[r]);
        }
        watch_.look();
        std::sort(negative.begin(), negative.end());
        if (negative.size() > new_columns) negative.resize(new_columns);
        std::vector<Column> fresh;
        for (const auto& [value, route] : negative) fresh.push_back(pool_[at(route)]);
        if (fresh.empty() || master.add_columns(fresh) == 0) break;
    }
    return true;
}

PoolSearch::Step PoolSearch::process(Node& node) {
    const int max_rounds = node.depth == 0 ? 30 : 6;
    ++statistics_.nodes;
    Master master(problem_, lp_, std::max(1.0, best_cost() < infinity ? best_cost() : 1e9));
    for (int k = 0; k < problem_.num_types(); ++k) {
        if (node.fleet.lower[at(k)] > node.fleet.upper[at(k)]) return Step::closed;
        master.set_fleet_bounds(k, node.fleet.lower[at(k)], node.fleet.upper[at(k)]);
    }
    for (const FleetCut& cut : node.fleet_cuts) master.add_fleet_cut(cut);
    master.add_capacity_cuts(capacity_cuts_);
    if (node.routes.size() <= 4 * small_pool) {
        std::vector<Column> all;
        for (const int r : node.routes) all.push_back(pool_[at(r)]);
        master.add_columns(all);
    }
    master.add_subset_cuts(node.subset_cuts);
    Evidence evidence;
    std::vector<double> reduced;
    double before = node.bound;
    for (int round = 0;; ++round) {
        // A type without routes left is closed.
        std::vector<char> has_routes(at(problem_.num_types()), 0);
        for (const int r : node.routes) has_routes[at(pool_[at(r)].type)] = 1;
        for (int k = 0; k < problem_.num_types(); ++k) {
            if (!has_routes[at(k)]) node.fleet.upper[at(k)] = 0.0;
            if (node.fleet.lower[at(k)] > node.fleet.upper[at(k)]) return Step::closed;
            master.set_fleet_bounds(k, node.fleet.lower[at(k)], node.fleet.upper[at(k)]);
        }
        const bool is_possible = solve_relaxation(node, master, evidence, reduced);
        if (!is_possible) return master.has_impossible_fleet() ? Step::closed : Step::failed;
        node.bound = std::max(node.bound, lagrangean_bound(problem_, node.fleet, evidence, trips_, best_cost()));
        tell(node.bound);
        if (node.bound >= target_()) return Step::closed;
        if (const std::vector<Column> plan = plan_of(problem_, master); !plan.empty()) events_.on_plan(plan);
        if (node.bound >= target_()) return Step::closed;
        if (use_fleet_cuts_ && round < 100 && separate_fleet(node, master)) continue;
        tighten(problem_, evidence, best_cost(), node.fleet);
        const std::vector<double> limits = route_limits(problem_, node.fleet, evidence, best_cost());
        std::vector<int> kept;
        std::vector<double> kept_reduced;
        for (std::size_t r = 0; r < node.routes.size(); ++r) {
            const int type = pool_[at(node.routes[r])].type;
            if (reduced[r] >= limits[at(type)] || !node.fleet.is_open(type)) continue;
            kept.push_back(node.routes[r]);
            kept_reduced.push_back(reduced[r]);
        }
        node.routes = std::move(kept);
        reduced = std::move(kept_reduced);
        if (node.routes.size() <= small_pool) {
            if (!solve_integer_program(node, node.routes, infinity)) return Step::failed;
            return Step::closed;
        }
        if (!std::exchange(has_looked_, true)) look_for_plan(node, reduced);
        if (node.bound >= target_()) return Step::closed;
        if (round >= max_rounds || (round > 2 && node.bound - before < 0.02 * (best_cost() - node.bound))) break;
        before = node.bound;
        if (!separate_subsets(master)) break;
    }
    node.subset_cuts = master.subset_cuts();
    branch(node, master);
    return Step::open;
}

bool PoolSearch::separate_fleet(Node& node, Master& master) {
    std::vector<double> fleet;
    for (int k = 0; k < problem_.num_types(); ++k) fleet.push_back(master.fleet_value(k));
    const auto cut = separate_fleet_cut(problem_, lp_, node.fleet, fleet, 1e-5, watch_);
    if (!cut) return false;
    node.fleet_cuts.push_back(*cut);
    master.add_fleet_cut(*cut);
    ++statistics_.fleet_cuts;
    return true;
}

bool PoolSearch::separate_subsets(Master& master) {
    if (!use_subset_cuts_) return false;
    std::vector<WeightedRoute> solution;
    master.for_each_used([&](const Column& column, double value) { solution.push_back({&column, value}); });
    SubsetSeparation separation;
    separation.has_full_memory = true;
    const std::vector<SubsetCut> cuts = separate_subset_cuts(problem_, solution, separation);
    if (cuts.empty()) return false;
    master.drop_idle_cuts();
    master.add_subset_cuts(cuts);
    statistics_.subset_cuts += static_cast<int>(cuts.size());
    return true;
}

// A better plan makes everything after it cheaper, so the most promising routes are tried alone, for a while.
void PoolSearch::look_for_plan(const Node& node, const std::vector<double>& reduced) {
    constexpr std::size_t most_routes = 800;
    constexpr double share_of_time = 0.2;
    std::vector<std::size_t> order(node.routes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reduced[a] < reduced[b]; });
    if (order.size() > most_routes) order.resize(most_routes);
    std::vector<int> routes;
    for (const std::size_t r : order) routes.push_back(node.routes[r]);
    solve_integer_program(node, routes, std::max(1.0, share_of_time * watch_.seconds()));
}

bool PoolSearch::solve_integer_program(const Node& node, const std::vector<int>& routes, double seconds) {
    std::vector<const Column*> chosen;
    for (const int r : routes) chosen.push_back(&pool_[at(r)]);
    ++statistics_.integer_programs;
    const Partition found = cheapest_partition(problem_, lp_, chosen, node.fleet, node.fleet_cuts, Cover::once, best_cost(),
                                               seconds, watch_);
    if (!found.plan.empty()) events_.on_plan(found.plan);
    watch_.look();
    return found.is_solved;
}

std::vector<PoolSearch::Choice> PoolSearch::choices(const Master& master) const {
    constexpr std::size_t most = 10;
    constexpr double least_distance = 1e-4;
    std::vector<Choice> found;
    // Numbers of vehicles first.
    for (int k = 0; k < problem_.num_types(); ++k) {
        const double value = master.fleet_value(k);
        const double distance = std::abs(value - std::round(value));
        if (distance > least_distance) found.push_back({k, 0, 0, value, distance});
    }
    if (found.empty()) {
        // Then pairs of customers: on the same route or not (Ryan and Foster).
        const std::size_t stops = at(problem_.num_stops());
        std::vector<double> together(stops * stops, 0.0);
        master.for_each_used([&](const Column& column, double value) {
            for (const int i : column.customers)
                for (const int j : column.customers)
                    if (i < j) together[at(i) * stops + at(j)] += value;
        });
        for (int i = 1; i < problem_.num_stops(); ++i)
            for (int j = i + 1; j < problem_.num_stops(); ++j) {
                const double value = together[at(i) * stops + at(j)];
                const double distance = std::min(value, 1.0 - value);
                if (distance > least_distance) found.push_back({-1, i, j, value, distance});
            }
    }
    std::stable_sort(found.begin(), found.end(), [](const Choice& a, const Choice& b) { return a.distance > b.distance; });
    if (found.size() > most) found.resize(most);
    return found;
}

bool PoolSearch::Choice::excludes(bool is_above, const Column& route) const {
    const auto has = [&](int customer) {
        return std::find(route.customers.begin(), route.customers.end(), customer) != route.customers.end();
    };
    return is_above ? has(i) != has(j) : has(i) && has(j);
}

// The choice whose two sides raise the linear program most, over the routes it has.
PoolSearch::Choice PoolSearch::choose(const Node& node, Master& master, const std::vector<Choice>& all) const {
    const double gap = std::max(best_cost() - node.bound, 1e-9 * std::abs(node.bound));
    Choice best = all.front();
    double best_score = -1.0;
    for (const Choice& choice : all) {
        double score = 1.0;
        for (const bool is_above : {false, true}) {
            double value;
            if (choice.type >= 0) {
                const double lower = node.fleet.lower[at(choice.type)], upper = node.fleet.upper[at(choice.type)];
                master.set_fleet_bounds(choice.type, is_above ? std::ceil(choice.value) : lower,
                                        is_above ? upper : std::floor(choice.value));
                value = master.value(watch_);
                master.set_fleet_bounds(choice.type, lower, upper);
            } else {
                value = master.value_without([&](const Column& route) { return choice.excludes(is_above, route); }, watch_);
            }
            score *= std::max(std::min((value - node.bound) / gap, 1.0), 1e-6);
        }
        if (score > best_score) {
            best_score = score;
            best = choice;
        }
    }
    return best;
}

void PoolSearch::branch(const Node& node, Master& master) {
    const std::vector<Choice> all = choices(master);
    // Without any, two types share the same routes: an integer program decides, whatever its size.
    if (all.empty()) {
        if (!solve_integer_program(node, node.routes, infinity)) throw Stopped{};
        return;
    }
    const Choice choice = use_strong_branching_ && all.size() > 1 ? choose(node, master, all) : all.front();
    for (const bool is_above : {false, true}) {
        Node child = node;
        child.depth = node.depth + 1;
        if (choice.type < 0) {
            std::erase_if(child.routes, [&](int r) { return choice.excludes(is_above, pool_[at(r)]); });
        } else if (is_above) {
            child.fleet.lower[at(choice.type)] = std::ceil(choice.value);
        } else {
            child.fleet.upper[at(choice.type)] = std::floor(choice.value);
        }
        waiting_.push_back(std::move(child));
    }
}

}  // namespace fripn::exact
