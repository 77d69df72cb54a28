#include "route_order.h"

#include <cmath>

#include "overload_state.h"

namespace fripn::baselines {

namespace {

constexpr double least_gain = 1e-9;

// The first improving move of a route, made; false when there is none.
bool improve(OverloadState& state, int slot) {
    const double wanted = -least_gain * std::abs(state.route(slot).cost);
    const int last = state.route(slot).last();
    for (int p = 1; p < last; ++p)
        for (int q = 1; q <= last; ++q) {
            if (q != p && q != p + 1 && state.shift_change(slot, p, q) < wanted) {
                state.shift(slot, p, q);
                return true;
            }
            if (q > p && q < last && state.reverse_change(slot, p, q) < wanted) {
                state.reverse(slot, p, q);
                return true;
            }
        }
    return false;
}

}  // namespace

Plan order_routes(const Instance& instance, const Plan& plan) {
    OverloadState state(instance);
    state.load(plan);
    for (int slot = 0; slot < state.num_slots(); ++slot)
        while (improve(state, slot)) {
        }
    return state.unload();
}

}  // namespace fripn::baselines
