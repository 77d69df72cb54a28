#include "search/set_partition.h"

#include <algorithm>
#include <numeric>

namespace fripn::search {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int steps_before_halving = 6;
constexpr int columns_between_checks = 4096;

}  // namespace

SetPartition::SetPartition(const Instance& instance, const Settings& settings)
    : num_customers_(instance.num_customers()),
      settings_(settings),
      words_(at(instance.num_customers()) / 64 + 1),
      price_(at(instance.num_customers()) + 1, 0.0),
      columns_of_(at(instance.num_customers()) + 1) {}

void SetPartition::start_prices(const Plan& best) {
    const double share = best.cost / num_customers_;
    std::fill(price_.begin(), price_.end(), share);
    has_prices_ = true;
}

void SetPartition::optimise_prices(const RoutePool& pool, double upper, const Deadline& deadline) {
    trial_ = price_;
    double best_bound = -infinity;
    double step = 1.0;
    int fruitless = 0;
    for (int i = 0; i < settings_.num_steps; ++i) {
        if (i % 8 == 0 && deadline.is_due()) break;
        std::fill(cover_.begin(), cover_.end(), 0);
        double bound = 0.0;
        for (int c = 1; c <= num_customers_; ++c) bound += trial_[at(c)];
        for (std::size_t r = 0; r < pool.size(); ++r) {
            double reduced = pool.cost(r);
            for (const int* c = pool.begin(r); c != pool.end(r); ++c) reduced -= trial_[at(*c)];
            if (reduced >= 0) continue;
            bound += reduced;
            for (const int* c = pool.begin(r); c != pool.end(r); ++c) ++cover_[at(*c)];
        }
        if (bound > best_bound) {
            best_bound = bound;
            price_ = trial_;
            fruitless = 0;
        } else if (++fruitless == steps_before_halving) {
            step /= 2;
            fruitless = 0;
            trial_ = price_;
            continue;
        }
        double norm = 0.0;
        for (int c = 1; c <= num_customers_; ++c) norm += (1.0 - cover_[at(c)]) * (1.0 - cover_[at(c)]);
        if (norm == 0.0 || bound >= upper) break;
        const double length = step * (upper - bound) / norm;
        for (int c = 1; c <= num_customers_; ++c) trial_[at(c)] += length * (1.0 - cover_[at(c)]);
    }
}

void SetPartition::make_feasible(const RoutePool& pool) {
    reduced_.resize(pool.size());
    for (std::size_t r = 0; r < pool.size(); ++r) {
        double reduced = pool.cost(r);
        for (const int* c = pool.begin(r); c != pool.end(r); ++c) reduced -= price_[at(*c)];
        if (reduced < 0) {
            const double each = reduced / static_cast<double>(pool.end(r) - pool.begin(r));
            for (const int* c = pool.begin(r); c != pool.end(r); ++c) price_[at(*c)] += each;
        }
    }
    // Routes looked at early may have slack again: what each customer could pay more without breaking one.
    trial_.assign(price_.size(), infinity);
    for (std::size_t r = 0; r < pool.size(); ++r) {
        double reduced = pool.cost(r);
        for (const int* c = pool.begin(r); c != pool.end(r); ++c) reduced -= price_[at(*c)];
        const double each = reduced / static_cast<double>(pool.end(r) - pool.begin(r));
        for (const int* c = pool.begin(r); c != pool.end(r); ++c) trial_[at(*c)] = std::min(trial_[at(*c)], each);
    }
    for (int c = 1; c <= num_customers_; ++c)
        if (trial_[at(c)] < infinity) price_[at(c)] += std::max(0.0, trial_[at(c)]);
    for (std::size_t r = 0; r < pool.size(); ++r) {
        reduced_[r] = pool.cost(r);
        for (const int* c = pool.begin(r); c != pool.end(r); ++c) reduced_[r] -= price_[at(*c)];
    }
}

void SetPartition::choose_columns(const RoutePool& pool, double gap) {
    columns_.clear();
    for (std::size_t r = 0; r < pool.size(); ++r)
        if (reduced_[r] < gap) columns_.push_back({r, reduced_[r]});
    std::sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) {
        return a.reduced != b.reduced ? a.reduced < b.reduced : a.route < b.route;
    });
    if (columns_.size() > settings_.max_columns) columns_.resize(settings_.max_columns);
    for (auto& list : columns_of_) list.clear();
    mask_.assign(columns_.size() * words_, 0);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        for (const int* c = pool.begin(columns_[i].route); c != pool.end(columns_[i].route); ++c) {
            columns_of_[at(*c)].push_back(i);
            mask_[i * words_ + at(*c) / 64] |= std::uint64_t{1} << (at(*c) % 64);
        }
    order_.resize(at(num_customers_));
    std::iota(order_.begin(), order_.end(), 1);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return columns_of_[at(a)].size() < columns_of_[at(b)].size(); });
}

void SetPartition::search(double reduced, const Deadline& deadline) {
    int open = 0;
    for (const int c : order_)
        if ((covered_[at(c) / 64] >> (at(c) % 64) & 1) == 0) {
            open = c;
            break;
        }
    if (open == 0) {
        gap_ = reduced;
        best_chosen_ = chosen_;
        return;
    }
    for (const std::size_t i : columns_of_[at(open)]) {
        if (reduced + columns_[i].reduced >= gap_) break;
        if (--until_check_ < 0) {
            if (deadline.is_due()) nodes_ = settings_.max_nodes;
            until_check_ = columns_between_checks;
        }
        if (nodes_ >= settings_.max_nodes) return;
        const std::uint64_t* mask = &mask_[i * words_];
        bool fits = true;
        for (std::size_t w = 0; w < words_ && fits; ++w) fits = (covered_[w] & mask[w]) == 0;
        if (!fits) continue;
        ++nodes_;
        for (std::size_t w = 0; w < words_; ++w) covered_[w] |= mask[w];
        chosen_.push_back(i);
        search(reduced + columns_[i].reduced, deadline);
        chosen_.pop_back();
        for (std::size_t w = 0; w < words_; ++w) covered_[w] &= ~mask[w];
    }
}

Plan SetPartition::operator()(const RoutePool& pool, const Plan& best, const Deadline& deadline) {
    if (!has_prices_) start_prices(best);
    cover_.resize(price_.size());
    optimise_prices(pool, best.cost, deadline);
    make_feasible(pool);
    double bound = 0.0;
    for (int c = 1; c <= num_customers_; ++c) bound += price_[at(c)];
    gap_ = (best.cost - bound) * (1.0 - 1e-9) - 1e-9 * best.cost;
    if (gap_ <= 0) return {};
    choose_columns(pool, gap_);
    covered_.assign(words_, 0);
    chosen_.clear();
    best_chosen_.clear();
    nodes_ = 0;
    search(0.0, deadline);
    if (best_chosen_.empty()) return {};
    Plan plan;
    plan.cost = 0.0;
    for (const std::size_t i : best_chosen_) {
        plan.routes.push_back(pool.route(columns_[i].route));
        plan.cost += pool.cost(columns_[i].route);
    }
    return plan;
}

}  // namespace fripn::search
