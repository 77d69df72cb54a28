#include "exact/dual_ascent.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Neighbours = std::vector<std::vector<int>>;

// Loads are counted in a few steps first, where hundreds of subgradient steps take seconds, and in the end as finely as an
// evaluation over all arcs stays affordable.
std::vector<int> capacities_of_levels(int num_customers) {
    constexpr double most_steps = 3e9;
    const double n = num_customers;
    const int finest = static_cast<int>(std::clamp(most_steps / (n * n), 500.0, 5'000.0));
    std::vector<int> levels;
    for (int capacity = 125; capacity < finest; capacity *= 4) levels.push_back(capacity);
    levels.push_back(finest);
    return levels;
}

// The least of f[p] + g[p] for p < count, where paths with the same stop before the last do not go together, unless that is
// the depot. Written over lanes of its own so that the compiler makes vector instructions of it without changing sums.
template <class Real>
Real least_pair(const Real* f, const Real* second_f, const int* before_f, const Real* g, const Real* second_g, const int* before_g,
                std::size_t count) {
    constexpr std::size_t lanes = 16;
    constexpr Real none = std::numeric_limits<Real>::infinity();
    std::array<Real, lanes> best;
    best.fill(none);
    const auto pair = [&](std::size_t p) {
        const Real apart = f[p] + g[p];
        const Real one = second_f[p] + g[p], other = f[p] + second_g[p];
        const Real turned = one < other ? one : other;
        return before_f[p] == before_g[p] && before_f[p] != 0 ? turned : apart;
    };
    std::size_t p = 0;
    for (; p + lanes <= count; p += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const Real value = pair(p + l);
            best[l] = value < best[l] ? value : best[l];
        }
    for (; p < count; ++p) best[0] = std::min(best[0], pair(p));
    return *std::min_element(best.begin(), best.end());
}

// Cheapest paths from the depot by load and last customer, and the cheapest with another stop before the last.
template <class Real>
class Paths {
public:
    static constexpr Real none = std::numeric_limits<Real>::infinity();

    // Over all arcs when `neighbours` is null.
    Paths(const Problem& problem, const TypeGroup& group, const std::vector<double>& penalties, const Neighbours* neighbours,
          const Watch& watch)
        : problem_(problem), stops_(problem.num_stops()), capacity_(group.capacity),
          first_(at(capacity_ + 1) * at(stops_), none), second_(first_), before_(first_.size(), -1), before_second_(before_) {
        const auto arc = [&](int i, int j) {
            return static_cast<Real>(group.unit_cost * problem.distance(i, j) - 0.5 * (penalties[at(i)] + penalties[at(j)]));
        };
        std::vector<Real> arcs;
        std::vector<std::size_t> start(1, 0);
        std::vector<int> from;
        for (int j = 0; j < stops_; ++j) {
            if (neighbours)
                for (const int i : (*neighbours)[at(j)]) {
                    from.push_back(i);
                    arcs.push_back(arc(i, j));
                }
            else
                for (int i = 0; i < stops_; ++i) arcs.push_back(i == j ? none : arc(i, j));
            start.push_back(arcs.size());
        }
        std::vector<Real> found(at(stops_));
        std::vector<char> has_paths(at(capacity_ + 1), 0);
        for (int q = 1; q <= capacity_; ++q) {
            watch.look();
            for (int j = 1; j < stops_; ++j) {
                const int rest = q - problem.demand(j);
                if (rest == 0) {
                    set(q, j, {arc(0, j), none, 0, -1});
                    has_paths[at(q)] = 1;
                }
                if (rest <= 0 || !has_paths[at(rest)]) continue;
                const Best best = neighbours ? among(rest, j, &from[start[at(j)]], &arcs[start[at(j)]], start[at(j) + 1] - start[at(j)])
                                             : among_all(rest, j, &arcs[start[at(j)]], found);
                if (!(best.first < none)) continue;
                set(q, j, best);
                has_paths[at(q)] = 1;
            }
        }
        turn();
    }

    // The least cost of a route through a customer with this total load.
    [[nodiscard]] Real through(int i, int total) const {
        const int sum = total + problem_.demand(i);
        const int low = std::max(problem_.demand(i), sum - capacity_), high = sum / 2;
        if (low > high) return none;
        // Loads q from the one side and sum - q from the other, whose figures are stored in reverse order.
        const std::size_t a = by_customer(i, low), b = by_customer(i, capacity_ - (sum - low));
        return least_pair(&first_[a], &second_[a], &before_[a], &reversed_first_[b], &reversed_second_[b], &reversed_before_[b],
                          at(high - low + 1));
    }

    // Customers of a route through `i` of this total load and cost.
    [[nodiscard]] std::vector<int> route(int i, int total, Real cost) const {
        const int sum = total + problem_.demand(i);
        for (int q = std::max(problem_.demand(i), sum - capacity_); 2 * q <= sum; ++q) {
            const std::size_t a = by_customer(i, q), b = by_customer(i, sum - q);
            std::vector<int> customers;
            const auto joined = [&](bool is_second, bool other_is_second) {
                trace(q, i, is_second, customers);
                std::reverse(customers.begin(), customers.end());
                customers.push_back(i);
                trace(sum - q, i, other_is_second, customers);
                return customers;
            };
            if (before_[a] == before_[b] && before_[a] != 0) {
                if (second_[a] + first_[b] == cost) return joined(true, false);
                if (first_[a] + second_[b] == cost) return joined(false, true);
            } else if (first_[a] + first_[b] == cost) {
                return joined(false, false);
            }
        }
        return {i};
    }

private:
    struct Best {
        Real first, second;
        int before, before_second;
    };

    // The stops before the last of a path, from the end on.
    void trace(int q, int i, bool is_second, std::vector<int>& customers) const {
        for (;;) {
            const std::size_t a = by_customer(i, q);
            const int before = is_second ? before_second_[a] : before_[a];
            if (before <= 0) return;
            customers.push_back(before);
            q -= problem_.demand(i);
            is_second = before_[by_customer(before, q)] == i;
            i = before;
        }
    }

    [[nodiscard]] Best among(int rest, int j, const int* from, const Real* arcs, std::size_t count) const {
        const Real* first = &first_[at(rest) * at(stops_)];
        const Real* second = &second_[at(rest) * at(stops_)];
        const int* before = &before_[at(rest) * at(stops_)];
        Best best{none, none, -1, -1};
        for (std::size_t n = 0; n < count; ++n) {
            const int i = from[n];
            const Real cost = (before[i] == j ? second[i] : first[i]) + arcs[n];
            if (!(cost < best.second)) continue;
            if (cost < best.first) best = {cost, best.first, i, best.before};
            else best = {best.first, cost, best.before, i};
        }
        return best;
    }

    [[nodiscard]] Best among_all(int rest, int j, const Real* arcs, std::vector<Real>& found) const {
        const Real* first = &first_[at(rest) * at(stops_)];
        const Real* second = &second_[at(rest) * at(stops_)];
        const int* before = &before_[at(rest) * at(stops_)];
        for (int i = 1; i < stops_; ++i) found[at(i)] = (before[i] == j ? second[i] : first[i]) + arcs[i];
        const auto take_least = [&](Real& cost, int& place) {
            const auto least = std::min_element(found.begin() + 1, found.end());
            cost = *least;
            place = cost < none ? static_cast<int>(least - found.begin()) : -1;
            *least = none;
        };
        Best best{};
        take_least(best.first, best.before);
        take_least(best.second, best.before_second);
        return best;
    }

    void set(int q, int j, const Best& best) {
        const std::size_t a = at(q) * at(stops_) + at(j);
        first_[a] = best.first;
        second_[a] = best.second;
        before_[a] = best.before;
        before_second_[a] = best.before_second;
    }

    // From one row per load to one row per customer, and the same in reverse order of the loads.
    void turn() {
        const auto turned = [&](const auto& rows) {
            std::remove_cvref_t<decltype(rows)> columns(rows.size());
            for (int q = 0; q <= capacity_; ++q)
                for (int i = 0; i < stops_; ++i) columns[by_customer(i, q)] = rows[at(q) * at(stops_) + at(i)];
            return columns;
        };
        first_ = turned(first_);
        second_ = turned(second_);
        before_ = turned(before_);
        before_second_ = turned(before_second_);
        reversed_first_ = first_;
        reversed_second_ = second_;
        reversed_before_ = before_;
        for (int i = 0; i < stops_; ++i) {
            const auto reverse = [&](auto& columns) {
                std::reverse(columns.begin() + static_cast<std::ptrdiff_t>(by_customer(i, 0)),
                             columns.begin() + static_cast<std::ptrdiff_t>(by_customer(i, capacity_) + 1));
            };
            reverse(reversed_first_);
            reverse(reversed_second_);
            reverse(reversed_before_);
        }
    }

    [[nodiscard]] std::size_t by_customer(int i, int q) const { return at(i) * at(capacity_ + 1) + at(q); }

    const Problem& problem_;
    const int stops_, capacity_;
    std::vector<Real> first_, second_, reversed_first_, reversed_second_;
    std::vector<int> before_, before_second_, reversed_before_;
};

// What the cheapest route through a customer gives it to bear.
struct Share {
    double value = std::numeric_limits<double>::infinity();
    double weight = 0.0;               // share of the route
    int type = -1;
    std::vector<int> route;
};

}  // namespace

DualAscent::DualAscent(const Problem& problem, int num_threads)
    : problem_(problem), num_threads_(num_threads),
      penalties_{std::vector<double>(at(problem.num_stops()), 0.0), std::vector<double>(at(problem.num_types()), 0.0)} {
    constexpr std::size_t nearest = 32;
    const std::size_t most = std::min(nearest, at(problem.num_customers() - 1));
    neighbours_.resize(at(problem.num_stops()));
    for (int j = 1; j < problem.num_stops(); ++j) {
        std::vector<int>& near = neighbours_[at(j)];
        for (int i = 1; i < problem.num_stops(); ++i)
            if (i != j) near.push_back(i);
        std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(most), near.end(), [&](int a, int b) {
            return std::pair(problem.distance(a, j), a) < std::pair(problem.distance(b, j), b);
        });
        near.resize(most);
        std::sort(near.begin(), near.end());
    }
}

template <class Real>
double DualAscent::evaluate(const Problem& problem, const Penalties& penalties, const Neighbours* neighbours, Use& use,
                            const Watch& watch) const {
    const int stops = problem.num_stops();
    const int num_groups = static_cast<int>(problem.groups().size());
    std::vector<std::vector<Share>> shares(at(num_groups));
    std::vector<std::exception_ptr> failures(at(num_groups));
    std::atomic<int> next{0};
    const auto share_of_group = [&](int g) {
        const TypeGroup& group = problem.groups()[at(g)];
        std::vector<double> fixed(at(group.capacity + 1), std::numeric_limits<double>::infinity());
        std::vector<int> type(fixed.size(), -1);
        for (const int k : group.types)
            for (int q = 1; q <= problem.type(k).capacity; ++q)
                if (const double cost = problem.type(k).fixed_cost + penalties.types[at(k)]; cost < fixed[at(q)]) {
                    fixed[at(q)] = cost;
                    type[at(q)] = k;
                }
        const Paths<Real> paths(problem, group, penalties.customers, neighbours, watch);
        shares[at(g)].resize(at(stops));
        for (int i = 1; i < stops; ++i) {
            watch.look();
            Share& share = shares[at(g)][at(i)];
            int load = 0;
            Real cost = 0;
            for (int q = problem.demand(i); q <= group.capacity; ++q) {
                const Real through = paths.through(i, q);
                const double value = (fixed[at(q)] + static_cast<double>(through)) * problem.demand(i) / q;
                if (!(value < share.value)) continue;
                share.value = value;
                load = q;
                cost = through;
            }
            if (load == 0) continue;
            share.weight = static_cast<double>(problem.demand(i)) / load;
            share.type = type[at(load)];
            share.route = paths.route(i, load, cost);
        }
    };
    const auto work = [&] {
        for (int g = next++; g < num_groups; g = next++) {
            try {
                share_of_group(g);
            } catch (...) {
                failures[at(g)] = std::current_exception();
            }
        }
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < std::min(num_threads_, num_groups); ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    use.customers.assign(at(stops), 0.0);
    use.types.assign(at(problem.num_types()), 0.0);
    use.routes.clear();
    double bound = 0.0, size = 0.0;
    for (int i = 1; i < stops; ++i) {
        Share* least = &shares[0][at(i)];
        for (std::vector<Share>& group : shares)
            if (group[at(i)].value < least->value) least = &group[at(i)];
        bound += least->value + penalties.customers[at(i)];
        size += std::abs(least->value) + std::abs(penalties.customers[at(i)]);
        if (least->type < 0) continue;  // no vehicle can serve it
        for (const int c : least->route) use.customers[at(c)] += least->weight;
        use.types[at(least->type)] += least->weight;
        use.routes.push_back(std::move(least->route));
    }
    for (int k = 0; k < problem.num_types(); ++k) {
        const double paid = penalties.types[at(k)] * problem.type(k).available;
        bound -= paid;
        size += paid;
    }
    return bound - 1e-9 * size;
}

double DualAscent::bound(const Problem& problem, const Watch& watch) {
    Use use;
    const double bound = evaluate<double>(problem, penalties_, nullptr, use, watch);
    const auto join = [&](int i, int j) {
        std::vector<int>& near = neighbours_[at(j)];
        const auto place = std::lower_bound(near.begin(), near.end(), i);
        if (place == near.end() || *place != i) near.insert(place, i);
    };
    for (const std::vector<int>& route : use.routes)
        for (std::size_t p = 1; p < route.size(); ++p) {
            join(route[p - 1], route[p]);
            join(route[p], route[p - 1]);
        }
    return bound;
}

void DualAscent::run(double best_cost, double seconds, const std::function<void(double bound)>& on_bound, const Watch& watch) {
    const double end = watch.seconds() + seconds;
    const std::vector<int> capacities = capacities_of_levels(problem_.num_customers());
    double seconds_per_unit = 0.0;     // that an evaluation over all arcs takes for a unit of capacity
    for (const int capacity : capacities) {
        const Problem problem = problem_.rescaled(capacity);
        int largest = 0;
        for (const TypeGroup& group : problem.groups()) largest = std::max(largest, group.capacity);
        const bool is_last = capacity == capacities.back() || problem.has_exact_loads();
        const double reserve = seconds_per_unit * largest;
        const double left = end - watch.seconds() - reserve;
        if (left <= 0.0) return;
        climb(problem, best_cost, watch.seconds() + (is_last ? left : 0.4 * left), watch);
        const double begin = watch.seconds();
        on_bound(bound(problem, watch));
        seconds_per_unit = (watch.seconds() - begin) / std::max(largest, 1);
        if (is_last) return;
    }
}

void DualAscent::climb(const Problem& problem, double best_cost, double end, const Watch& watch) {
    constexpr int patience = 10;
    constexpr int max_steps = 4000;
    constexpr double worthwhile = 1e-4;        // of the estimate
    constexpr double memory = 0.6;             // of the direction of the steps before
    const std::size_t stops = penalties_.customers.size(), types = penalties_.types.size();
    Penalties trial = penalties_;
    Penalties direction{std::vector<double>(stops, 0.0), std::vector<double>(types, 0.0)};
    Use use;
    double best = -std::numeric_limits<double>::infinity();
    double step = 1.0;
    int fruitless = 0;
    for (int i = 0; i < max_steps && watch.seconds() < end && step > 0.004; ++i) {
        const double estimate = evaluate<float>(problem, trial, &neighbours_, use, watch);
        if (estimate > best) {
            if (estimate > best + worthwhile * std::abs(estimate)) fruitless = 0;
            best = estimate;
            penalties_ = trial;
        }
        if (++fruitless > patience) {
            step *= 0.5;
            fruitless = 0;
            trial = penalties_;
            direction.customers.assign(stops, 0.0);
            direction.types.assign(types, 0.0);
        }
        double norm = 0.0;
        for (std::size_t c = 1; c < stops; ++c) {
            direction.customers[c] = memory * direction.customers[c] + (1.0 - use.customers[c]);
            norm += (1.0 - use.customers[c]) * (1.0 - use.customers[c]);
        }
        for (std::size_t k = 0; k < types; ++k) {
            const Type& type = problem.type(static_cast<int>(k));
            const double excess = type.available < problem.num_customers() ? use.types[k] - type.available : 0.0;
            direction.types[k] = memory * direction.types[k] + excess;
            if (excess > 0.0 || trial.types[k] > 0.0) norm += excess * excess;
        }
        if (norm < 1e-9 || estimate >= best_cost) return;
        const double length = (1.0 - memory) * step * (best_cost - estimate) / norm;
        for (std::size_t c = 1; c < stops; ++c) trial.customers[c] += length * direction.customers[c];
        for (std::size_t k = 0; k < types; ++k) trial.types[k] = std::max(0.0, trial.types[k] + length * direction.types[k]);
    }
}

}  // namespace fripn::exact
