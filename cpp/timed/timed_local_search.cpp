#include "timed/timed_local_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace fripn::timed {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int customers_between_checks = 10;
constexpr int longest_piece = 2;
constexpr int longest_swapped = 2;

// Gains below this fraction of the price are rounding.
constexpr double relative_tolerance = 1e-10;

}  // namespace

TimedLocalSearch::TimedLocalSearch(const Model& model, const search::Neighbours& nearest, int num_neighbours)
    : model_(model),
      nearest_(nearest),
      predecessors_(model, nearest, num_neighbours),
      num_close_(std::min(num_neighbours, nearest.per_customer())),
      has_windows_(!model.instance().day().windows.empty()),
      price_(model),
      routes_(model, price_),
      order_(at(model.num_customers())),
      tested_(at(model.num_customers()) + 1, -1) {
    std::iota(order_.begin(), order_.end(), 1);
}

template <class Apply>
bool TimedLocalSearch::apply_if(double change, Apply apply) {
    if (change >= -min_gain_) [[likely]] return false;
#ifdef FRIPN_DEBUG_CHECKS
    const double before = routes_.recomputed_price();
#endif
    ++now_;
    apply();
#ifdef FRIPN_DEBUG_CHECKS
    const double after = routes_.recomputed_price();
    if (std::abs(after - before - change) > 1e-8 * (std::abs(before) + std::abs(after)))
        throw std::logic_error("a move changed the price by " + std::to_string(after - before) + ", not by " +
                               std::to_string(change));
#endif
    return true;
}

bool TimedLocalSearch::attempt(const Exchange& move) {
    return apply_if(routes_.exchange_change(move), [&] { routes_.exchange(move, now_); });
}

bool TimedLocalSearch::attempt_all(int u, int v) {
    const int ru = routes_.route_of(u);
    const int rv = routes_.route_of(v);
    const int before_u = routes_.previous(u);
    if (before_u == v) return false;
    const int after_v = routes_.next(v);
    const bool is_same = ru == rv;
    const int pu = routes_.position(u);
    const int pv = routes_.position(v);

    // Pieces that begin with u go behind v, alone or in exchange for some that follow v.
    int last = u;
    for (int length = 1; length <= longest_piece && !routes_.is_depot(last); ++length, last = routes_.next(last)) {
        if (is_same && pv >= pu && pv < pu + length) break;   // v is in the piece
        const Piece piece{before_u, routes_.next(last)};
        if (attempt({piece, {v, after_v}})) return true;
        if (length > longest_swapped) continue;
        int until = after_v;
        for (int other = 1; other <= longest_swapped && !routes_.is_depot(until); ++other) {
            if (is_same && pv < pu && pv + other >= pu) break;   // the pieces overlap
            until = routes_.next(until);
            if (attempt({piece, {v, until}})) return true;
        }
    }
    // A piece that ends with u goes behind v backwards.
    if (!has_windows_ && !routes_.is_depot(before_u) &&
        attempt({{routes_.previous(before_u), routes_.next(u)}, {v, after_v}, true}))
        return true;
    // Pieces that end with v go before u.
    int first = v;
    for (int length = 1; length <= longest_piece && !routes_.is_depot(first); ++length, first = routes_.previous(first)) {
        if (is_same && pu <= pv && pu > pv - length) break;
        if (attempt({{routes_.previous(first), after_v}, {before_u, u}})) return true;
    }
    if (is_same) {
        return pv < pu && apply_if(routes_.reversal_change(v, u), [&] { routes_.reverse(v, u, now_); });
    }
    if (apply_if(routes_.tails_change(v, u), [&] { routes_.exchange_tails(v, u, now_); })) return true;
    return !has_windows_ &&
           apply_if(routes_.reversed_heads_change(v, u), [&] { routes_.exchange_reversed_heads(v, u, now_); });
}

bool TimedLocalSearch::improve_customer(int u, long tested_at, bool tries_empty) {
    bool improved = false;
    for (const int* v = predecessors_.begin(u); v != predecessors_.end(u); ++v) {
        if (std::max(routes_.changed_at(routes_.route_of(u)), routes_.changed_at(routes_.route_of(*v))) <= tested_at) continue;
        if (attempt_all(u, *v)) {
            improved = true;
            continue;
        }
        const int before = routes_.previous(*v);
        if (routes_.is_depot(before) && attempt_all(u, before)) improved = true;
    }
    if (!tries_empty) return improved;
    // Empty routes: hiring another vehicle.
    int last_type = -1;
    const int num_routes = routes_.num_routes();
    for (int r = 0; r < num_routes; ++r) {
        if (!routes_.is_empty(r)) continue;
        if (std::max(routes_.changed_at(routes_.route_of(u)), routes_.changed_at(r)) <= tested_at) continue;
        if (routes_.type_of(r) == last_type) continue;
        last_type = routes_.type_of(r);
        if (attempt_all(u, routes_.start_of(r))) {
            improved = true;
            routes_.add_spares(now_);
        }
    }
    return improved;
}

bool TimedLocalSearch::insert_absent(Rng& rng, const search::Deadline& deadline) {
    std::vector<int> absent = routes_.absent();
    rng.shuffle(absent);
    for (const int c : absent) {
        if (deadline.is_due()) return false;
        double least = infinity;
        int best = 0;
        for (int r = 0; r < routes_.num_routes(); ++r)
            for (int i = routes_.start_of(r); i != routes_.end_of(r); i = routes_.next(i)) {
                const double change = routes_.insertion_change(c, i);
                if (change < least) {
                    least = change;
                    best = i;
                }
            }
        if (best == 0) return false;
        routes_.insert(c, best, ++now_);
        if (routes_.size_of(routes_.route_of(c)) == 1) routes_.add_spares(now_);
    }
    return true;
}

// The routes behind this one that serve one of the nearest of its customers, in order.
void TimedLocalSearch::find_close(int route) {
    close_.clear();
    for (int u = routes_.next(routes_.start_of(route)); !routes_.is_depot(u); u = routes_.next(u))
        for (const int* v = nearest_.begin(u); v != nearest_.begin(u) + num_close_; ++v) {
            const int other = routes_.route_of(*v);
            if (other <= route || is_close_[at(other)]) continue;
            is_close_[at(other)] = 1;
            close_.push_back(other);
        }
    for (const int other : close_) is_close_[at(other)] = 0;
    std::sort(close_.begin(), close_.end());
}

// Where the customers of a route would best go in another, as it is, and what the others cost without each.
void TimedLocalSearch::find_places(int from, int to, std::vector<Places>& places) {
    places.clear();
    for (int u = routes_.next(routes_.start_of(from)); !routes_.is_depot(u); u = routes_.next(u)) {
        Places found;
        std::fill(found.price, found.price + Places::num, infinity);
        std::fill(found.before, found.before + Places::num, 0);
        for (int i = routes_.start_of(to); i != routes_.end_of(to); i = routes_.next(i)) {
            double price = routes_.price_with(u, i);
            int before = i;
            for (int p = 0; p < Places::num; ++p)
                if (price < found.price[p]) {
                    std::swap(price, found.price[p]);
                    std::swap(before, found.before[p]);
                }
        }
        places.push_back(found);
    }
}

TimedLocalSearch::SwapMove TimedLocalSearch::best_swap(int first, int second) {
    find_places(first, second, first_places_);
    find_places(second, first, second_places_);
    const auto prices_without = [&](int route, std::vector<double>& prices) {
        prices.clear();
        for (int u = routes_.next(routes_.start_of(route)); !routes_.is_depot(u); u = routes_.next(u))
            prices.push_back(routes_.price_without(u));
    };
    prices_without(first, first_without_);
    prices_without(second, second_without_);
    // An estimate chooses the pair: what the removal changes and what the insertion changes, added up.
    const double both = routes_.price_of(first) + routes_.price_of(second);
    SwapMove best;
    double least = -min_gain_;
    for (int u = routes_.next(routes_.start_of(first)); !routes_.is_depot(u); u = routes_.next(u))
        for (int v = routes_.next(routes_.start_of(second)); !routes_.is_depot(v); v = routes_.next(v)) {
            const std::size_t i = at(routes_.position(u) - 1);
            const std::size_t j = at(routes_.position(v) - 1);
            const double estimate = first_without_[i] + second_without_[j] - both +
                                    (first_places_[i].price[0] - routes_.price_of(second)) +
                                    (second_places_[j].price[0] - routes_.price_of(first));
            if (estimate >= least) continue;
            const auto in_place = [&](const Places& places, int gone) {
                for (int p = 0; p < Places::num; ++p)
                    if (places.before[p] != 0 && places.before[p] != gone && places.before[p] != routes_.previous(gone))
                        return places.before[p];
                return routes_.previous(gone);
            };
            // Either the best place that stays, or that of the customer who leaves.
            const auto cheaper = [&](int customer, int gone, const Places& places, int& where) {
                where = routes_.previous(gone);
                double price = routes_.price_instead(customer, where, gone);
                const int other = in_place(places, gone);
                if (other == where) return price;
                const double there = routes_.price_instead(customer, other, gone);
                if (there < price) {
                    price = there;
                    where = other;
                }
                return price;
            };
            SwapMove move;
            move.first = u;
            move.second = v;
            const double second_price = cheaper(u, v, first_places_[i], move.first_before);
            const double first_price = cheaper(v, u, second_places_[j], move.second_before);
            move.change = first_price + second_price - both;
            if (move.change < least) {
                least = move.change;
                best = move;
            }
        }
    return best;
}

bool TimedLocalSearch::improve_route_pairs(const search::Deadline& deadline) {
    bool improved = false;
    const int num_routes = routes_.num_routes();
    pairs_tested_.resize(at(num_routes), -1);
    is_close_.resize(at(num_routes), 0);
    for (int first = 0; first < num_routes; ++first) {
        if (routes_.is_empty(first)) continue;
        if (deadline.is_due()) return false;
        const long tested_at = std::exchange(pairs_tested_[at(first)], now_);
        find_close(first);
        const std::vector<int> close = close_;
        for (const int second : close) {
            if (std::max(routes_.changed_at(first), routes_.changed_at(second)) <= tested_at || routes_.is_empty(second)) continue;
            const SwapMove move = best_swap(first, second);
            if (move.first == 0) continue;
            improved |= apply_if(move.change, [&] {
                routes_.swap_to(move.first, move.first_before, move.second, move.second_before, now_);
            });
        }
    }
    return improved;
}

TimedLocalSearch::Outcome TimedLocalSearch::operator()(const Plan& plan, const Amounts& penalties, Rng& rng,
                                                       const search::Deadline& deadline) {
    price_.set_penalties(penalties);
    routes_.load(plan, ++now_);
    bool is_complete = insert_absent(rng, deadline);
    if (is_complete) {
        min_gain_ = relative_tolerance * std::abs(routes_.total_price());
        rng.shuffle(order_);
        int until_check = 0;
        bool is_due = false;
        for (bool searching = true, first_round = true; searching && !is_due; first_round = false) {
            searching = first_round;
            for (const int u : order_) {
                if (--until_check < 0) {
                    is_due = deadline.is_due();
                    if (is_due) break;
                    until_check = customers_between_checks;
                }
                const long tested_at = tested_[at(u)];
                tested_[at(u)] = now_;
                if (improve_customer(u, tested_at, !first_round)) searching = true;
            }
            if (searching || is_due) continue;
            if (improve_route_pairs(deadline)) searching = true;
            if (routes_.reassign_types(min_gain_, now_)) searching = true;
            if (routes_.rechoose_windows(min_gain_, now_)) searching = true;
        }
    }
    Outcome outcome{routes_.unload(), routes_.excess(), is_complete};
    for (const PlanRoute& route : outcome.plan.routes)
        if ((model_.cargo_of(route.customers).groups & model_.type(route.type).group) == 0) outcome.is_complete = false;
    return outcome;
}

}  // namespace fripn::timed
