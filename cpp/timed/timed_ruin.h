// Ruin by adjacent strings of timed routes; see search/ruin.h.
#pragma once

#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/ruin.h"
#include "timed/timed_state.h"

namespace fripn::timed {

class TimedRuin {
public:
    TimedRuin(const Model& model, const search::Neighbours& neighbours, const search::RuinSettings& settings);

    // Remove customers around a random one; they are appended to `removed`. False when a route became one that no vehicle
    // can drive: the state must be rolled back.
    bool operator()(TimedState& state, std::vector<int>& removed, Rng& rng, bool keeps_types);

private:
    void strings(TimedState& state, std::vector<int>& removed, Rng& rng);
    void whole_routes(TimedState& state, std::vector<int>& removed, Rng& rng);
    static void take(TimedState& state, int slot, int position, int count, std::vector<int>& removed);

    const Model& model_;
    const search::Neighbours& neighbours_;
    search::RuinSettings settings_;
    std::vector<int> ruined_;
};

}  // namespace fripn::timed
