// Simulated annealing over ruin and recreate for timed routes; see search/sisr.h.
#pragma once

#include <cstdint>
#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/route_pool.h"
#include "search/sisr.h"
#include "timed/timed_recreate.h"
#include "timed/timed_ruin.h"
#include "timed/timed_state.h"

namespace fripn::timed {

class TimedSisr {
public:
    TimedSisr(const Model& model, const search::Neighbours& neighbours, const search::SisrSettings& settings);

    // Start again from a plan (which may leave customers out: they are absent until they find room).
    void load(const Plan& plan);
    // Remember the routes of accepted plans there (null: nowhere).
    void remember_in(search::RoutePool* pool) { pool_ = pool; }

    // One ruin, one recreate, accepted or undone. True when the best plan improved.
    bool iterate(double temperature, Rng& rng);

    // Cost of the best complete plan since `load`, infinity when there is none yet.
    [[nodiscard]] double best_cost() const { return state_.best_cost(); }
    [[nodiscard]] Plan best() const { return state_.unload_best(); }
    [[nodiscard]] double cost() const { return state_.cost(); }
    [[nodiscard]] Plan present() const { return state_.unload(); }
    // Customers of the present plan that have no vehicle.
    [[nodiscard]] const std::vector<int>& absent() const { return absent_; }

private:
    void hire(Rng& rng);
    // Whether a plan that costs less than `limit`, and leaves out no more than before, is the next one.
    [[nodiscard]] bool accepts(double limit);

    const Model& model_;
    TimedState state_;
    TimedRuin ruin_;
    TimedRecreate recreate_;
    search::RoutePool* pool_ = nullptr;
    std::vector<int> absent_;
    std::vector<int> removed_;
    std::vector<double> patience_;     // how often a customer has been left out
    const double keep_types_rate_;
    const double hire_rate_;
    std::uint64_t iterations_ = 0;
};

}  // namespace fripn::timed
