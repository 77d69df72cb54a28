#include "exact/dual_ascent.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

namespace fripn::exact {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Cheapest paths from the depot by load and last customer, and the cheapest with another stop before the last.
template <class Real>
class Paths {
public:
    static constexpr Real none = std::numeric_limits<Real>::infinity();

    Paths(const Problem& problem, const TypeGroup& group, const std::vector<double>& penalties, const Watch& watch)
        : problem_(problem), stops_(problem.num_stops()), capacity_(group.capacity),
          first_(at(capacity_ + 1) * at(stops_), none), second_(first_), before_(first_.size(), -1), before_second_(before_) {
        std::vector<Real> arcs(at(stops_) * at(stops_));
        for (int i = 0; i < stops_; ++i)
            for (int j = 0; j < stops_; ++j)
                arcs[at(j) * at(stops_) + at(i)] =
                    i == j ? none
                           : static_cast<Real>(group.unit_cost * problem.distance(i, j) - 0.5 * (penalties[at(i)] + penalties[at(j)]));
        std::vector<Real> found(at(stops_));
        std::vector<char> has_paths(at(capacity_ + 1), 0);
        for (int q = 1; q <= capacity_; ++q) {
            watch.look();
            for (int j = 1; j < stops_; ++j) {
                const int rest = q - problem.demand(j);
                if (rest == 0) {
                    set(q, j, arcs[at(j) * at(stops_)], 0);
                    has_paths[at(q)] = 1;
                }
                if (rest <= 0 || !has_paths[at(rest)]) continue;
                const Real* best = &first_[at(rest) * at(stops_)];
                const Real* other = &second_[at(rest) * at(stops_)];
                const int* before = &before_[at(rest) * at(stops_)];
                const Real* into = &arcs[at(j) * at(stops_)];
                Real least = none;
                for (int i = 1; i < stops_; ++i) {
                    found[at(i)] = (before[i] == j ? other[i] : best[i]) + into[i];
                    least = std::min(least, found[at(i)]);
                }
                if (!(least < none)) continue;
                int place = 1;
                while (found[at(place)] != least) ++place;
                set(q, j, least, place);
                has_paths[at(q)] = 1;
                found[at(place)] = none;
                Real next = none;
                for (int i = 1; i < stops_; ++i) next = std::min(next, found[at(i)]);
                if (!(next < none)) continue;
                place = 1;
                while (found[at(place)] != next) ++place;
                second_[index(q, j)] = next;
                before_second_[index(q, j)] = place;
            }
        }
    }

    struct Through {
        double cost;
        int load;       // of the first part
        bool is_second, other_is_second;
    };

    // The cheapest route through a customer with this total load.
    [[nodiscard]] Through through(int i, int total) const {
        Through best{std::numeric_limits<double>::infinity(), 0, false, false};
        const int sum = total + problem_.demand(i);
        for (int q = std::max(problem_.demand(i), sum - capacity_); 2 * q <= sum; ++q) {
            const std::size_t a = index(q, i), b = index(sum - q, i);
            if (!(first_[a] < none) || !(first_[b] < none)) continue;
            const auto offer = [&](Real x, Real y, bool is_second, bool other_is_second) {
                const double cost = static_cast<double>(x) + static_cast<double>(y);
                if (cost < best.cost) best = {cost, q, is_second, other_is_second};
            };
            // Out and back by the same customer is not allowed; by the depot on both sides it is a route of one customer.
            if (before_[a] != before_[b] || before_[a] == 0) {
                offer(first_[a], first_[b], false, false);
            } else {
                if (second_[a] < none) offer(second_[a], first_[b], true, false);
                if (second_[b] < none) offer(first_[a], second_[b], false, true);
            }
        }
        return best;
    }

    // Calls visit(customer) for every stop of a path but the last.
    template <class Visit>
    void trace(int q, int i, bool is_second, const Visit& visit) const {
        for (;;) {
            const std::size_t a = index(q, i);
            const int before = is_second ? before_second_[a] : before_[a];
            if (before <= 0) return;
            visit(before);
            q -= problem_.demand(i);
            is_second = before_[index(q, before)] == i;
            i = before;
        }
    }

private:
    [[nodiscard]] std::size_t index(int q, int i) const { return at(q) * at(stops_) + at(i); }

    void set(int q, int j, Real cost, int before) {
        const std::size_t a = index(q, j);
        first_[a] = cost;
        before_[a] = before;
    }

    const Problem& problem_;
    const int stops_, capacity_;
    std::vector<Real> first_, second_;
    std::vector<int> before_, before_second_;
};

struct Share {
    double value = std::numeric_limits<double>::infinity();
    double weight = 0.0;
    std::vector<int> visits;
};

}  // namespace

DualAscent::DualAscent(const Problem& problem, int num_threads)
    : problem_(problem), num_threads_(num_threads), penalties_(at(problem.num_stops()), 0.0) {}

template <class Real>
double DualAscent::evaluate(const std::vector<double>& penalties, std::vector<double>* cover, const Watch& watch) const {
    const int stops = problem_.num_stops();
    const int num_groups = static_cast<int>(problem_.groups().size());
    std::vector<std::vector<Share>> shares(at(num_groups));
    std::vector<std::exception_ptr> failures(at(num_groups));
    std::atomic<int> next{0};
    const auto share_of_group = [&](int g) {
        const TypeGroup& group = problem_.groups()[at(g)];
        std::vector<double> fixed(at(group.capacity + 1), std::numeric_limits<double>::infinity());
        for (const int k : group.types)
            for (int q = 1; q <= problem_.type(k).capacity; ++q) fixed[at(q)] = std::min(fixed[at(q)], problem_.type(k).fixed_cost);
        const Paths<Real> paths(problem_, group, penalties, watch);
        shares[at(g)].resize(at(stops));
        for (int i = 1; i < stops; ++i) {
            Share& share = shares[at(g)][at(i)];
            int best_load = 0;
            typename Paths<Real>::Through best{};
            for (int q = problem_.demand(i); q <= group.capacity; ++q) {
                const auto route = paths.through(i, q);
                const double value = (fixed[at(q)] + route.cost) * problem_.demand(i) / q;
                if (value < share.value) {
                    share.value = value;
                    share.weight = static_cast<double>(problem_.demand(i)) / q;
                    best = route;
                    best_load = q;
                }
            }
            if (cover && best_load > 0) {
                share.visits.push_back(i);
                const auto visit = [&](int c) { share.visits.push_back(c); };
                paths.trace(best.load, i, best.is_second, visit);
                paths.trace(best_load + problem_.demand(i) - best.load, i, best.other_is_second, visit);
            }
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
    if (cover) cover->assign(at(stops), 0.0);
    double bound = 0.0, size = 0.0;
    for (int i = 1; i < stops; ++i) {
        const Share* least = &shares[0][at(i)];
        for (const std::vector<Share>& group : shares)
            if (group[at(i)].value < least->value) least = &group[at(i)];
        bound += least->value + penalties[at(i)];
        size += std::abs(least->value) + std::abs(penalties[at(i)]);
        if (cover)
            for (const int c : least->visits) (*cover)[at(c)] += least->weight;
    }
    return bound - 1e-9 * size;
}

void DualAscent::run(double best_cost, double seconds, const std::function<void(double bound)>& on_bound, const Watch& watch) {
    constexpr int patience = 6;
    constexpr int max_steps = 400;
    constexpr double worthwhile = 2e-4;  // of the bound, for an evaluation in full precision
    const double end = watch.seconds() + seconds;
    std::vector<double> trial = penalties_, cover;
    double best = -std::numeric_limits<double>::infinity(), told = best;
    double step = 1.0;
    int fruitless = 0;
    const auto tell = [&] {
        told = evaluate<double>(penalties_, nullptr, watch);
        on_bound(told);
    };
    for (int i = 0; i < max_steps && watch.seconds() < end && step > 0.01; ++i) {
        const double bound = evaluate<float>(trial, &cover, watch);
        if (bound > best) {
            if (bound > best + worthwhile * std::abs(bound)) fruitless = 0;
            best = bound;
            penalties_ = trial;
            if (best > told + 20 * worthwhile * std::abs(best)) tell();
        }
        if (++fruitless > patience) {
            step *= 0.5;
            fruitless = 0;
            trial = penalties_;
        }
        double norm = 0.0;
        for (std::size_t c = 1; c < cover.size(); ++c) norm += (1.0 - cover[c]) * (1.0 - cover[c]);
        if (norm < 1e-9 || bound >= best_cost) break;
        const double length = step * (best_cost - bound) / norm;
        for (std::size_t c = 1; c < cover.size(); ++c) trial[c] += length * (1.0 - cover[c]);
    }
    if (best > told) tell();
}

}  // namespace fripn::exact
