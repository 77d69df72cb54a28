#include "baselines/moves.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace fripn::baselines {

int audit_moves(const Instance& instance, const Plan& plan, double penalty, int rounds, Rng& rng) {
    const Neighbours neighbours(instance, instance.num_customers());
    PenalisedRoutes state(instance, penalty);
    state.load(plan);
    int num_made = 0;
    for (int round = 0; round < rounds; ++round) {
        state.add_spares();
        const int customer = 1 + static_cast<int>(rng.below(static_cast<std::size_t>(instance.num_customers())));
        std::vector<Move> moves;
        for_each_move(state.routes(), neighbours, customer,
                      [&](double, bool, auto&& describe) { moves.push_back(describe()); });
        if (moves.empty()) continue;
        const Move& move = moves[rng.below(moves.size())];
        const double before = state.routes().total_price();
        state.apply(move);
        ++num_made;
        const double after = state.routes().total_price();
        const double tolerance = 1e-9 * (std::abs(before) + std::abs(after) + 1.0);
        if (std::abs(after - before - move.change) > tolerance)
            throw std::logic_error("a move changed the price by " + std::to_string(after - before) +
                                   ", but predicted " + std::to_string(move.change));
        if (std::abs(after - state.cost()) > tolerance)
            throw std::logic_error("the running price is " + std::to_string(state.cost()) + ", but the routes cost " +
                                   std::to_string(after));
    }
    return num_made;
}

}  // namespace fripn::baselines
