#include "timed/timed_sisr.h"

#include <cmath>
#include <utility>

namespace fripn::timed {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Gains below this fraction of the cost are rounding, not improvements.
constexpr double relative_tolerance = 1e-10;

constexpr std::uint64_t recount_period = 4096;
constexpr std::size_t most_hired = 8;

}  // namespace

TimedSisr::TimedSisr(const Model& model, const search::Neighbours& neighbours, const search::SisrSettings& settings)
    : model_(model),
      state_(model),
      ruin_(model, neighbours, settings.ruin),
      recreate_(model, neighbours, settings.recreate),
      patience_(at(model.num_customers()) + 1, 1.0),
      keep_types_rate_(settings.keep_types_rate),
      // Hiring in advance hides fixed costs, so it changes nothing where there are none.
      hire_rate_(model.has_fixed_costs() ? settings.hire_rate : 0.0) {}

void TimedSisr::load(const Plan& plan) {
    state_.load(plan);
    absent_.clear();
    for (int c = 1; c <= model_.num_customers(); ++c)
        if (state_.is_absent(c)) absent_.push_back(c);
}

bool TimedSisr::accepts(double limit) {
    if (removed_.empty() && absent_.empty()) return state_.cost() < limit;
    // Customers that were left out often weigh more, as in fleet minimisation: they get in first.
    double left_now = 0.0;
    double left_before = 0.0;
    for (const int c : removed_) left_now += patience_[at(c)];
    for (const int c : absent_) left_before += patience_[at(c)];
    for (const int c : removed_) patience_[at(c)] += 1.0;
    return left_now != left_before ? left_now < left_before : state_.cost() < limit;
}

void TimedSisr::hire(Rng& rng) {
    double demand = 0.0;
    for (const int c : removed_) demand += model_.cargo(c).load[0];
    demand *= 0.3 + 0.8 * rng.uniform();
    while (demand > 0 && recreate_.hired.size() < most_hired) {
        const int type = static_cast<int>(rng.below(at(model_.num_types())));
        recreate_.hired.push_back(type);
        demand -= model_.type(type).limit[0];
    }
}

bool TimedSisr::iterate(double temperature, Rng& rng) {
    if (++iterations_ % recount_period == 0) state_.recount();
    const double limit = state_.cost() - temperature * std::log(1.0 - rng.uniform());
    state_.begin();
    removed_ = absent_;
    const bool hires = rng.uniform() < hire_rate_;
    const bool keeps_types = hires || rng.uniform() < keep_types_rate_;
    bool is_sound = ruin_(state_, removed_, rng, keeps_types);
    if (is_sound) {
        if (hires) hire(rng);
        // Where a route costs the same in every vehicle, costs only grow while customers return: no need to go on at the limit.
        const bool only_grows = model_.is_uniform() && absent_.empty() && !hires;
        is_sound = recreate_(state_, removed_, rng, keeps_types, only_grows ? limit : infinity);
    }
    if (!is_sound || !accepts(limit)) {
        state_.rollback();
        return false;
    }
    if (pool_ != nullptr)
        for (const int slot : state_.touched()) {
            const TimedRoute& route = state_.route(slot);
            if (!route.is_empty()) pool_->add(route.type, route.customers, route.cost);
        }
    state_.commit();
#ifdef FRIPN_DEBUG_CHECKS
    state_.check();
#endif
    std::swap(absent_, removed_);
    if (!absent_.empty()) return false;
    if (state_.cost() >= state_.best_cost() - relative_tolerance * std::abs(state_.cost())) return false;
    state_.keep_as_best();
    return true;
}

}  // namespace fripn::timed
