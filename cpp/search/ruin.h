// Ruin by adjacent strings: pieces of neighbouring routes leave the plan, which opens room nearby.
//
// Reference: J. Christiaens and G. Vanden Berghe, Transportation Science 54 (2020),
// doi 10.1287/trsc.2019.0914.
#pragma once

#include <vector>

#include "rng.h"
#include "search/neighbours.h"
#include "search/search_state.h"

namespace fripn::search {

struct RuinSettings {
    double mean_removed = 10.0;       // customers removed on average
    int max_string = 10;              // longest string
    double split_rate = 0.5;          // chance that a string keeps some customers in its middle
    double split_growth = 0.01;       // chance to keep one more, and one more …
    double whole_route_rate = 0.2;   // chance that whole routes leave instead of strings
};

template <Measure M>
class Ruin {
public:
    Ruin(const Instance& instance, const Neighbours& neighbours, const RuinSettings& settings);

    // Remove customers around a random one; they are appended to `removed`.
    void operator()(SearchState<M>& state, std::vector<int>& removed, Rng& rng, bool keeps_types);

private:
    void strings(SearchState<M>& state, std::vector<int>& removed, Rng& rng);
    void whole_routes(SearchState<M>& state, std::vector<int>& removed, Rng& rng);
    void take(SearchState<M>& state, int slot, int position, int count, std::vector<int>& removed);

    const Instance& instance_;
    const Neighbours& neighbours_;
    const RuinSettings settings_;
    std::vector<int> ruined_;
};

}  // namespace fripn::search
