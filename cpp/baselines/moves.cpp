#include "moves.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace fripn::baselines {

int audit_moves(const Instance& instance, const Plan& plan, double penalty, int rounds, Rng& rng) {
    const Neighbours neighbours(instance, instance.num_customers());
    OverloadState state(instance);
    state.load(plan);
    state.set_penalty(penalty);
    int num_made = 0;
    for (int round = 0; round < rounds; ++round) {
        const int customer = 1 + static_cast<int>(rng.below(static_cast<std::size_t>(instance.num_customers())));
        std::vector<Move> moves;
        for_each_move(state, neighbours, customer, state.empty_slot(), [&](const Move& move) {
            if (move.change < infinity) moves.push_back(move);
            return false;
        });
        if (moves.empty()) continue;
        const Move& move = moves[rng.below(moves.size())];
        const double before = state.cost();
        if (!apply(state, move)) continue;
        ++num_made;
        const double tolerance = 1e-9 * (std::abs(before) + std::abs(state.cost()) + 1.0);
        // With a limited fleet one route may take what the other gives back, or both may count on one vehicle.
        const double missed = state.cost() - before - move.change;
        if (!instance.has_limited_fleet() && std::abs(missed) > tolerance)
            throw std::logic_error("a move changed the cost by " + std::to_string(state.cost() - before) +
                                   ", but promised " + std::to_string(move.change));
        OverloadState afresh(instance);
        afresh.set_penalty(penalty);
        afresh.load(state.unload());
        // Loading lets routes take vehicles that others gave back: with a limited fleet it may only be cheaper.
        const double saved = state.cost() - afresh.cost();
        if (instance.has_limited_fleet() ? saved < -tolerance : std::abs(saved) > tolerance)
            throw std::logic_error("the running cost is " + std::to_string(state.cost()) + ", but the routes cost " +
                                   std::to_string(afresh.cost()));
    }
    return num_made;
}

}  // namespace fripn::baselines
