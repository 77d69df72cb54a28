#include "search/local_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/moves/all.h"

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A customer of a large plan takes some ten microseconds.
constexpr int customers_between_checks = 25;

// Gains below this fraction of the price are rounding.
constexpr double relative_tolerance = 1e-11;

#ifdef FRIPN_DEBUG_CHECKS
void check_change(double before, double predicted, double after) {
    if (std::abs(after - before - predicted) > 1e-9 * (std::abs(before) + std::abs(after)))
        throw std::logic_error("a move changed the price by " + std::to_string(after - before) + ", not by " +
                               std::to_string(predicted));
}
#endif

}  // namespace

template <Measure M>
LocalSearch<M>::LocalSearch(const Instance& instance, const Neighbours& neighbours, const LocalSearchSettings& settings)
    : instance_(instance),
      neighbours_(neighbours),
      settings_(settings),
      price_(instance, 0.0),
      routes_(instance, price_),
      swap_star_(routes_),
      order_(at(instance.num_customers())),
      tested_(at(instance.num_customers()) + 1, -1) {
    std::iota(order_.begin(), order_.end(), 1);
}

// Most moves do not help: their evaluation is meant to be inlined, what follows is not.
template <Measure M>
template <class Move>
inline bool LocalSearch<M>::attempt(const First<M>& first, const Second<M>& second) {
    const double change = Move::evaluate(routes_, first, second);
    if (change >= -min_gain_) [[likely]] return false;
    apply<Move>(first, second, change);
    return true;
}

template <Measure M>
template <class Move>
void LocalSearch<M>::apply(const First<M>& first, const Second<M>& second, [[maybe_unused]] double change) {
    const int ru = first.route;
    const int rv = second.route;
#ifdef FRIPN_DEBUG_CHECKS
    const double before = routes_.total_price();
#endif
    apply_move<Move>(routes_, first, second);
    ++now_;
    routes_.update(ru, now_);
    if (rv != ru) routes_.update(rv, now_);
#ifdef FRIPN_DEBUG_CHECKS
    check_change(before, change, routes_.total_price());
#endif
}

template <Measure M>
bool LocalSearch<M>::attempt_all(const First<M>& a, int v) {
    const Second<M> b(routes_, a, v);
    return any_move(a, b, [&](auto move) { return this->template attempt<decltype(move)>(a, b); });
}

template <Measure M>
bool LocalSearch<M>::improve_customer(int u, long tested_at, bool tries_empty) {
    bool improved = false;
    First<M> first(routes_, u);
    const auto attempt_behind = [&](int v) {
        if (!attempt_all(first, v)) return false;
        first = First<M>(routes_, u);
        improved = true;
        return true;
    };
    const int count = std::min(settings_.num_neighbours, neighbours_.per_customer());
    const int* list = neighbours_.begin(u);
    for (int i = 0; i < count; ++i) {
        const int v = list[i];
        if (std::max(routes_.changed_at(first.route), routes_.changed_at(routes_.route_of(v))) <= tested_at) continue;
        if (attempt_behind(v)) continue;
        const int before = routes_.previous(v);
        if (routes_.is_depot(before)) attempt_behind(before);
    }
    if (!tries_empty) return improved;
    // Empty routes: hiring another vehicle. One of each type is enough where types are fixed.
    int last_type = -1;
    for (int r = routes_.first_empty(); r < routes_.num_routes(); ++r) {
        if (!routes_.is_empty(r) || (price_.is_limited() && routes_.type_of(r) == last_type)) continue;
        last_type = routes_.type_of(r);
        if (std::max(routes_.changed_at(first.route), routes_.changed_at(r)) <= tested_at) continue;
        attempt_behind(routes_.start_of(r));
        if (!price_.is_limited()) break;
    }
    return improved;
}

template <Measure M>
bool LocalSearch<M>::improve_route_pairs(const Deadline& deadline) {
    bool improved = false;
    const int num_routes = routes_.num_routes();
    pairs_tested_.resize(at(num_routes), -1);
    is_close_.resize(at(num_routes), 0);
    for (int first = 0; first < num_routes; ++first) {
        if (routes_.is_empty(first)) continue;
        if (deadline.is_due()) return false;
        const long tested_at = std::exchange(pairs_tested_[at(first)], now_);
        find_close(first);
        for (std::size_t i = 0; i < close_.size(); ++i) {
            const int second = close_[i];
            if (std::max(routes_.changed_at(first), routes_.changed_at(second)) <= tested_at) continue;
            const typename SwapStar<M>::Move move = swap_star_.best(routes_, first, second);
            if (move.u == 0 || move.change >= -min_gain_) continue;
#ifdef FRIPN_DEBUG_CHECKS
            const double before = routes_.total_price();
#endif
            SwapStar<M>::apply(routes_, move);
            ++now_;
            routes_.update(first, now_);
            routes_.update(second, now_);
#ifdef FRIPN_DEBUG_CHECKS
            check_change(before, move.change, routes_.total_price());
#endif
            improved = true;
            // Other customers, other routes nearby; those before this one had their turn.
            find_close(first);
            i = at(static_cast<int>(std::upper_bound(close_.begin(), close_.end(), second) - close_.begin())) - 1;
        }
    }
    return improved;
}

// The routes behind this one that serve one of the nearest of its customers, in order.
template <Measure M>
void LocalSearch<M>::find_close(int route) {
    close_.clear();
    const int count = std::min(settings_.num_neighbours, neighbours_.per_customer());
    for (int u = routes_.next(routes_.start_of(route)); u != routes_.end_of(route); u = routes_.next(u)) {
        const int* list = neighbours_.begin(u);
        for (int i = 0; i < count; ++i) {
            const int other = routes_.route_of(list[i]);
            if (other <= route || is_close_[at(other)]) continue;
            is_close_[at(other)] = 1;
            close_.push_back(other);
        }
    }
    for (const int other : close_) is_close_[at(other)] = 0;
    std::sort(close_.begin(), close_.end());
}

template <Measure M>
Plan LocalSearch<M>::operator()(const Plan& plan, double penalty, Rng& rng, const Deadline& deadline) {
    price_.set_penalty(penalty);
    routes_.load(plan, ++now_);
    min_gain_ = relative_tolerance * std::abs(routes_.total_price());
    rng.shuffle(order_);
    int until_check = 0;
    for (bool searching = true, first_round = true; searching; first_round = false) {
        searching = false;
        for (const int u : order_) {
            if (--until_check < 0) {
                if (deadline.is_due()) return routes_.unload();
                until_check = customers_between_checks;
            }
            const long tested_at = tested_[at(u)];
            tested_[at(u)] = now_;
            if (improve_customer(u, tested_at, !first_round)) searching = true;
        }
        if (first_round) searching = true;
        if (searching) continue;
        if (improve_route_pairs(deadline)) searching = true;
        if (price_.is_limited() && routes_.exchange_types(min_gain_, now_)) searching = true;
    }
    return routes_.unload();
}

template class LocalSearch<CapacityMeasure>;
template class LocalSearch<JoinedMeasure>;

}  // namespace fripn::search
