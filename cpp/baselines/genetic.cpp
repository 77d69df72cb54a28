#include "baselines/genetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/genetic.h"
#include "baselines/moves.h"

namespace fripn::baselines {

namespace {

constexpr double least_gain = 1e-9;

// Two members whose costs differ by less than this fraction count as the same.
constexpr double double_tolerance = 1e-7;

// Customers that make their moves between two looks at the clock and the stop.
constexpr std::size_t asks_between_looks = 32;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Descent::Descent(const Instance& instance, const Neighbours& neighbours)
    : instance_(instance), neighbours_(neighbours), state_(instance, prohibitive_penalty(instance)), order_(at(instance.num_customers())) {
    std::iota(order_.begin(), order_.end(), 1);
}

Plan Descent::operator()(const Plan& plan, Rng& rng, const std::atomic<bool>& stop) {
    state_.load(plan);
    rng.shuffle(order_);
    descend(stop);
    // Vehicles of a limited fleet may suit other routes better now.
    while (state_.exchange_types(least_gain * std::abs(state_.cost()))) descend(stop);
    Plan found = state_.unload();
    // The penalty is high, but a tiny overload may have been worth it.
    return found.cost < plan.cost && keeps_limits(instance_, found) ? found : plan;
}

// Customers wait in a ring; it is done once all of them were asked in vain in a row.
void Descent::descend(const std::atomic<bool>& stop) {
    std::size_t in_vain = 0;
    for (std::size_t i = 0; in_vain < order_.size(); i = (i + 1) % order_.size()) {
        in_vain = improve(order_[i]) ? 0 : in_vain + 1;
        if (i % asks_between_looks != 0) continue;
        if (stop.load(std::memory_order_relaxed) || clock_.seconds() >= seconds_left_) return;
    }
}

bool Descent::improve(int customer) {
    state_.add_spares();
    Move best;
    best.change = -least_gain * std::abs(state_.cost());
    for_each_move(state_.routes(), neighbours_, customer, [&](double change, bool, auto&& describe) {
        if (change < best.change) best = describe();
    });
    if (best.kind == Move::Kind::none) return false;
    state_.apply(best);
    return true;
}

Genetic::Genetic(const Instance& instance, const GeneticSettings& settings, const Plan& start, std::uint64_t seed)
    : instance_(instance),
      settings_(settings),
      fleet_(instance),
      neighbours_(instance, settings.num_neighbours),
      split_(instance, fleet_),
      descent_(instance, neighbours_),
      rng_(seed),
      best_(start) {
    best_.cost = plan_cost(instance_, start);
}

bool Genetic::run(std::uint64_t children, const std::atomic<bool>& stop) {
    const double before = best_.cost;
    for (std::uint64_t i = 0; i < children && !stop.load(std::memory_order_relaxed); ++i) {
        if (members_.size() < at(settings_.population) && num_failed_ < at(settings_.population))
            populate(stop);
        else
            breed(stop);
    }
    return best_.cost < before;
}

// One more member: first the start itself, then random tours, which local search makes presentable.
void Genetic::populate(const std::atomic<bool>& stop) {
    std::vector<int> tour = giant_tour(instance_, best_);
    if (!members_.empty()) rng_.shuffle(tour);
    Member member = grow(tour, true, stop);
    if (member.cost == infinity || is_double(member.cost)) {
        ++num_failed_;
        if (!members_.empty() || member.cost == infinity) return;
    }
    members_.push_back(std::move(member));
    std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.cost < b.cost; });
}

void Genetic::breed(const std::atomic<bool>& stop) {
    if (members_.size() < 2) {
        num_failed_ = 0;  // the fleet is so tight that random tours do not fit: try others
        return populate(stop);
    }
    const Member& first = tournament();
    const Member& second = tournament();
    const double before = best_.cost;
    Member child = grow(crossover(first.tour, second.tour), rng_.uniform() < settings_.mutation_rate, stop);
    since_improvement_ = best_.cost < before ? 0 : since_improvement_ + 1;
    if (child.cost < infinity && !is_double(child.cost)) {
        // The child takes the place of one of the worse half.
        const std::size_t half = members_.size() / 2;
        const std::size_t replaced = half + rng_.below(members_.size() - half);
        members_[replaced] = std::move(child);
        std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.cost < b.cost; });
    }
    if (since_improvement_ >= settings_.renew_after) {
        since_improvement_ = 0;
        num_failed_ = 0;
        members_.resize(std::max<std::size_t>(1, members_.size() / 10));
    }
}

const Genetic::Member& Genetic::tournament() {
    // Members are sorted: the smaller of two numbers is the better of two members.
    return members_[std::min(rng_.below(members_.size()), rng_.below(members_.size()))];
}

std::vector<int> Genetic::crossover(const std::vector<int>& first, const std::vector<int>& second) {
    const std::size_t size = first.size();
    std::size_t from = rng_.below(size);
    std::size_t to = rng_.below(size);
    if (from > to) std::swap(from, to);
    std::vector<int> child(size);
    std::vector<char> is_taken(size + 1, 0);
    for (std::size_t i = from; i <= to; ++i) {
        child[i] = first[i];
        is_taken[at(first[i])] = 1;
    }
    std::size_t place = (to + 1) % size;
    for (std::size_t i = 0; i < size; ++i) {
        const int customer = second[(to + 1 + i) % size];
        if (is_taken[at(customer)]) continue;
        child[place] = customer;
        place = (place + 1) % size;
    }
    return child;
}

Genetic::Member Genetic::grow(const std::vector<int>& tour, bool improves, const std::atomic<bool>& stop) {
    const Deadline deadline = descent_.deadline(stop);
    Plan plan = split_(tour, &deadline);
    if (plan.cost == infinity) return {};
    Member member{tour, plan.cost};
    if (improves) {
        plan = descent_(plan, rng_, stop);
        member.tour = giant_tour(instance_, plan);
        // The tour's own best cut may be better still.
        Plan recut = split_(member.tour, &deadline);
        if (recut.cost < plan.cost) plan = std::move(recut);
        member.cost = plan.cost;
    }
    if (plan.cost < best_.cost - least_gain * best_.cost) best_ = std::move(plan);
    return member;
}

bool Genetic::is_double(double cost) const {
    return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
        return std::abs(member.cost - cost) <= double_tolerance * std::abs(cost);
    });
}

}  // namespace fripn::baselines
