#include "baselines/tabu.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fripn::baselines {

namespace {

constexpr double least_gain = 1e-9;

// Routes are told apart modulo this in the tabu list: it need not grow with the square of the customers.
constexpr int max_routes_told_apart = 64;

constexpr int penalty_period = 20;
constexpr double penalty_step = 1.25;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

TabuSearch::TabuSearch(const Instance& instance, const TabuSettings& settings, const Plan& start,
                       std::uint64_t seed)
    : instance_(instance),
      settings_(settings),
      fleet_(instance),
      neighbours_(instance, settings.num_neighbours),
      state_(instance, 0.0),
      shaker_(instance, seed + 1),
      split_(instance, fleet_),
      rng_(seed),
      best_(start),
      local_best_(start),
      order_(at(instance.num_customers())),
      expiry_(at(instance.num_customers() + 1) * at(max_routes_told_apart), 0) {
    std::iota(order_.begin(), order_.end(), 1);
    best_.cost = local_best_.cost = plan_cost(instance_, start);
    // What a unit of load costs in this plan is the natural size of the price for overload.
    base_penalty_ = penalty_ = std::max(best_.cost, 1e-300) / std::max(instance_.total_demand(), 1e-300);
    state_.set_penalty(penalty_);
    state_.load(best_);
}

bool TabuSearch::run(std::uint64_t iterations, const std::atomic<bool>& stop) {
    const double before = best_.cost;
    const Deadline deadline(clock_, seconds_left_, stop);
    for (std::uint64_t i = 0; i < iterations && !stop.load(std::memory_order_relaxed); ++i) iterate(deadline);
    return best_.cost < before;
}

void TabuSearch::iterate(const Deadline& deadline) {
    ++iteration_;
    state_.add_spares();
    const double cost = state_.cost();
    const double wanted = best_.cost - least_gain * best_.cost;
    Move best;
    const auto visit = [&](double change, bool is_inner, auto&& describe) {
        if (change >= best.change) return;
        // Moves within a route have no return to forbid: they are made only when they help.
        if (is_inner && change > -least_gain * cost) return;
        const Move move = describe();
        if (!is_inner && cost + change >= wanted && is_tabu(move)) return;
        best = move;
    };
    const int count = std::min(settings_.max_customers, instance_.num_customers());
    for (int i = 0; i < count; ++i) {
        const auto swapped = at(i) + rng_.below(order_.size() - at(i));
        std::swap(order_[at(i)], order_[swapped]);
        for_each_move(state_.routes(), neighbours_, order_[at(i)], visit);
    }
    if (best.kind == Move::Kind::none) {
        shake(deadline);
        return;
    }
    if (!best.is_inner) forbid_return(best);
    state_.apply(best);
    state_.exchange_types(least_gain * std::abs(cost));
    keep_if_better();
    adapt_penalty();
    if (iteration_ - last_improvement_ >= settings_.shake_after) shake(deadline);
}

std::uint64_t& TabuSearch::expiry(int customer, int route) {
    return expiry_[at(customer) * at(max_routes_told_apart) + at(route % max_routes_told_apart)];
}

std::uint64_t TabuSearch::expiry(int customer, int route) const {
    return expiry_[at(customer) * at(max_routes_told_apart) + at(route % max_routes_told_apart)];
}

bool TabuSearch::is_tabu(const Move& move) const {
    const PenalisedRoutes::Routes& routes = state_.routes();
    const auto is_forbidden = [&](const Piece& piece, int to) {
        for (int c = routes.next(piece.before); c != piece.after; c = routes.next(c))
            if (expiry(c, to) > iteration_) return true;
        return false;
    };
    const auto& [first, second, is_reversed] = move.exchange;
    return is_forbidden(first, routes.route_of(second.before)) || is_forbidden(second, routes.route_of(first.before));
}

void TabuSearch::forbid_return(const Move& move) {
    const auto spread = at(settings_.max_tenure - settings_.min_tenure + 1);
    const std::uint64_t until = iteration_ + static_cast<std::uint64_t>(settings_.min_tenure) + rng_.below(spread);
    const PenalisedRoutes::Routes& routes = state_.routes();
    for (const Piece& piece : {move.exchange.first, move.exchange.second})
        for (int c = routes.next(piece.before); c != piece.after; c = routes.next(c))
            expiry(c, routes.route_of(piece.before)) = until;
}

void TabuSearch::keep_if_better() {
    if (!state_.is_feasible() || state_.cost() >= local_best_.cost - least_gain * local_best_.cost) return;
    local_best_ = state_.unload();
    last_improvement_ = iteration_;
    if (local_best_.cost < best_.cost) best_ = local_best_;
}

void TabuSearch::adapt_penalty() {
    num_feasible_ += state_.is_feasible() ? 1 : 0;
    if (iteration_ % penalty_period != 0) return;
    if (num_feasible_ > penalty_period / 2)
        penalty_ = std::max(penalty_ / penalty_step, base_penalty_ * 1e-3);
    else
        penalty_ = std::min(penalty_ * penalty_step, base_penalty_ * 1e3);
    num_feasible_ = 0;
    state_.set_penalty(penalty_);
}

// Leave the present valley: recut the giant tour of its best plan, then rebuild some of it or of the best.
void TabuSearch::shake(const Deadline& deadline) {
    const std::vector<int> tour = giant_tour(instance_, local_best_);
    Plan recut = split_(tour, &deadline);
    if (recut.cost < best_.cost) best_ = recut;
    const bool from_best = rng_.uniform() < 0.5;
    const LnsPlan start = shaker_.evaluate(from_best ? best_ : local_best_);
    const Destroy kinds[] = {Destroy::route, Destroy::related, Destroy::random};
    const int most = std::max(2, std::min(30, instance_.num_customers() / 2));
    const int removed = 2 + static_cast<int>(rng_.below(at(most - 1)));
    const LnsPlan shaken = shaker_.rebuild(start, kinds[rng_.below(3)], Repair::greedy, removed);
    local_best_ = shaken.absent.empty() ? shaken.plan : best_;
    if (local_best_.cost < best_.cost) best_ = local_best_;
    std::fill(expiry_.begin(), expiry_.end(), 0);
    state_.load(local_best_);
    last_improvement_ = iteration_;
}

}  // namespace fripn::baselines
