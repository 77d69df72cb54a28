#include "baselines/alns.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fripn::baselines {

namespace {

constexpr Destroy destroy_operators[] = {Destroy::random, Destroy::worst, Destroy::related, Destroy::route,
                                         Destroy::string};
constexpr Repair repair_operators[] = {Repair::greedy, Repair::regret2, Repair::regret3};

// What an operator earns: for a new best plan, a better one, an accepted one, a rejected one.
constexpr double score_best = 10.0;
constexpr double score_better = 5.0;
constexpr double score_accepted = 2.0;
constexpr double score_rejected = 0.5;

constexpr double least_gain = 1e-9;

}  // namespace

std::size_t AlnsSearch::Wheel::spin(Rng& rng) const {
    double total = 0.0;
    for (const double weight : weights) total += weight;
    double left = rng.uniform() * total;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
        left -= weights[i];
        if (left < 0.0) return i;
    }
    return weights.size() - 1;
}

void AlnsSearch::Wheel::reward(std::size_t index, double score, double decay) {
    weights[index] = decay * weights[index] + (1.0 - decay) * score;
}

AlnsSearch::AlnsSearch(const Instance& instance, const AlnsSettings& settings, const Plan& start, std::uint64_t seed)
    : instance_(instance),
      settings_(settings),
      neighbourhood_(instance, seed + 1),
      rng_(seed),
      current_(neighbourhood_.evaluate(start)),
      destroy_{std::vector<double>(std::size(destroy_operators), score_better)},
      repair_{std::vector<double>(std::size(repair_operators), score_better)} {
    if (current_.absent.empty()) best_ = current_.plan;
    scale_ = std::max(current_.objective / instance_.num_customers(), 1e-300);
}

bool AlnsSearch::run(std::uint64_t iterations, const std::atomic<bool>& stop) {
    const double before = best_.cost;
    for (std::uint64_t i = 0; i < iterations && !stop.load(std::memory_order_relaxed); ++i) iterate();
    return best_.cost < before;
}

double AlnsSearch::temperature() const {
    double progress = progress_;
    if (settings_.cycle > 0)
        progress = static_cast<double>(iteration_ % settings_.cycle) / static_cast<double>(settings_.cycle);
    return scale_ * settings_.start_temperature *
           std::pow(settings_.end_temperature / settings_.start_temperature, progress);
}

void AlnsSearch::iterate() {
    const int most = std::min(settings_.max_removed, static_cast<int>(settings_.max_share * instance_.num_customers()));
    const int low = std::min(settings_.min_removed, instance_.num_customers());
    const int high = std::max(low, most);
    const int num_removed = low + static_cast<int>(rng_.below(static_cast<std::size_t>(high - low + 1)));
    const std::size_t d = destroy_.spin(rng_);
    const std::size_t r = repair_.spin(rng_);
    LnsPlan candidate = neighbourhood_.rebuild(current_, destroy_operators[d], repair_operators[r], num_removed);
    const double change = candidate.objective - current_.objective;
    double score = score_rejected;
    if (change <= 0.0 || rng_.uniform() < std::exp(-change / temperature())) {
        // An equal plan is most often the same plan: nothing was achieved.
        const bool is_new = std::abs(change) > least_gain * current_.objective;
        score = change < 0.0 && is_new ? score_better : (is_new ? score_accepted : score_rejected);
        current_ = std::move(candidate);
        if (current_.absent.empty() && current_.plan.cost < best_.cost - least_gain * std::abs(current_.plan.cost)) {
            best_ = current_.plan;
            score = score_best;
        }
    }
    destroy_.reward(d, score, settings_.decay);
    repair_.reward(r, score, settings_.decay);
    ++iteration_;
}

}  // namespace fripn::baselines
