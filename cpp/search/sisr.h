// Simulated annealing over ruin and recreate: the engine's workhorse at every size.
#pragma once

#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/recreate.h"
#include "search/ruin.h"
#include "search/search_state.h"

namespace fripn::search {

struct SisrSettings {
    RuinSettings ruin;
    RecreateSettings recreate;
    double keep_types_rate = 0.9;   // chance that vehicles keep their type while customers return
    double hire_rate = 0.2;         // chance that vehicles of random types are hired before they return
};

template <Measure M>
class Sisr {
public:
    Sisr(const Instance& instance, const FleetCost& fleet, const Neighbours& neighbours, const SisrSettings& settings);

    // Start again from a plan (which may leave customers out: they are absent until they find room).
    void load(const Plan& plan);

    // One ruin, one recreate, accepted or undone. True when the best plan improved.
    bool iterate(double temperature, Rng& rng);

    // Cost of the best complete plan since `load`, infinity when there is none yet.
    [[nodiscard]] double best_cost() const { return state_.best_cost(); }
    [[nodiscard]] Plan best() const { return state_.unload_best(); }
    [[nodiscard]] double cost() const { return state_.cost(); }
    [[nodiscard]] Plan present() const { return state_.unload(); }
    [[nodiscard]] bool is_complete() const { return absent_.empty(); }

private:
    void hire(Rng& rng);
    [[nodiscard]] bool accepts(double before, double temperature, Rng& rng);

    const Instance& instance_;
    SearchState<M> state_;
    Ruin<M> ruin_;
    Recreate<M> recreate_;
    std::vector<int> absent_;          // customers of the present plan that have no vehicle
    std::vector<int> removed_;
    std::vector<double> patience_;     // how often a customer has been left out
    const double keep_types_rate_;
    const double hire_rate_;
    std::uint64_t iterations_ = 0;
};

}  // namespace fripn::search
