#include "exact/solver.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

#include "cost.h"
#include "customer_sets.h"
#include "exact/capacity_cuts.h"
#include "exact/dual_ascent.h"
#include "exact/fleet_cuts.h"
#include "exact/partition.h"
#include "exact/subset_cuts.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double integrality = 1e-6;

}  // namespace

Solver::Solver(const Problem& problem, const LpSolver& lp, const Settings& settings, const Watch& watch, Events events)
    : problem_(problem), lp_(lp), settings_(settings), watch_(watch), events_(std::move(events)),
      ng_sets_(problem, settings.ng_size), trips_(cheapest_trips(problem)), arcs_(problem) {}

double Solver::target() const { return upper_ - std::max(relative_tolerance, settings_.gap) * std::abs(upper_); }

void Solver::set_bound(double bound) {
    bound = std::min(bound, upper_);
    if (bound <= lower_) return;
    lower_ = bound;
    if (events_.on_bound) events_.on_bound(lower_);
}

void Solver::read_known_cost() {
    if (events_.known_cost) upper_ = std::min(upper_, events_.known_cost());
}

void Solver::offer(const std::vector<Column>& plan) {
    double cost = 0.0;
    for (const Column& route : plan) cost += route.cost;
    if (!(cost < upper_)) return;
    upper_ = cost;
    outcome_.plan = plan;
    outcome_.plan_cost = cost;
    if (events_.on_plan) events_.on_plan(cost, plan);
}

std::vector<char> Solver::open_types(const Node& node) const {
    std::vector<char> is_open;
    for (int k = 0; k < problem_.num_types(); ++k) is_open.push_back(node.fleet.is_open(k));
    return is_open;
}

ArcSet Solver::arcs_of(const Node& node) const {
    ArcSet arcs = arcs_;
    for (const ArcRow& row : node.rows)
        if (row.upper == 0.0)
            for (const auto& [i, j] : row.arcs)
                for (int g = 0; g < static_cast<int>(problem_.groups().size()); ++g) arcs.remove(g, i, j);
    return arcs;
}

double Solver::pricing_tolerance() const {
    const double route_scale = std::max(1e-9, *std::min_element(trips_.begin(), trips_.end()));
    return 1e-8 * std::max(route_scale, 1e-6 * std::abs(upper_ < infinity ? upper_ : route_scale));
}

Solver::Bounded Solver::generate(const Node& node, const ArcSet& arcs) {
    const std::vector<char> is_open = open_types(node);
    PricingSettings pricing;
    pricing.num_threads = settings_.num_threads;
    const double tolerance = pricing_tolerance();
    Bounded best{-infinity, {}};
    bool is_exact = false;
    bool was_smooth_in_vain = false;
    std::vector<double> center;
    double artificial = upper_ < infinity ? std::max(upper_, 1.0) : 0.0;
    int raises = 0;
    for (;;) {
        const LpStatus status = master_->solve(watch_);
        if (status == LpStatus::infeasible) return {infinity, {}};
        if (status == LpStatus::failed) throw LpFailed{};
        // Exact pricing halfway to the dual values of the best bound gives better bounds, and fewer rounds in the end.
        const bool is_smooth = is_exact && settings_.smoothing && !center.empty() && !was_smooth_in_vain;
        std::vector<double> duals = master_->duals();
        if (is_smooth)
            for (std::size_t r = 0; r < duals.size(); ++r) duals[r] = 0.5 * (duals[r] + center[r]);
        const DualPoint point = master_->dual_point(duals);
        const Effort effort = is_exact ? Effort::exact : Effort::relaxed_dominance;
        PricingOutcome priced =
            price(problem_, ng_sets_, arcs, point.prices, is_open, effort, tolerance, pricing, watch_);
        ++outcome_.statistics.rounds;
        if (is_exact) {
            ++outcome_.statistics.exact_rounds;
            Evidence evidence{point, priced.least};
            const double bound = lagrangean_bound(problem_, node.fleet, evidence, trips_, upper_);
            if (bound > best.bound || best.evidence.least.empty()) {
                best = {bound, std::move(evidence)};
                center = duals;
            }
            set_bound(std::min(open_bound_, std::max(node.bound, best.bound)));
            read_known_cost();
            if (is_closed(best.bound)) return best;
        }
        if (is_smooth) {
            // Columns that the linear program itself would not take would bring it no further.
            const Prices prices = master_->dual_point().prices;
            std::erase_if(priced.columns, [&](const Column& column) {
                return reduced_cost(problem_, prices, column.type, column.customers) >= -tolerance;
            });
        }
        const int added = master_->add_columns(priced.columns);
        outcome_.statistics.columns += added;
        was_smooth_in_vain = is_smooth && added == 0;
        if (added > 0) {
            is_exact = false;
            continue;
        }
        if (is_smooth) continue;
        if (!is_exact) {
            is_exact = true;
            continue;
        }
        if (master_->artificial_value() > integrality && raises < 8) {
            artificial = std::max(10.0 * artificial, 1.0);
            master_->set_artificial_cost(artificial);
            ++raises;
            is_exact = false;
            continue;
        }
        if (master_->artificial_value() > integrality) best.bound = infinity;
        return best;
    }
}

bool Solver::separate_fleet() {
    if (!settings_.fleet_cuts) return false;
    std::vector<double> fleet;
    for (int k = 0; k < problem_.num_types(); ++k) fleet.push_back(master_->fleet_value(k));
    const auto cut = separate_fleet_cut(problem_, lp_, fleet_, fleet, 1e-6, watch_);
    if (!cut) return false;
    master_->add_fleet_cut(*cut);
    ++outcome_.statistics.fleet_cuts;
    return true;
}

bool Solver::separate(bool with_subset_cuts) {
    constexpr int most_in_labels = 200;
    master_->drop_idle_cuts();
    std::vector<WeightedRoute> solution;
    master_->for_each_used([&](const Column& column, double value) { solution.push_back({&column, value}); });
    bool is_cut = false;
    if (settings_.capacity_cuts) {
        const std::vector<CapacityCut> cuts =
            separate_capacity_cuts(problem_, fleet_, solution, master_->fleet_cuts(), {}, watch_);
        master_->add_capacity_cuts(cuts);
        outcome_.statistics.capacity_cuts += static_cast<int>(cuts.size());
        is_cut = !cuts.empty();
    }
    const int room = most_in_labels - static_cast<int>(master_->subset_cuts().size());
    if (settings_.subset_cuts && (with_subset_cuts || !is_cut) && room > 0) {
        SubsetSeparation separation;
        separation.max_cuts = std::min(separation.max_cuts, room);
        separation.use_five_rows = false;
        const std::vector<SubsetCut> cuts = separate_subset_cuts(problem_, solution, separation);
        master_->add_subset_cuts(cuts);
        outcome_.statistics.subset_cuts += static_cast<int>(cuts.size());
        is_cut = is_cut || !cuts.empty();
    }
    return is_cut;
}

void Solver::offer_plan_of_master() {
    std::vector<Column> plan = plan_of(problem_, *master_);
    if (!plan.empty()) offer(plan);
}

bool Solver::enumerate(const Node& node, ArcSet& arcs, const Evidence& evidence, std::vector<Column>& pool) {
    const std::vector<char> is_open = open_types(node);
    const std::vector<double> limits = route_limits(problem_, node.fleet, evidence, upper_);
    EnumerationLimits most{settings_.max_labels, settings_.max_routes};
    bool is_complete = settings_.enumeration;
    for (int g = 0; g < static_cast<int>(problem_.groups().size()); ++g) {
        const std::vector<int>& types = problem_.groups()[at(g)].types;
        if (std::none_of(types.begin(), types.end(), [&](int k) { return is_open[at(k)] != 0; })) continue;
        const Completion completion(problem_, ng_sets_, arcs, evidence.point.prices, g, is_open, watch_);
        if (settings_.fixing) {
            fix_arcs(problem_, completion, g, evidence.point.prices, limits, arcs);
            if (node.depth == 0) arcs_ = arcs;
        }
        if (!is_complete) continue;
        Enumeration found =
            enumerate_routes(problem_, completion, g, evidence.point.prices, is_open, limits, most, watch_);
        is_complete = found.is_complete;
        for (Column& route : found.routes) pool.push_back(std::move(route));
        most.routes -= std::min(most.routes, found.routes.size());
    }
    if (!is_complete) pool.clear();
    return is_complete;
}

void Solver::search_pool(Node& node, std::vector<Column> pool) {
    outcome_.statistics.enumerated += pool.size();
    if (node.depth == 0) {
        std::vector<char> is_free;
        for (const Type& type : problem_.types()) is_free.push_back(type.available >= problem_.num_customers());
        drop_dominated(problem_, is_free, pool);
    }
    PoolSearch::Events events;
    events.on_bound = [&](double bound) {
        read_known_cost();
        set_bound(std::min(open_bound_, std::max(node.bound, bound)));
    };
    events.on_plan = [&](const std::vector<Column>& plan) { offer(plan); };
    events.best_cost = [&] { return upper_; };
    PoolSearch search(problem_, lp_, settings_.subset_cuts, settings_.fleet_cuts, settings_.strong_branching, watch_,
                      std::move(events));
    const bool is_done = search.run(std::move(pool), node.fleet, master_->fleet_cuts(), master_->capacity_cuts(), node.bound,
                                    [&] { return target(); });
    outcome_.statistics.subset_cuts += search.statistics().subset_cuts;
    outcome_.statistics.fleet_cuts += search.statistics().fleet_cuts;
    outcome_.statistics.integer_programs += search.statistics().integer_programs;
    outcome_.statistics.pool_nodes += search.statistics().nodes;
    if (!is_done) throw LpFailed{};
    // All plans of the node that cost less than the best one are choices of these routes.
    node.bound = std::max(node.bound, upper_);
}

void Solver::process(Node& node) {
    constexpr int max_fleet_rounds = 60;
    constexpr int max_capacity_rounds = 20;
    constexpr int max_subset_rounds = 40;
    constexpr std::size_t quick_pool = 20'000;  // routes: the search among more takes longer than `divide_sets`
    ++outcome_.statistics.nodes;
    load(node);
    ArcSet arcs = arcs_of(node);
    double tried_gap = infinity;
    int fleet_rounds = 0;
    int capacity_rounds = 0;
    bool has_looked = false;
    // Capacity cuts alone as long as they help.
    bool with_subset_cuts = !settings_.capacity_cuts;
    for (int round = 0;; ++round) {
        const Bounded bounded = generate(node, arcs);
        const double before = node.bound;
        node.bound = std::max(node.bound, bounded.bound);
        set_bound(std::min(open_bound_, node.bound));
        if (is_closed(node.bound)) return;
        offer_plan_of_master();
        if (is_closed(node.bound)) return;
        if (fleet_rounds < max_fleet_rounds && separate_fleet()) {
            ++fleet_rounds;
            --round;
            continue;
        }
        if (node.depth == 0 && round == 0) outcome_.statistics.root_bound = node.bound;
        if (settings_.fixing && upper_ < infinity) {
            tighten(problem_, bounded.evidence, upper_, node.fleet);
            for (int k = 0; k < problem_.num_types(); ++k)
                master_->set_fleet_bounds(k, node.fleet.lower[at(k)], node.fleet.upper[at(k)]);
            if (node.depth == 0) fleet_ = node.fleet;
        }
        const double gap = upper_ - node.bound;
        if ((settings_.enumeration || settings_.fixing) && upper_ < infinity && gap < 0.8 * tried_gap) {
            tried_gap = gap;
            std::vector<Column> pool;
            const bool is_complete = enumerate(node, arcs, bounded.evidence, pool);
            const bool is_quick = is_complete && pool.size() <= quick_pool;
            if (is_complete && (is_quick || node.depth > 0 || !can_divide_sets())) {
                if (outcome_.proof < Proof::enumeration) outcome_.proof = Proof::enumeration;
                search_pool(node, std::move(pool));
                return;
            }
        }
        if (node.depth == 0 && can_divide_sets()) {
            divide_sets(node);
            return;
        }
        const bool is_slow = node.bound - before < 0.01 * gap;
        if (capacity_rounds >= max_capacity_rounds || (capacity_rounds > 0 && is_slow)) with_subset_cuts = true;
        bool is_cut = false;
        if (!with_subset_cuts) {
            ++capacity_rounds;
            --round;
            is_cut = separate(false);
        } else if (round < max_subset_rounds && !(round > 2 && is_slow)) {
            is_cut = separate(true);
        }
        if (is_cut) continue;
        // A better plan may make an enumeration possible: at the root, and now and then in the tree.
        if (std::exchange(has_looked, true) || !std::has_single_bit(static_cast<unsigned>(outcome_.statistics.nodes))) break;
        look_for_plan(bounded.evidence.point);
        if (is_closed(node.bound)) return;
        if (!(upper_ - node.bound < 0.8 * tried_gap)) break;
    }
    if (settings_.branching) branch(node);
}

bool Solver::can_divide_sets() const {
    constexpr int most_customers = 20;  // take 200 MB and some seconds
    return settings_.customer_sets && problem_.num_customers() <= most_customers &&
           std::all_of(problem_.types().begin(), problem_.types().end(),
                       [&](const Type& type) { return type.available >= problem_.num_customers(); });
}

void Solver::divide_sets(Node& root) {
    using customer_sets::Set;
    const auto check = [&] { watch_.look(); };
    int largest = 0;
    for (const Type& type : problem_.types()) largest = std::max(largest, type.capacity);
    const customer_sets::Tours tours(problem_, largest, check);
    std::vector<double> route_costs(tours.num_sets(), infinity);
    std::vector<std::uint8_t> types(tours.num_sets(), 0);
    for (Set set = 1; set < tours.num_sets(); ++set) {
        if (set % 4096 == 0) check();
        if (tours.load(set) > largest) continue;
        const double length = tours.length(set);
        for (int k = 0; k < problem_.num_types(); ++k) {
            const Type& type = problem_.type(k);
            const double cost = type.fixed_cost + type.unit_cost * length;
            if (tours.load(set) > type.capacity || cost >= route_costs[set]) continue;
            route_costs[set] = cost;
            types[set] = static_cast<std::uint8_t>(k);
        }
    }
    std::vector<Column> plan;
    double cost = 0.0;
    bool fits = true;
    for (const Set set : customer_sets::cheapest_division(route_costs, check)) {
        plan.push_back({types[set], route_costs[set], tours.customers(set)});
        cost += route_costs[set];
        fits = fits && problem_.fits(types[set], plan.back().customers);
    }
    outcome_.proof = Proof::customer_sets;
    if (plan.empty()) {
        root.bound = infinity;
        return;
    }
    if (fits) offer(plan);
    // Rounded loads may let more customers into a vehicle than it can carry: then this is a bound, and no more.
    root.bound = std::max(root.bound, fits ? upper_ : cost * (1.0 - 1e-9));
    set_bound(std::min(open_bound_, root.bound));
    if (!is_closed(root.bound) && settings_.branching) branch(root);
}

void Solver::load(const Node& node) {
    for (int k = 0; k < problem_.num_types(); ++k)
        master_->set_fleet_bounds(k, node.fleet.lower[at(k)], node.fleet.upper[at(k)]);
    master_->set_arc_rows(node.rows);
}

void Solver::branch(Node& node) {
    constexpr std::size_t most_candidates = 10;
    outcome_.proof = Proof::branching;
    const std::vector<BranchCandidate> candidates = branch_candidates(problem_, *master_, most_candidates);
    if (candidates.empty()) return;  // nothing decides: the bound of the node stands
    const BranchCandidate chosen =
        settings_.strong_branching && candidates.size() > 1 ? choose_branch(node, candidates) : candidates.front();
    for (const bool is_above : {false, true}) {
        Node child = node;
        child.depth = node.depth + 1;
        restrict_to_side(chosen, is_above, child.fleet, child.rows);
        waiting_.push_back(std::move(child));
    }
    node.bound = infinity;
}

BranchCandidate Solver::choose_branch(const Node& node, std::vector<BranchCandidate> candidates) {
    // All candidates over the columns there are; the best of them again with new columns.
    constexpr int pricing_rounds[] = {0, 3};
    constexpr std::size_t kept = 3;
    const double gap = upper_ < infinity ? std::max(upper_ - node.bound, 1e-9 * std::abs(upper_))
                                         : std::max(1.0, std::abs(node.bound));
    for (const int rounds : pricing_rounds) {
        std::vector<std::pair<double, BranchCandidate>> scored;
        for (BranchCandidate& candidate : candidates) {
            double score = 1.0;
            for (const bool is_above : {false, true}) {
                Node side = node;
                restrict_to_side(candidate, is_above, side.fleet, side.rows);
                const double gain = std::min((estimate(side, rounds) - node.bound) / gap, 1.0);
                score *= std::max(gain, 1e-6);
            }
            scored.emplace_back(score, std::move(candidate));
        }
        std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        if (scored.size() > kept) scored.resize(kept);
        candidates.clear();
        for (auto& [score, candidate] : scored) candidates.push_back(std::move(candidate));
    }
    return candidates.front();
}

double Solver::estimate(const Node& node, int rounds) {
    load(node);
    const ArcSet arcs = arcs_of(node);
    const std::vector<char> is_open = open_types(node);
    PricingSettings pricing;
    pricing.num_threads = settings_.num_threads;
    for (;; --rounds) {
        const double value = master_->value(watch_);
        if (rounds == 0 || std::isinf(value)) return value;
        const PricingOutcome priced = price(problem_, ng_sets_, arcs, master_->dual_point().prices, is_open,
                                            Effort::relaxed_dominance, pricing_tolerance(), pricing, watch_);
        const int added = master_->add_columns(priced.columns);
        outcome_.statistics.columns += added;
        if (added == 0) return value;
    }
}

void Solver::look_for_plan(const DualPoint& point) {
    constexpr std::size_t most_routes = 2000;
    constexpr double share_of_time = 0.1;
    std::vector<std::pair<double, const Column*>> routes;
    std::vector<char> is_visited(at(problem_.num_stops()), 0);
    for (const Column& column : master_->columns()) {
        if (column.type < 0 || !fleet_.is_open(column.type)) continue;
        bool is_elementary = true;
        for (const int i : column.customers) is_elementary = !std::exchange(is_visited[at(i)], 1) && is_elementary;
        for (const int i : column.customers) is_visited[at(i)] = 0;
        if (is_elementary && problem_.fits(column.type, column.customers))
            routes.emplace_back(reduced_cost(problem_, point.prices, column.type, column.customers), &column);
    }
    std::sort(routes.begin(), routes.end());
    if (routes.size() > most_routes) routes.resize(most_routes);
    std::vector<const Column*> chosen;
    for (const auto& [reduced, route] : routes) chosen.push_back(route);
    ++outcome_.statistics.integer_programs;
    FleetBounds fleet;
    for (const Type& type : problem_.types()) {
        fleet.lower.push_back(0.0);
        fleet.upper.push_back(type.available);
    }
    const Partition found = cheapest_partition(problem_, lp_, chosen, fleet, {}, Cover::at_least_once, upper_,
                                               std::max(1.0, share_of_time * watch_.seconds()), watch_);
    if (!found.plan.empty()) offer(found.plan);
    watch_.look();
}

void Solver::ascend(const std::vector<Column>& routes) {
    // Column generation, which would prove more, comes to its end in minutes only while there are some hundred customers,
    // and soon where routes are short.
    constexpr int many_customers = 400;
    constexpr std::size_t short_route = 8;
    std::size_t visits = 0;
    for (const Column& route : routes) visits += route.customers.size();
    const bool has_short_routes = visits <= short_route * routes.size();
    const double share_of_time = problem_.num_customers() >= many_customers ? 0.9 : has_short_routes ? 0.02 : 0.4;
    constexpr double most_seconds = 300.0;
    DualAscent ascent(problem_, settings_.num_threads);
    for (const Column& route : routes) {
        const std::vector<int>& customers = route.customers;
        for (std::size_t p = 0; p < customers.size(); ++p) {
            const double before = p == 0 ? 0.0 : problem_.distance(customers[p - 1], customers[p]);
            const double after = p + 1 == customers.size() ? 0.0 : problem_.distance(customers[p], customers[p + 1]);
            ascent.start_from(customers[p], 0.5 * problem_.type(route.type).unit_cost * (before + after));
        }
    }
    const auto tell = [&](double bound) {
        read_known_cost();
        set_bound(bound);
    };
    ascent.run(upper_, std::min(most_seconds, share_of_time * watch_.seconds_left()), tell, watch_);
}

Outcome Solver::run(double plan_cost, const std::vector<Column>& routes) {
    upper_ = plan_cost;
    outcome_ = {};
    outcome_.plan_cost = infinity;
    std::vector<int> capacities, most;
    fleet_ = {};
    for (int k = 0; k < problem_.num_types(); ++k) {
        const Type& type = problem_.type(k);
        capacities.push_back(type.capacity);
        most.push_back(type.available);
        fleet_.lower.push_back(0.0);
        double upper = type.available;
        if (upper_ < infinity && trips_[at(k)] > 0) upper = std::min(upper, std::floor(upper_ / trips_[at(k)] + 1e-6));
        fleet_.upper.push_back(upper);
    }
    lower_ = -infinity;
    open_bound_ = infinity;
    Node root{cheapest_fleet(trips_, capacities, most, problem_.total_demand()).price * (1.0 - 1e-9), 0, fleet_, {}};
    bool is_exhausted = true;
    double left_over = infinity;  // least bound of nodes that could not be decided
    try {
        set_bound(root.bound);
        std::vector<Column> first = routes;
        double total = 0.0;
        for (int i = 1; i < problem_.num_stops(); ++i) {
            Column cheapest{-1, infinity, {i}};
            for (int k = 0; k < problem_.num_types(); ++k) {
                if (problem_.demand(i) > problem_.type(k).capacity) continue;
                const double cost = problem_.route_cost(k, cheapest.customers);
                if (cost < cheapest.cost) {
                    cheapest.cost = cost;
                    cheapest.type = k;
                }
            }
            if (cheapest.type < 0) continue;
            total += cheapest.cost;
            first.push_back(cheapest);
        }
        if (settings_.dual_ascent && problem_.is_symmetric() && problem_.num_customers() >= settings_.dual_ascent_from &&
            upper_ < infinity)
            ascend(routes);
        root.bound = std::max(root.bound, lower_);
        master_ = std::make_unique<Master>(problem_, lp_, std::max(upper_ < infinity ? upper_ : 2.0 * total, 1.0));
        master_->add_columns(first);
        waiting_.assign(1, root);
        while (!waiting_.empty()) {
            const auto next = std::min_element(waiting_.begin(), waiting_.end(), [](const Node& a, const Node& b) {
                return a.bound != b.bound ? a.bound < b.bound : a.depth > b.depth;
            });
            Node node = std::move(*next);
            waiting_.erase(next);
            open_bound_ = left_over;
            for (const Node& other : waiting_) open_bound_ = std::min(open_bound_, other.bound);
            set_bound(std::min(open_bound_, node.bound));
            if (is_closed(lower_)) break;
            if (is_closed(node.bound)) continue;
            if (outcome_.statistics.nodes >= settings_.max_nodes) {
                left_over = std::min(left_over, node.bound);
                is_exhausted = false;
                break;
            }
            const bool is_root = node.depth == 0;
            process(node);
            if (!is_closed(node.bound)) left_over = std::min(left_over, node.bound);
            if (is_root && outcome_.proof == Proof::none) outcome_.proof = Proof::root;
        }
        if (is_exhausted && left_over == infinity && waiting_.empty()) {
            if (upper_ < infinity) set_bound(settings_.gap > relative_tolerance ? target() : upper_);
            else outcome_.is_infeasible = true;
        }
    } catch (const Stopped&) {
        outcome_.is_stopped = true;
    } catch (const LpFailed&) {
        outcome_.is_stopped = true;
        outcome_.failure = Failure::linear_program;
    } catch (const std::bad_alloc&) {
        outcome_.is_stopped = true;
        outcome_.failure = Failure::memory;
    }
    outcome_.lower_bound = lower_;
    outcome_.known_cost = upper_;
    outcome_.is_optimal = upper_ < infinity && lower_ >= upper_ - relative_tolerance * std::abs(upper_);
    if (!outcome_.is_optimal && !outcome_.is_infeasible) outcome_.proof = Proof::none;
    return outcome_;
}

}  // namespace fripn::exact
