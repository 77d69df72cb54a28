#include "exact/pricing.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "cost.h"

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Found {
    double reduced;
    int node, label;               // first part
    int other, other_label;        // second part, from the end of the route; -1 when there is none
};

// Joins the two halves of routes of one group.
class Joiner {
public:
    Joiner(const Problem& problem, const NgSets& ng_sets, const Prices& prices, const PricingSettings& settings,
           const std::vector<double>& arcs_into, const Labelling& forward, const Labelling& backward, const Watch& watch)
        : problem_(problem), ng_sets_(ng_sets), prices_(prices), settings_(settings), arcs_into_(arcs_into),
          forward_(forward), backward_(backward), watch_(watch), stops_(problem.num_stops()) {
        // Least cost of going on from a customer, by the load that is left.
        const int half = forward.half();
        reach_.assign(at(stops_) * at(half + 1), infinity);
        for (int w = 1; w < stops_; ++w)
            for (int j = 1; j < stops_; ++j) {
                const double arc = arcs_into[at(j) * at(stops_) + at(w)];
                if (j == w || !(arc < infinity)) continue;
                double* reach = &reach_[at(w) * at(half + 1)];
                for (int q = problem.demand(j); q <= half; ++q) reach[q] = std::min(reach[q], arc + backward.least(j, q));
            }
    }

    void operator()(int type, double tolerance, std::vector<Column>& columns, double& least) const {
        const int capacity = problem_.type(type).capacity;
        const double charge = prices_.types[at(type)];
        const int half = forward_.half();
        std::vector<Found> all;
        int joined = 0;
        for (int w = 1; w < stops_; ++w) {
            std::vector<Found> best;
            const auto offer = [&](const Found& found) {
                if (best.size() < at(settings_.max_columns_per_node)) {
                    best.push_back(found);
                } else {
                    auto worst = std::max_element(best.begin(), best.end(), [](const Found& a, const Found& b) {
                        return a.reduced < b.reduced;
                    });
                    if (found.reduced < worst->reduced) *worst = found;
                }
            };
            const double home = arcs_into_[at(w)];
            const std::vector<Label>& labels = forward_.labels(w);
            for (int l = 0; l < static_cast<int>(labels.size()) && labels[at(l)].load <= capacity; ++l) {
                const Label& label = labels[at(l)];
                const double closed = label.cost + home + charge;
                least = std::min(least, closed);
                if (closed < -tolerance) offer({closed, w, l, -1, -1});
                if (label.load <= half) continue;
                const int left = std::min(half, capacity - label.load);
                if (left <= 0) continue;
                const double bound = label.cost + charge + reach_[at(w) * at(half + 1) + at(left)];
                if (bound >= -tolerance) {
                    least = std::min(least, bound);
                    continue;
                }
                if (++joined % 256 == 0) watch_.look();
                for (int j = 1; j < stops_; ++j) join(w, l, j, left, charge, tolerance, least, offer);
            }
            all.insert(all.end(), best.begin(), best.end());
        }
        std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.reduced < b.reduced; });
        if (all.size() > at(settings_.max_columns)) all.resize(at(settings_.max_columns));
        for (const Found& found : all) {
            Column column{type, 0.0, forward_.path(found.node, found.label)};
            if (found.other >= 0) {
                const std::vector<int> rest = backward_.path(found.other, found.other_label);
                column.customers.insert(column.customers.end(), rest.rbegin(), rest.rend());
            }
            column.cost = problem_.route_cost(type, column.customers);
            columns.push_back(std::move(column));
        }
    }

private:
    template <class Offer>
    void join(int w, int l, int j, int left, double charge, double tolerance, double& least, const Offer& offer) const {
        const double arc = arcs_into_[at(j) * at(stops_) + at(w)];
        const Label& label = forward_.labels(w)[at(l)];
        if (j == w || !(arc < infinity) || (label.memory & ng_sets_.bit(w, j))) return;
        const double so_far = label.cost + arc + charge;
        if (so_far + backward_.least(j, left) >= -tolerance) {
            least = std::min(least, so_far + backward_.least(j, left));
            return;
        }
        const Memory carried = ng_sets_.carry(w, j)(label.memory);
        const std::vector<Label>& others = backward_.labels(j);
        double best = infinity;
        int best_label = -1;
        for (const int o : backward_.by_cost(j)) {
            const Label& other = others[at(o)];
            // Labels come cheapest first, and joining never costs less than nothing.
            if (so_far + other.cost >= best) break;
            if (other.load > left || (other.memory & carried)) continue;
            double reduced = so_far + other.cost;
            const int words = prices_.cuts.words;
            for (int word = 0; word < words; ++word)
                reduced += prices_.cuts.paid(forward_.states(w, l)[word] & backward_.states(j, o)[word], word);
            if (reduced < best) {
                best = reduced;
                best_label = o;
            }
            if (words == 0) break;
        }
        least = std::min(least, best);
        if (best < -tolerance) offer(Found{best, w, l, j, best_label});
    }

    const Problem& problem_;
    const NgSets& ng_sets_;
    const Prices& prices_;
    const PricingSettings& settings_;
    const std::vector<double>& arcs_into_;
    const Labelling& forward_;
    const Labelling& backward_;
    const Watch& watch_;
    const int stops_;
    std::vector<double> reach_;
};

struct GroupOutcome {
    std::vector<Column> columns;
    std::size_t num_labels = 0;
    std::exception_ptr failure;
};

}  // namespace

ArcSet::ArcSet(const Problem& problem)
    : stops_(at(problem.num_stops())), allowed_(problem.groups().size() * stops_ * stops_, 1) {
    for (int g = 0; g < static_cast<int>(problem.groups().size()); ++g)
        for (int i = 0; i < problem.num_stops(); ++i)
            for (int j = 0; j < problem.num_stops(); ++j)
                if (i == j || problem.demand(i) + problem.demand(j) > problem.groups()[at(g)].capacity) remove(g, i, j);
}

std::size_t ArcSet::size() const { return static_cast<std::size_t>(std::count(allowed_.begin(), allowed_.end(), 1)); }

std::vector<double> priced_arcs(const Problem& problem, const ArcSet& arcs, const Prices& prices, int group) {
    const int stops = problem.num_stops();
    const double unit_cost = problem.groups()[at(group)].unit_cost;
    std::vector<double> into(at(stops) * at(stops), infinity);
    for (int i = 0; i < stops; ++i)
        for (int j = 0; j < stops; ++j) {
            if (!arcs.has(group, i, j)) continue;
            double cost = unit_cost * problem.distance(i, j) - 0.5 * (prices.customers[at(i)] + prices.customers[at(j)]);
            if (!prices.arcs.empty()) cost -= prices.arcs[(at(group) * at(stops) + at(i)) * at(stops) + at(j)];
            into[at(j) * at(stops) + at(i)] = cost;
        }
    return into;
}

std::vector<double> reversed(const Problem& problem, const std::vector<double>& arcs_into) {
    const std::size_t stops = at(problem.num_stops());
    std::vector<double> turned(arcs_into.size());
    for (std::size_t i = 0; i < stops; ++i)
        for (std::size_t j = 0; j < stops; ++j) turned[i * stops + j] = arcs_into[j * stops + i];
    return turned;
}

PricingOutcome price(const Problem& problem, const NgSets& ng_sets, const ArcSet& arcs, const Prices& prices,
                     const std::vector<char>& is_open, Effort effort, double tolerance, const PricingSettings& settings,
                     const Watch& watch) {
    PricingOutcome outcome;
    outcome.least.assign(at(problem.num_types()), infinity);
    const int num_groups = static_cast<int>(problem.groups().size());
    std::vector<GroupOutcome> found(at(num_groups));
    const auto price_group = [&](int g) {
        int capacity = 0;
        for (const int k : problem.groups()[at(g)].types)
            if (is_open[at(k)]) capacity = std::max(capacity, problem.type(k).capacity);
        if (capacity == 0) return;
        const std::vector<double> into = priced_arcs(problem, arcs, prices, g);
        Labelling forward(problem, ng_sets, prices.cuts);
        forward.run(into, capacity, capacity / 2, effort == Effort::exact, watch);
        found[at(g)].num_labels = forward.num_labels();
        std::unique_ptr<Labelling> backward;
        if (!problem.is_symmetric()) {
            backward = std::make_unique<Labelling>(problem, ng_sets, prices.cuts);
            backward->run(reversed(problem, into), capacity, capacity / 2, effort == Effort::exact, watch);
            found[at(g)].num_labels += backward->num_labels();
        }
        const Joiner join(problem, ng_sets, prices, settings, into, forward, backward ? *backward : forward, watch);
        for (const int k : problem.groups()[at(g)].types)
            if (is_open[at(k)]) join(k, tolerance, found[at(g)].columns, outcome.least[at(k)]);
    };
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int g = next++; g < num_groups; g = next++) {
            try {
                price_group(g);
            } catch (...) {
                found[at(g)].failure = std::current_exception();
            }
        }
    };
    const int helpers = std::min(settings.num_threads, num_groups) - 1;
    std::vector<std::thread> threads;
    for (int t = 0; t < helpers; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (GroupOutcome& group : found) {
        if (group.failure) std::rethrow_exception(group.failure);
        outcome.num_labels += group.num_labels;
        for (Column& column : group.columns) outcome.columns.push_back(std::move(column));
    }
    return outcome;
}

double reduced_cost(const Problem& problem, const Prices& prices, int type, const std::vector<int>& customers) {
    const std::size_t stops = at(problem.num_stops());
    double cost = prices.types[at(type)] + problem.type(type).unit_cost * problem.route_length(customers);
    const std::size_t group = at(problem.group_of(type));
    int last = 0;
    for (std::size_t p = 0; p <= customers.size(); ++p) {
        const int next = p < customers.size() ? customers[p] : 0;
        if (!prices.arcs.empty()) cost -= prices.arcs[(group * stops + at(last)) * stops + at(next)];
        cost -= prices.customers[at(next)];
        last = next;
    }
    std::vector<std::uint64_t> state(at(prices.cuts.words), 0);
    for (const int c : customers)
        for (int w = 0; w < prices.cuts.words; ++w) {
            const std::size_t place = at(c) * at(prices.cuts.words) + at(w);
            const std::uint64_t held = state[at(w)] & prices.cuts.memory[place];
            cost += prices.cuts.paid(held & prices.cuts.member[place], w);
            state[at(w)] = held ^ prices.cuts.member[place];
        }
    return cost;
}

int cut_coefficient(const std::vector<char>& is_member, const std::vector<char>& is_memory, const std::vector<int>& customers) {
    int count = 0;
    bool is_odd = false;
    for (const int c : customers) {
        if (!is_memory[at(c)]) is_odd = false;
        if (!is_member[at(c)]) continue;
        if (is_odd) ++count;
        is_odd = !is_odd;
    }
    return count;
}

}  // namespace fripn::exact
