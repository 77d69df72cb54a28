// The neighbourhood of tabu search and of the genetic algorithm's local search.
#pragma once

#include "../rng.h"
#include "../search/neighbours.h"
#include "../search/plan.h"
#include "overload_state.h"

namespace fripn::baselines {

// One change of routes; `change` is its effect on the penalised cost.
struct Move {
    enum class Kind { none, exchange, shift, reverse };
    Kind kind = Kind::none;
    double change = infinity;
    int slot_a = -1, first_a = 0, count_a = 0;
    int slot_b = -1, first_b = 0, count_b = 0;
};

// False when the move turned out impossible and nothing changed (see OverloadState::exchange).
inline bool apply(OverloadState& state, const Move& move) {
    switch (move.kind) {
        case Move::Kind::exchange:
            return state.exchange(move.slot_a, move.first_a, move.count_a, move.slot_b, move.first_b, move.count_b);
        case Move::Kind::shift: state.shift(move.slot_a, move.first_a, move.first_b); return true;
        case Move::Kind::reverse: state.reverse(move.slot_a, move.first_a, move.first_b); return true;
        case Move::Kind::none: break;
    }
    return false;
}

// Call `visit(move)` for every move around a customer, until it returns true.
//
// Moves that bring the customer next to one of its neighbours: relocate (alone or with its successor), swap
// and 2-opt* when the two are in different routes, relocate and 2-opt within one. And those that use the
// empty route `empty_slot`: the customer alone, or with all that follow it, which splits the route.
template <class Visit>
void for_each_move(const OverloadState& state, const Neighbours& neighbours, int customer, int empty_slot,
                   Visit&& visit) {
    const int a = state.slot_of(customer);
    const int p = state.position_of(customer);
    const int end_a = state.route(a).last();
    const auto exchange = [&](int first_a, int count_a, int b, int first_b, int count_b) {
        return visit(Move{Move::Kind::exchange, state.exchange_change(a, first_a, count_a, b, first_b, count_b), a,
                          first_a, count_a, b, first_b, count_b});
    };
    for (const int* j = neighbours.begin(customer); j != neighbours.end(customer); ++j) {
        const int b = state.slot_of(*j);
        const int q = state.position_of(*j);
        if (a != b) {
            const int end_b = state.route(b).last();
            if (exchange(p, 1, b, q + 1, 0) || exchange(p, 1, b, q, 0)) return;
            if (p + 1 < end_a && exchange(p, 2, b, q + 1, 0)) return;
            if (exchange(p, 1, b, q, 1)) return;
            if (q + 1 < end_b && exchange(p, 1, b, q + 1, 1)) return;
            if (p + 1 < end_a && exchange(p, 2, b, q, 1)) return;
            if (exchange(p, end_a - p, b, q + 1, end_b - q - 1)) return;      // … j, customer …
            if (exchange(p + 1, end_a - p - 1, b, q, end_b - q)) return;      // … customer, j …
        } else {
            // To stand before position `to` is to stay where one is when `to` is p or p + 1.
            for (const int to : {q, q + 1})
                if (to != p && to != p + 1 &&
                    visit(Move{Move::Kind::shift, state.shift_change(a, p, to), a, p, 1, a, to, 0}))
                    return;
            const int first = (p < q ? p : q) + 1;
            const int last = p < q ? q : p;
            if (first < last &&
                visit(Move{Move::Kind::reverse, state.reverse_change(a, first, last), a, first, 0, a, last, 0}))
                return;
        }
    }
    if (end_a > 2) {
        if (exchange(p, 1, empty_slot, 1, 0)) return;
        if (p > 1 && p + 1 < end_a) exchange(p, end_a - p, empty_slot, 1, 0);
    }
}

// Make random moves from a plan on, and throw std::logic_error at the first whose promised change of cost is
// not what the routes then cost. Gives the number of moves made.
int audit_moves(const Instance& instance, const Plan& plan, double penalty, int rounds, Rng& rng);

}  // namespace fripn::baselines
